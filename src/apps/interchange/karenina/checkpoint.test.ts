import { describe, expect, test } from "vitest";
import { evaluateCheck } from "../../../core/checks/evaluate-check.ts";
import { KareninaError, readKarenina, toKarenina } from "../../public/interchange.ts";
import { toCheck } from "./primitives.ts";

const FIELD = 'VerifiedField(description="d", ground_truth=1, verify_with=NumericExact())';

function checkpoint(parts: object): string {
  return JSON.stringify({
    "@context": {},
    name: "n",
    dateCreated: "",
    dateModified: "",
    dataFeedElement: [],
    ...parts,
  });
}

function node(template: string, text = "q"): object {
  return { question: { text, acceptedAnswer: { text: "x" }, hasPart: { text: template } } };
}

const PLAIN = node(`class A(BaseAnswer):\n    x: int = ${FIELD}\n`);

describe("files that are no checkpoints", () => {
  test.each<[string, string, RegExp]>([
    ["no JSON", "{", /not JSON/],
    ["another JSON", "[]", /not a karenina checkpoint/],
    ["another type", checkpoint({ "@type": "Dataset" }), /DataFeed/],
    ["questions only", checkpoint({ dataFeedElement: [{}] }), /none, or single questions/],
    ["nothing in it", checkpoint({ hasPart: [] }), /none, or single questions/],
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
        ...node("import os\nos.system('touch /tmp/owned')", "{{ row.x }} ‮"),
        stateUpdateSource: "lambda acc, p: __import__('os').system('x')",
      },
      constructor: PLAIN,
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

describe("outcomes", () => {
  const read = (check: object): ReturnType<typeof readKarenina> => {
    const part = {
      name: "s",
      entryNode: "a",
      nodes: { a: PLAIN },
      edges: [],
      outcomeCriteria: [{ name: "o", check }],
    };
    return readKarenina(checkpoint({ hasPart: [part] }));
  };
  const reply = (verify_with: object, expected: unknown = null): object => ({
    type: "TurnCheck",
    scope: { type: "last_turn" },
    field: "raw_response",
    expected,
    verify_with,
  });
  const across = (target_field: string, comparison: string, normalize: readonly string[] = []): object => ({
    type: "CrossTurnCheck",
    source_turn: { type: "first_turn" },
    source_field: "raw_response",
    target_turn: { type: "last_turn" },
    target_field,
    comparison,
    normalize,
  });

  test.each<[string, object, object]>([
    ["texts", reply({ type: "ContainsAll", substrings: ["yes"] }), { verifyWith: { type: "contains_all" } }],
    ["a pattern", reply({ type: "RegexMatch", pattern: "yes" }), { verifyWith: { pattern: "yes" } }],
    [
      "the whole reply",
      reply({ type: "ExactMatch" }, "--- AI Message ---\nYes"),
      { field: "reply", expected: "Yes" },
    ],
    ["two replies", across("raw_response", "eq"), { sourceField: "reply", targetField: "reply" }],
  ])("%s without the header of upstream's traces", (_, check, expected) => {
    const { scenarios, refused } = read(check);
    expect(refused).toEqual([]);
    expect(scenarios[0]?.definition.outcomes[0]?.check).toMatchObject(expected);
  });

  test.each<[string, object, RegExp]>([
    ["a text in the header", reply({ type: "ContainsAny", substrings: ["AI"] }), /may begin in the header/],
    [
      "a text that may begin in it",
      reply({ type: "ContainsAny", substrings: ["\nyes"] }),
      /may begin in the header/,
    ],
    ["a number", reply({ type: "NumericExact" }, 42), /with its header by NumericExact/],
    ["a reply and a field", across("parsed.x", "gt"), /with its header/],
    ["a reply in another, normalised", across("raw_response", "contains", ["strip"]), /no counterpart/],
    ["another field", { ...reply({ type: "ExactMatch" }, ""), field: "mood" }, /mood .* no counterpart/],
    [
      "a field that no template has",
      { ...reply({ type: "ExactMatch" }, ""), field: "parsed.y" },
      /parsed\.y/,
    ],
  ])("%s is refused", (_, check, reason) => {
    expect(read(check).refused[0]?.reasons[0]?.message).toMatch(reason);
  });

  test("a global rating of an unknown type is refused by name, and not left out", () => {
    const rating = [{ name: "Odd", additionalType: "karenina:GlobalOddTrait" }];
    const part = { name: "s", entryNode: "a", nodes: { a: PLAIN }, edges: [] };
    const { refused } = readKarenina(checkpoint({ rating, hasPart: [part] }));
    expect(refused[0]?.reasons[0]?.message).toMatch(/rating Odd/);
  });
});

test("trace checks look at the reply without its header", () => {
  const note = (): void => {};
  const check = toCheck({ type: "TraceLength", min: 22 }, note);
  expect([evaluateCheck(check, "abc", true).passes, evaluateCheck(check, "ab", true).passes]).toEqual([
    true,
    false,
  ]);
  expect(toCheck({ type: "TraceRegex", pattern: "yes", count_min: 3 }, note)).toMatchObject({ countMin: 3 });
  expect(toCheck({ type: "TraceContains", substring: "no." }, note)).toMatchObject({ substring: "no." });
  for (const substring of ["AI", "\nno."])
    expect(() => toCheck({ type: "TraceContains", substring }, note)).toThrow("header");
});
