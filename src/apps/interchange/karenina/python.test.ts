import { describe, expect, test } from "vitest";
import { compileLinearRegex } from "../../../core/checks/linear-regex.ts";
import { KareninaError, readKarenina, toKarenina } from "../../public/interchange.ts";
import { pythonPattern, translatePattern } from "./python-regex.ts";
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
        weight=0x10,
    )
    b: Union[List[Literal['x', "y"]], None] = VerifiedField(description="""b
c""", ground_truth=("x",), verify_with=SetContainment(), examples=[1, {"a": None}])
    c: str | None = VerifiedField("\\x41\\u00e9\\101\\q", "", \\
        ExactMatch(normalize=["strip", SynonymMap(mapping={"a": "b"})]))

    class VerificationStrategy:
        verify_strategy: Any = AtLeastN(n=1, conditions=[FieldCheck(field="a"), FieldCheck(field="b")])
`);
    expect(fields.map(({ name, type, isNullable }) => ({ name, type, isNullable }))).toEqual([
      { name: "a", type: { type: "int" }, isNullable: true },
      { name: "b", type: { type: "list", items: { type: "literal", values: ["x", "y"] } }, isNullable: true },
      { name: "c", type: { type: "str" }, isNullable: true },
    ]);
    expect(fields[0]).toMatchObject({ description: "one two\\n", truth: { value: -1000 }, weight: 16 });
    expect(fields[1]).toMatchObject({ description: "b\nc", truth: { value: ["x"] } });
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
      /second/,
    ],
    ["another base", `class Answer(Other):\n    a: int = ${FIELD}\n`, /BaseAnswer/],
    ["a method", "class Answer(BaseAnswer):\n    def verify(self):\n        return True\n", /method/],
    [
      "a plain field",
      "class Answer(BaseAnswer):\n    a: int = Field(description='d')\n",
      /not a VerifiedField/,
    ],
    ["a field without a value", "class Answer(BaseAnswer):\n    a: int\n", /not a VerifiedField/],
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
    ["spread arguments", "class Answer(BaseAnswer):\n    a: int = VerifiedField(*x)\n", /spread/],
    ["a field twice", `class Answer(BaseAnswer):\n    a: int = ${FIELD}\n    a: int = ${FIELD}\n`, /twice/],
    ["a reserved field", `class Answer(BaseAnswer):\n    correct: int = ${FIELD}\n`, /cannot be called/],
    [
      "an empty description",
      "class Answer(BaseAnswer):\n    a: int = VerifiedField('', 1, NumericExact())\n",
      /empty description/,
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
    ["an open bracket", "class Answer(BaseAnswer):\n    a: int = VerifiedField(", /never closed/],
    ["an open text", "class Answer(BaseAnswer):\n    a: int = VerifiedField('d", /never closed/],
    [
      "deep nesting",
      `class Answer(BaseAnswer):\n    a: int = VerifiedField('d', ${"[".repeat(5000)}${"]".repeat(5000)}, NumericExact())\n`,
      /too deeply/,
    ],
    ["a bomb", "9".repeat(2_000_000), /too long/],
    ["nothing", "", /no class/],
  ])("%s is refused", (_, source, reason) => {
    expect(() => parseTemplate(source)).toThrow(reason);
  });
});

describe("patterns", () => {
  const finds = (pattern: string, text: string, flags: readonly string[] = []): boolean => {
    const result = translatePattern(pattern, { flags });
    if ("problem" in result) throw new Error(result.problem);
    const regex = compileLinearRegex(result.pattern, result.flags);
    if ("problem" in regex) throw new Error(regex.problem);
    return regex.find(text);
  };

  test.each<[string, string, boolean]>([
    ["^a$", "a\n", true],
    ["a$", "a\nb", false],
    ["(?m)a$", "a\nb", true],
    ["a\\Z", "a\n", false],
    ["\\d", "٣", true],
    ["[\\w]", "é", true],
    ["\\s", "\u00a0", true],
    ["\\S", "\u00a0", false],
    ["^a{,2}$", "aa", true],
    ["^a{,2}$", "aaa", false],
    ["a{x}", "a{x}", true],
    ["[[:alpha:]]x", ":]x", true],
    ["[]a]", "]", true],
    ["[^]a]", "]", false],
    ["\\u00e9", "é", true],
    ["(?P<n>a)(?#why)b", "ab", true],
    ["(?i:A)b", "ab", true],
  ])("%s on %j: %s", (pattern, text, found) => {
    expect(finds(pattern, text)).toBe(found);
  });

  test("with ASCII, digits are ASCII", () => {
    expect(finds("\\d", "٣", ["ASCII"])).toBe(false);
    expect(finds("A", "a", ["IGNORECASE", "U"])).toBe(true);
  });

  test.each([
    "(?=a)",
    "(?!a)",
    "(?<=a)",
    "(?<!a)",
    "(a)\\1",
    "(?P<n>a)(?P=n)",
    "(?>a)",
    "a*+",
    "(a)?(?(1)b)",
    "(?x)a",
    "(?a)a",
    "\\N{DASH}",
    "[\\D]",
    "a(?i)b",
    "(",
  ])("%s is refused", (pattern) => {
    expect(translatePattern(pattern)).toHaveProperty("problem");
  });

  test.each(["^a$", "\\d+\\s\\w[^\\d]", "[\\s\\w]", "\\bx\\Z", "\\u00e9", "(?m)^a$", "a{0,3}"])(
    "%s comes back from RE2",
    (pattern) => {
      const there = translatePattern(pattern);
      if ("problem" in there) throw new Error(there.problem);
      const back = pythonPattern(there.pattern, { flags: there.flags, seesHeader: false });
      expect(translatePattern(back as string)).toEqual(there);
    },
  );
});

describe("files that are no checkpoints", () => {
  const checkpoint = (parts: object): string =>
    JSON.stringify({
      "@context": {},
      name: "n",
      dateCreated: "",
      dateModified: "",
      dataFeedElement: [],
      ...parts,
    });

  test.each<[string, string, RegExp]>([
    ["no JSON", "{", /not JSON/],
    ["another JSON", "[]", /not a karenina checkpoint/],
    ["another type", checkpoint({ "@type": "Dataset" }), /DataFeed/],
    ["questions only", checkpoint({ dataFeedElement: [{}] }), /single questions/],
    ["nothing in it", checkpoint({ hasPart: [] }), /no scenarios/],
    ["a scenario without a name", checkpoint({ hasPart: [{}] }), /hasPart\[0\]/],
  ])("%s", (_, text, message) => {
    expect(() => readKarenina(text)).toThrow(KareninaError);
    expect(() => readKarenina(text)).toThrow(message);
  });

  const hostile = {
    name: "hostile",
    entryNode: "a",
    nodes: {
      a: {
        question: {
          text: "{{ row.x }} ‮",
          acceptedAnswer: { text: "x" },
          hasPart: { text: "import os\nos.system('touch /tmp/owned')" },
        },
        stateUpdateSource: "lambda acc, p: __import__('os').system('x')",
      },
      constructor: {
        question: {
          text: "q",
          acceptedAnswer: { text: "x" },
          hasPart: { text: `class A(BaseAnswer):\n    a: int = ${FIELD}\n` },
        },
      },
    },
    edges: [
      { source: "a", target: "constructor", conditionSource: "lambda s: exit()" },
      { source: "a", target: "__end__" },
    ],
    outcomeCriteria: [{ name: "o", evaluateSource: "lambda r: 1" }],
  };

  test("a hostile scenario is refused with every place, and nothing runs", () => {
    const { refused, scenarios } = readKarenina(checkpoint({ hasPart: [hostile] }));
    expect(scenarios).toEqual([]);
    expect(refused[0]?.reasons.map(({ place }) => place)).toEqual([
      'node "a", template',
      'node "a", stateUpdateSource',
      'edges[0] from "a" to "constructor"',
    ]);
  });

  test("braces in texts are no variables, and come back as they were", () => {
    const plain = {
      question: {
        text: "What is {{ row.x }} in Liquid?",
        acceptedAnswer: { text: "{% if %}" },
        hasPart: { text: `class A(BaseAnswer):\n    a: int = ${FIELD}\n` },
      },
      metadata: { "{{ k }}": "{{ v }}" },
    };
    const part = {
      name: "braces",
      entryNode: "a",
      nodes: { a: plain },
      edges: [{ source: "a", target: "__end__" }],
    };
    const { scenarios, refused } = readKarenina(checkpoint({ hasPart: [part] }));
    expect(refused).toEqual([]);
    const { definition } = scenarios[0] as (typeof scenarios)[number];
    expect(definition.nodes.a?.question.question).toBe("{% raw %}What is {{ row.x }} in Liquid?{% endraw %}");
    const back = JSON.parse(toKarenina([definition]).text).hasPart[0].nodes.a;
    expect(back.questionData).toMatchObject({ question: plain.question.text, raw_answer: "{% if %}" });
    expect(back.metadata).toEqual(plain.metadata);
  });

  test("outcomes may name nodes that lack the field, and the scenario itself", () => {
    const node = (field: string): object => ({
      question: {
        text: "q",
        acceptedAnswer: { text: "x" },
        hasPart: { text: `class A(BaseAnswer):\n    ${field}: int = ${FIELD}\n` },
      },
    });
    const turns = (type: string, node_id: readonly string[]): object => ({
      name: `${type} ${node_id.join(" ")}`,
      check: {
        type: "TurnCheck",
        scope: { type, node_id },
        field: "parsed.x",
        expected: 1,
        verify_with: { type: "NumericExact" },
      },
    });
    const part = {
      name: "Nodes",
      entryNode: "a",
      nodes: { a: node("x"), b: node("y") },
      edges: [{ source: "a", target: "b" }],
      outcomeCriteria: [
        turns("any_turn", ["a", "b"]),
        turns("all_turns", ["a", "b"]),
        turns("any_turn", ["b"]),
        {
          name: "own name",
          check: {
            type: "ResultCheck",
            field: "scenario_id",
            expected: "nodes ",
            verify_with: { type: "ExactMatch" },
          },
        },
        { name: "nothing", check: null },
      ],
    };
    const { scenarios, refused } = readKarenina(checkpoint({ hasPart: [part] }));
    expect(refused).toEqual([]);
    const any = { type: "turn_check", scope: { type: "any_turn", node: ["a"] }, field: "parsed.x" };
    expect(scenarios[0]?.definition.outcomes.map(({ check }) => check)).toMatchObject([
      any,
      {
        type: "all_of",
        conditions: [
          { ...any, scope: { type: "all_turns", node: ["a"] } },
          { type: "not", condition: { scope: { type: "any_turn", node: ["b"] }, field: "node_id" } },
        ],
      },
      { type: "any_of", conditions: [] },
      { type: "all_of", conditions: [] },
    ]);
  });

  test("entries that are no objects are reasons or nothing, and ids that are numbers keep their pieces", () => {
    const odd = {
      name: "odd",
      entryNode: "b",
      nodes: {
        b: { question: { text: "b", acceptedAnswer: { text: "x" } } },
        " 1": {
          question: { text: "1", acceptedAnswer: { text: "x" } },
          stateUpdateSource: "lambda a, p: {'n': 1}",
        },
      },
      edges: [{ source: "b", target: " 1" }, null],
      outcomeCriteria: [null, "x", { name: "o", evaluateSource: "lambda r: r.turn_count" }, null],
    };
    const { scenarios, refused } = readKarenina(checkpoint({ hasPart: [odd] }), { partial: true });
    expect(refused[0]?.reasons.length ?? 0).toBeGreaterThan(0);
    expect(scenarios).toEqual([]);
    const { edges, ...rest } = odd;
    const whole = readKarenina(checkpoint({ hasPart: [{ ...rest, edges: edges.slice(0, 1) }] }), {
      partial: true,
    });
    const { definition } = whole.scenarios[0] as (typeof scenarios)[number];
    const [part] = JSON.parse(toKarenina([definition], { lossy: true }).text).hasPart;
    expect(part.nodes["1"].stateUpdateSource).toBe("lambda a, p: {'n': 1}");
    expect(part.nodes.b.stateUpdateSource).toBeUndefined();
  });

  test("with partial it is imported with its holes, and a refused condition never holds", () => {
    const { scenarios } = readKarenina(checkpoint({ hasPart: [hostile] }), { partial: true });
    expect(scenarios[0]?.holes).toHaveLength(3);
    expect(scenarios[0]?.file.edges).toEqual([
      { source: "a", target: "node-constructor", when: { type: "any_of", conditions: [] } },
      { source: "a", target: "END" },
    ]);
  });
});
