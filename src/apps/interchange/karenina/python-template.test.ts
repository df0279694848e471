import { describe, expect, test } from "vitest";
import { parseTemplate } from "./python-template.ts";

const FIELD = 'VerifiedField(description="d", ground_truth=1, verify_with=NumericExact())';

describe("templates", () => {
  test("every style of writing gives the same fields", () => {
    const { fields } = parseTemplate(`
from __future__ import annotations
import karenina.schemas

class Answer(schemas.BaseAnswer):
    """Doc \\
    string."""

    a: "Optional[int]" = VerifiedField(  # a comment
        'one' " two" r'\\n', -1_000, primitives.NumericTolerance(tolerance=1e-2, mode="absolute"),
        weight=1_6,
    )
    b: Union[List[Literal['x', "y"]], None] = VerifiedField(description="""b
c""", ground_truth=("x",), verify_with=SetContainment(), examples=[1, {"a": None}])
    c: str | None = VerifiedField("\\x41\\u00e9\\101\\q", "", \\
        ExactMatch(normalize=["strip", SynonymMap(mapping={"a": "b"})]))

    class VerificationStrategy:
        verify_strategy: Any = AtLeastN(n=1, conditions=[FieldCheck(field="a"), FieldCheck(field="b")])
`);
    expect(fields.map(({ name, type, isNullable }) => ({ name, type, isNullable }))).toEqual([
      { name: "a", type: { type: "integer" }, isNullable: true },
      { name: "b", type: { type: "array", items: { type: "enum", values: ["x", "y"] } }, isNullable: true },
      { name: "c", type: { type: "string" }, isNullable: true },
    ]);
    expect(fields[0]).toMatchObject({ description: "one two\\n", truth: -1000, weight: 16 });
    expect(fields[1]).toMatchObject({ description: "b\nc", truth: ["x"] });
    expect(fields[2]?.description).toBe("AéA\\q");
    expect(parseTemplate(`\f\nclass A(BaseAnswer):\n    ﬁeld: int = ${FIELD}\n`).fields[0]?.name).toBe(
      "field",
    );
  });

  test.each([
    [
      "code above the class",
      `import os\nos.system("x")\nclass Answer(BaseAnswer):\n    a: int = ${FIELD}\n`,
      /never run/,
    ],
    ["a decorator", `@x\nclass Answer(BaseAnswer):\n    a: int = ${FIELD}\n`, /decorator/],
    [
      "a second class",
      `class A(BaseAnswer):\n    a: int = ${FIELD}\nclass B(BaseAnswer):\n    a: int = ${FIELD}\n`,
      /one class/,
    ],
    ["another base", `class Answer(Other):\n    a: int = ${FIELD}\n`, /BaseAnswer/],
    ["a method", "class Answer(BaseAnswer):\n    def verify(self):\n        return True\n", /method/],
    ["a plain field", "class Answer(BaseAnswer):\n    a: int = Field(description='d')\n", /VerifiedField/],
    ["a field without a value", "class Answer(BaseAnswer):\n    a: int\n", /VerifiedField/],
    [
      "a computed text",
      `class Answer(BaseAnswer):\n    a: int = VerifiedField(f"{1}", 1, NumericExact())\n`,
      /computed/,
    ],
    [
      "a sum",
      "class Answer(BaseAnswer):\n    a: int = VerifiedField('d', 1 + 1, NumericExact())\n",
      /nothing is computed/,
    ],
    [
      "a name",
      "class Answer(BaseAnswer):\n    a: float = VerifiedField('d', math.pi, NumericExact())\n",
      /nothing is computed/,
    ],
    [
      "a call",
      "class Answer(BaseAnswer):\n    a: int = VerifiedField('d', int('1'), NumericExact())\n",
      /ConditionalGroundTruth/,
    ],
    [
      "a renamed import",
      `from x import VerifiedField as V\nclass Answer(BaseAnswer):\n    a: int = V("d", 1, NumericExact())\n`,
      /import has changed/,
    ],
    [
      "an unknown argument",
      "class Answer(BaseAnswer):\n    a: int = VerifiedField('d', 1, NumericExact(), pattern='x')\n",
      /no argument pattern/,
    ],
    ["spread arguments", "class Answer(BaseAnswer):\n    a: int = VerifiedField(*x)\n", /"\*"/],
    ["a field twice", `class Answer(BaseAnswer):\n    a: int = ${FIELD}\n    a: int = ${FIELD}\n`, /twice/],
    ["a reserved field", `class Answer(BaseAnswer):\n    correct: int = ${FIELD}\n`, /cannot be called/],
    [
      "an empty description",
      "class Answer(BaseAnswer):\n    a: int = VerifiedField('', 1, NumericExact())\n",
      /no description/,
    ],
    [
      "a quoted type with more in it",
      `class Answer(BaseAnswer):\n    a: "int; import os" = ${FIELD}\n`,
      /";"/,
    ],
    ["another type", `class Answer(BaseAnswer):\n    a: dict[str, int] = ${FIELD}\n`, /no counterpart/],
    [
      "a boolean literal",
      `class Answer(BaseAnswer):\n    a: Literal[True] = ${FIELD}\n`,
      /texts and numbers/,
    ],
    [
      "bad indentation",
      `class Answer(BaseAnswer):\n    a: int = ${FIELD}\n  b: int = ${FIELD}\n`,
      /indentation/,
    ],
    ["an open bracket", "class Answer(BaseAnswer):\n    a: int = VerifiedField(", /not readable/],
    [
      "a long chain",
      `class Answer(BaseAnswer):\n    a: int = VerifiedField('d', 1${"+1".repeat(5000)}, NumericExact())\n`,
      /too long/,
    ],
    ["an open text", "class Answer(BaseAnswer):\n    a: int = VerifiedField('d", /never closed/],
    [
      "deep nesting",
      `class Answer(BaseAnswer):\n    a: int = VerifiedField('d', ${"[".repeat(5000)}${"]".repeat(5000)}, NumericExact())\n`,
      /too deeply/,
    ],
    ["a bomb", "9".repeat(2_000_000), /too long/],
    ["nothing", "", /one class/],
  ])("%s is refused", (_, source, reason) => {
    expect(() => parseTemplate(source)).toThrow(reason);
  });
});
