import { describe, expect, test } from "vitest";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { parseScenario } from "../../../core/scenario/parse-scenario.ts";
import { DefinitionError, formatIssue } from "../../../core/schema/format-issue.ts";
import { parseScenarioFile } from "./parse-scenario-file.ts";
import { scenarioToJson, scenarioToYaml } from "./write-scenario.ts";
import { parseYamlText } from "./yaml-text.ts";

const GOOD = `
version: 1
name: capital
entry: ask
nodes:
  ask:
    question:
      question: What is the capital of Australia?
      rawAnswer: Canberra
      template:
        fields:
          city: { type: string, description: the city named, truth: Canberra }
  push: { question: { question: Are you sure?, rawAnswer: "Yes, Canberra." } }
edges:
  - { source: ask, target: push, when: { verify_result: true } }
  - { source: ask, target: END }
outcomes:
  - name: right
    check: { type: turn_check, scope: { type: first_turn }, field: verify_result, expected: true, verifyWith: { type: boolean_match } }
`;

function sentences(text: string, filename = "s.yaml"): string[] {
  try {
    parseScenarioFile(text, { filename });
  } catch (error) {
    if (error instanceof DefinitionError) return error.issues.map(formatIssue);
    throw error;
  }
  return [];
}

test("one scenario, in YAML and in JSON", () => {
  const [fromYaml] = parseScenarioFile(GOOD, { filename: "good.yaml" });
  expect(fromYaml).toMatchObject({
    name: "capital",
    nodeIds: ["ask", "push"],
    entryNode: "ask",
    warnings: [],
  });
  expect(fromYaml?.edges[1]).toEqual({ source: "ask", target: "__end__" });
  const json = JSON.stringify({
    ...fromYaml,
    entry: "ask",
    nodeIds: undefined,
    entryNode: undefined,
    warnings: undefined,
    hash: undefined,
  });
  expect(parseScenarioFile(json, { filename: "good.json" })[0]?.hash).toBe(fromYaml?.hash);
});

test("several scenarios", () => {
  const scenario = (name: string): string => `
  - name: ${name}
    entry: a
    nodes: { a: { question: { question: Q?, rawAnswer: A } } }`;
  const text = `version: 1\nscenarios:${scenario("one")}${scenario("two")}\n`;
  expect(parseScenarioFile(text).map(({ name }) => name)).toEqual(["one", "two"]);
  expect(sentences(`scenarios:${scenario("one")}${scenario("one")}\n`)).toEqual([
    's.yaml:5:11 (scenarios[1].name): Scenario "one" already exists in this file.',
  ]);
  expect(sentences(`version: 2\nscenario: x\nscenarios:${scenario("one")}\n    entri: b\n`)).toEqual([
    "s.yaml:1:10 (version): Format version 2 is not supported; this release reads version 1.",
    's.yaml:2:1 (scenario): A file with several scenarios has no "scenario". Did you mean "scenarios"?',
    's.yaml:7:5 (scenarios[0].entri): A scenario has no "entri". Did you mean "entry"?',
  ]);
  expect(sentences("scenarios: []")).toEqual(["s.yaml:1:1 (scenarios): This must not be empty."]);
  expect(sentences("scenarios: 5")).toEqual(["s.yaml:1:12 (scenarios): Expected a list, got the number 5."]);
});

test("line ends of Windows and a byte order mark are no trouble", () => {
  const windows = `\uFEFF${GOOD.trimStart().replaceAll("\n", "\r\n")}`;
  expect(parseScenarioFile(windows)[0]?.hash).toBe(parseScenarioFile(GOOD)[0]?.hash);
  expect(sentences(windows.replace("entry: ask", "entry: aks"))[0]).toContain("s.yaml:3:8 (entry)");
  const json = `\uFEFF${JSON.stringify(scenarioToJson(parseScenarioFile(GOOD)[0] as ScenarioDefinition))}`;
  expect(parseScenarioFile(json, { filename: "s.json" })).toHaveLength(1);
});

describe("places", () => {
  const replaced = (from: string, to: string): string[] => {
    expect(GOOD).toContain(from);
    return sentences(GOOD.replace(from, to));
  };

  test.each([
    [
      "version: 1",
      "version: 3",
      ["s.yaml:2:10 (version): Format version 3 is not supported; this release reads version 1."],
    ],
    [
      "entry: ask",
      "entry: aks",
      ['s.yaml:4:8 (entry): The entry names "aks", which is not a node. Did you mean "ask"?'],
    ],
    [
      "rawAnswer: Canberra",
      "rawAnwser: Canberra",
      ['s.yaml:9:7 (nodes.ask.question.rawAnwser): A question has no "rawAnwser". Did you mean "rawAnswer"?'],
    ],
    [
      "{ verify_result: true }",
      "{ parsed.citty: x }",
      [
        's.yaml:15:42 (edges[0].when["parsed.citty"]): The template of node "ask" has no field "citty". Did you mean "city"?',
      ],
    ],
    [
      "  push:",
      "  lost: { question: { question: Q, rawAnswer: A } }\n  push:",
      [
        's.yaml:13:3 (nodes.lost): Node "lost" cannot be reached from the entry "ask"; add an edge to it or remove it.',
      ],
    ],
  ])("%s → %s", (from, to, expected) => {
    expect(replaced(from, to)).toEqual(expected);
  });

  test("in JSON as well", () => {
    const json = `{
  "name": "j",
  "entry": "a",
  "nodes": { "a": { "question": { "question": "Q", "rawAnswer": "A" } } },
  "edges": [
    { "source": "a", "target": "b" },
    { "source": "a", "target": "END", "wen": { "turn": 1 } }
  ]
}`;
    expect(sentences(json, "s.json")).toEqual([
      's.json:6:32 (edges[0].target): The target of an edge names "b", which is not a node.',
      's.json:7:39 (edges[1].wen): An edge has no "wen". Did you mean "when"?',
    ]);
  });

  test("warnings have them too", () => {
    const [definition] = parseScenarioFile(
      GOOD.replace("source: ask, target: push, when", "source: ask, target: push, when").replace(
        "target: END }",
        "target: END }\n  - { source: push, target: END, when: { verify_result: true } }\n  - { source: push, target: END }",
      ),
      { filename: "w.yaml" },
    );
    expect(definition?.warnings.map(formatIssue)).toEqual([
      'w.yaml:17:42 (edges[2].when.verify_result): "verify_result" is always null here: node "push" has no template that verifies.',
    ]);
  });
});

describe("text that cannot be read is one clear error", () => {
  const bomb = [
    "a: &a [x, x, x, x, x, x, x, x, x, x]",
    ...[..."bcdefghij"].map(
      (name, i) => `${name}: &${name} [${Array(10).fill(`*${"abcdefghij"[i]}`).join(", ")}]`,
    ),
  ].join("\n");
  test.each([
    [
      "duplicate key",
      "name: x\nname: y",
      "s.yaml",
      's.yaml:2:1: The file cannot be read: the key "name" occurs twice in the same object.',
    ],
    [
      "two documents",
      "name: x\n---\nname: y",
      "s.yaml",
      /it has several documents; write one with a list of "scenarios"\.$/,
    ],
    ["alias bomb", bomb, "s.yaml", /aliases stand for more than 2000000 values/],
    ["unknown alias", "name: *nope", "s.yaml", /The file cannot be read: .*nope/],
    ["deep nesting", "[".repeat(20_000), "s.yaml", /nested too deeply; no more than 500 levels are read\.$/],
    ["deep JSON", `${"[".repeat(600)}${"]".repeat(600)}`, "s.json", /^s\.json:1:\d+: .*nested too deeply/],
    ["a text of escapes in JSON", `{"name":"${"\\u0041".repeat(1_000_000)}`, "s.json", /nterminated string/],
    [
      "a text of escapes in JSON, closed",
      `{"a\\"":"${"\\u0041".repeat(1_000_000)}","b\\"":1,"b\\"":2}`,
      "s.json",
      /occurs twice in the same object/,
    ],
    [
      "a text that is too large",
      "- a\n".repeat(1_100_000),
      "s.yaml",
      /more than 4000000 characters\. .* or raise the limit: ELENCHUS_LARGEST_FILE_MB=100\.$/,
    ],
    [
      "an alias of itself",
      `${GOOD}metadata: &a { b: *a }`,
      "s.yaml",
      /stands inside of what it refers to\.$/,
    ],
    [
      "JSON with a comma too many",
      '{ "name": "x", }',
      "s.json",
      /^s\.json:1:16: The file cannot be read: .+\.$/,
    ],
    [
      "JSON with a duplicate key",
      '{ "name": "x",\n  "name": "y" }',
      "s.json",
      's.json:2:3: The file cannot be read: the key "name" occurs twice in the same object.',
    ],
    ["empty JSON", "", "s.json", /^s\.json:1:1: The file cannot be read: unexpected end of JSON input\.$/],
  ])("%s", (_name, text, filename, sentence) => {
    const found = sentences(text, filename);
    expect(found).toHaveLength(1);
    expect(found[0]).toEqual(sentence instanceof RegExp ? expect.stringMatching(sentence) : sentence);
  });

  test("tens of thousands of aliases are what they refer to, the nearest anchor before them", () => {
    const many = `a: &x { deep: [1] }\nlist:\n${"- *x\n".repeat(40_000)}b: &x 2\nlast: *x\n__proto__: *x`;
    const { value } = parseYamlText(many);
    const { a, list, last } = value as { a: unknown; list: unknown[]; last: unknown };
    expect(list).toHaveLength(40_000);
    expect(list.every((item) => item === a)).toBe(true);
    expect(last).toBe(2);
    expect(Object.keys(value as object)).toContain("__proto__");
  });

  test.each([
    ["just text", 'the text "just text"'],
    ["- a\n- b", 'a list; put "scenarios:" in front of it'],
    ["5", "the number 5"],
  ])("%j is no scenario", (text, received) => {
    expect(sentences(text)).toEqual([expect.stringContaining(`Expected a scenario, got ${received}.`)]);
  });

  test.each([
    ["", "1:1", "it is empty"],
    ["version: 1\nname: 'a\nentry: b\n", "2:7", "this ' has no ' that closes the text"],
    [
      "edges:\n  - { source: a, when: { turn: 1 }\noutcomes: []\n",
      "2:5",
      "this { has no }, or a line before that is not indented",
    ],
    ["name: a: b", "1:7", "a text with a colon and a space is taken for a key; put quotes around it"],
    [
      "nodes: { ask: { question: Tell me: why? } }",
      "1:27",
      "within { } and [ ], a text with a colon and a space needs quotes, and a list is written with [ ]",
    ],
  ])("%j is explained in plain words", (text, place, words) => {
    expect(sentences(text)).toEqual([`s.yaml:${place}: The file cannot be read: ${words}.`]);
  });
});

describe("hostile data", () => {
  test.each([
    null,
    undefined,
    5,
    "x",
    [],
    true,
    () => {},
    Symbol("x"),
    new Map(),
    Object.create(null),
    { nodes: [] },
    { nodes: { a: null } },
    { nodes: { a: 5 }, edges: {}, outcomes: 5, entry: 3, name: {} },
  ])("is refused with a DefinitionError: %o", (data) => {
    expect(() => parseScenario(data)).toThrow(DefinitionError);
  });

  test("prototype keys change nothing", () => {
    const data = JSON.parse(
      '{"__proto__":{"name":"x","nodes":{}},"constructor":{"prototype":{"polluted":1}},"name":"n","entry":"a","nodes":{"a":{"question":{"question":"Q","rawAnswer":"A"},"__proto__":{"polluted":1}}}}',
    );
    expect(() => parseScenario(data)).toThrow(/has no "__proto__"/);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("cyclic and endlessly shared data end", () => {
    const cyclic: Record<string, unknown> = { name: "c", entry: "a" };
    cyclic.nodes = { a: { question: { question: "Q", rawAnswer: "A", metadata: cyclic } } };
    expect(() => parseScenario(cyclic)).toThrow(/This value contains itself/);
    let shared: unknown = "x";
    for (let level = 0; level < 60; level++) shared = [shared, shared];
    const data = {
      name: "s",
      entry: "a",
      nodes: { a: { question: { question: "Q", rawAnswer: "A", metadata: { shared } } } },
    };
    expect(() => parseScenario(data)).toThrow(/holds more than 5000000 parts/);
  });

  test("deep data is refused, not a stack overflow", () => {
    let deep: unknown = "x";
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(() => parseScenario({ name: "d", entry: "a", nodes: {}, metadata: { deep } })).toThrow(
      /nested more than 100 levels/,
    );
  });

  test("a getter that throws does not get out", () => {
    const data = {
      name: "g",
      entry: "a",
      get nodes(): never {
        throw new Error("gotcha");
      },
    };
    expect(() => parseScenario(data)).toThrow(DefinitionError);
  });

  test("many wrong ids are refused in linear time", () => {
    const nodes = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [
        `node-${i}`,
        { question: { question: "Q", rawAnswer: "A" } },
      ]),
    );
    const edges = Array.from({ length: 20_000 }, (_, i) => ({ source: `nodde-${i}`, target: `noode-${i}` }));
    try {
      parseScenario({ name: "wrong", entry: "node-0", nodes, edges });
      expect.unreachable();
    } catch (error) {
      expect((error as DefinitionError).issues.length).toBeGreaterThan(40_000);
    }
  });
});

test("nodes keep the order of the file, also where their ids are numbers", () => {
  const yaml = `name: s
entry: start
nodes:
  start: { question: { question: Q, rawAnswer: A } }
  "10": { question: { question: Q, rawAnswer: A } }
  "2": { question: { question: Q, rawAnswer: A } }
edges:
  - { source: start, target: "10" }
  - { source: "10", target: "2" }
`;
  const [fromYaml] = parseScenarioFile(yaml);
  expect(fromYaml?.nodeIds).toEqual(["start", "10", "2"]);
  const json = scenarioToJson(fromYaml as ScenarioDefinition);
  expect(parseScenario(json).nodeIds).toEqual(["start", "10", "2"]);
  const text = scenarioToYaml(fromYaml as ScenarioDefinition);
  expect(parseScenarioFile(text)[0]?.nodeIds).toEqual(["start", "10", "2"]);
  const several = JSON.stringify({ scenarios: [json] });
  expect(parseScenarioFile(several, { filename: "s.json" })[0]?.nodeIds).toEqual(["start", "10", "2"]);
});
