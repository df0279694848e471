import { describe, expect, test } from "vitest";
import { parseTemplate } from "./python-template.ts";

const ARGUMENTS = 'description="d", ground_truth=1, verify_with=NumericExact()';
const FIELD = `VerifiedField(${ARGUMENTS})`;

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

  const CLASS = "class Answer(BaseAnswer):\n    ";
  const INT = (parts: string): string => `${CLASS}a: int = VerifiedField(${parts})\n`;
  test.each([
    ["code above the class", `import os\nos.system("x")\n${INT(ARGUMENTS)}`, /never run/],
    ["a decorator", `@x\n${INT(ARGUMENTS)}`, /decorator/],
    ["a second class", INT(ARGUMENTS) + INT(ARGUMENTS), /one class/],
    ["another base", INT(ARGUMENTS).replace("BaseAnswer", "Other"), /BaseAnswer/],
    ["a method", `${CLASS}def verify(self):\n        return True\n`, /method/],
    ["a plain field", `${CLASS}a: int = Field(description='d')\n`, /VerifiedField/],
    ["a field without a value", `${CLASS}a: int\n`, /VerifiedField/],
    ["a computed text", INT('f"{1}", 1, NumericExact()'), /computed/],
    ["a sum", INT("'d', 1 + 1, NumericExact()"), /nothing is computed/],
    ["a name", INT("'d', math.pi, NumericExact()"), /nothing is computed/],
    ["a call", INT("'d', int('1'), NumericExact()"), /ConditionalGroundTruth/],
    [
      "a renamed import",
      `from x import VerifiedField as V\n${CLASS}a: int = V(${ARGUMENTS})\n`,
      /import has/,
    ],
    ["an unknown argument", INT(`${ARGUMENTS}, pattern='x'`), /no argument pattern/],
    ["an argument twice", INT("'d', 1, NumericExact(), weight=1, weight=2"), /twice/],
    ["spread arguments", INT("*x"), /"\*"/],
    ["a field twice", `${CLASS}a: int = ${FIELD}\n    a: int = ${FIELD}\n`, /twice/],
    ["a reserved field", `${CLASS}correct: int = ${FIELD}\n`, /cannot be called/],
    ["an empty description", INT("'', 1, NumericExact()"), /no description/],
    ["a quoted type with more in it", `${CLASS}a: "int; import os" = ${FIELD}\n`, /";"/],
    ["another type", `${CLASS}a: dict[str, int] = ${FIELD}\n`, /no counterpart/],
    ["a boolean literal", `${CLASS}a: Literal[True] = ${FIELD}\n`, /texts and numbers/],
    ["bad indentation", `${INT(ARGUMENTS)}  b: int = ${FIELD}\n`, /indentation/],
    ["an open bracket", `${CLASS}a: int = VerifiedField(`, /not readable/],
    ["an open text", `${CLASS}a: int = VerifiedField('d`, /never closed/],
    ["deep nesting", INT(`'d', ${"[".repeat(5000)}${"]".repeat(5000)}, NumericExact()`), /too deeply/],
    ["a long chain", INT(`'d', 1${"+1".repeat(5000)}, NumericExact()`), /too long/],
    ["a bomb", "9".repeat(2_000_000), /too long/],
    ["nothing", "", /one class/],
  ])("%s is refused", (_, source, reason) => {
    expect(() => parseTemplate(source)).toThrow(reason);
  });
});
