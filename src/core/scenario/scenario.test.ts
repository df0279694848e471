import { describe, expect, test, vi } from "vitest";
import { anyOf } from "../logic/composition.ts";
import {
  allTurns,
  anyTurn,
  countTurns,
  lastTurn,
  measureIs,
  minOverTurns,
  resultIs,
} from "../outcomes/outcome-helpers.ts";
import { DefinitionError, formatIssue } from "../schema/format-issue.ts";
import type { Issue } from "../schema/issue.ts";
import { stateCheck } from "../state/condition.ts";
import { template } from "../templates/template.ts";
import { END, question, type ScenarioDefinition } from "./definition.ts";
import { Scenario, showWarnings } from "./scenario.ts";

const plain = question({ question: "Q?", rawAnswer: "A" });
const lettered = question({
  question: "A or B?",
  rawAnswer: "B",
  template: template({
    letter: { type: "enum", values: ["A", "B"], description: "the option chosen", truth: "B" },
    sure: { type: "boolean", description: "whether it is certain", truth: true },
  }),
});

/** Builds without the help of the compiler, as a loop or a JavaScript author would. */
// biome-ignore lint/suspicious/noExplicitAny: wrong input is what is tested here.
type Loose = any;

function issuesOf(build: (scenario: Loose) => void): readonly Issue[] {
  const scenario: Loose = new Scenario("test");
  try {
    build(scenario);
    scenario.validate();
  } catch (error) {
    if (error instanceof DefinitionError) return error.issues;
    throw error;
  }
  return [];
}

function warningsOf(build: (scenario: Loose) => void): readonly Issue[] {
  const scenario: Loose = new Scenario("test");
  build(scenario);
  return (scenario.validate() as ScenarioDefinition).warnings;
}

describe("the definition", () => {
  const build = (): Scenario => {
    const s: Scenario = new Scenario("frozen", { description: "d", metadata: { tags: ["x"] } });
    s.addNode("a", { question: lettered, stateUpdate: (accumulated) => accumulated });
    s.addEdge("a", END, { when: [{ verify_result: true }] });
    s.addEdge("a", END);
    s.addOutcome("held", allTurns({ verify_result: true }), { description: "never flipped" });
    s.setEntry("a");
    return s;
  };

  test("is deeply frozen", () => {
    const isDeeplyFrozen = (value: unknown): boolean =>
      typeof value !== "object" ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen));
    expect(isDeeplyFrozen(build().validate())).toBe(true);
  });

  test("is not touched by later calls of the builder", () => {
    const s = build();
    const before = s.validate();
    const copy = structuredClone({ ...before, nodes: Object.keys(before.nodes) });
    s.addNode("b", { question: plain });
    s.addEdge("a", "b");
    s.addOutcome("more", countTurns());
    expect({ ...before, nodes: Object.keys(before.nodes) }).toEqual(copy);
    expect(s.validate().nodeIds).toEqual(["a", "b"]);
  });

  test("keeps nodes in the order they were added, even if ids look like numbers", () => {
    const s: Scenario = new Scenario("order");
    for (const id of ["10", "2", "x", "1"]) s.addNode(id, { question: plain });
    for (const [from, to] of [
      ["10", "2"],
      ["2", "x"],
      ["x", "1"],
    ] as const)
      s.addEdge(from, to);
    s.setEntry("10");
    expect(s.validate().nodeIds).toEqual(["10", "2", "x", "1"]);
  });

  test("has a hash that does not depend on the order of keys", () => {
    const one = new Scenario("h").addNode("a", { question: { question: "Q", rawAnswer: "A" } }).setEntry("a");
    const two = new Scenario("h").addNode("a", { question: { rawAnswer: "A", question: "Q" } }).setEntry("a");
    expect(one.validate().hash).toBe(two.validate().hash);
    expect(one.validate().hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test("has another hash for any other content", () => {
    const hash = (change: (s: Scenario) => void): string => {
      const s = build();
      change(s);
      return s.validate().hash;
    };
    const hashes = [
      hash(() => {}),
      hash((s) => s.addOutcome("more", countTurns())),
      hash((s) => s.addEdge("a", END)),
      hash((s) => s.addEdge("a", END, { when: () => true })),
      hash((s) => s.addEdge("a", END, { when: () => false })),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test("the hash is part of what is serialised", () => {
    const definition = build().validate();
    expect(JSON.parse(JSON.stringify(definition)).hash).toBe(definition.hash);
    expect({ ...definition }.hash).toBe(definition.hash);
  });
});

describe("issues", () => {
  const graph = (s: Loose): void => {
    s.addNode("ask", { question: lettered }).addNode("push", { question: plain });
    s.addEdge("ask", "push").addEdge("push", END).setEntry("ask");
  };
  const when =
    (condition: unknown) =>
    (s: Loose): void => {
      graph(s);
      s.addEdge("ask", END, { when: condition });
    };
  const outcome =
    (check: unknown) =>
    (s: Loose): void => {
      graph(s);
      s.addOutcome("o", check);
    };

  /** Sentences, or where their code is tested already, `code at path`. */
  const expectIssues = (build: (s: Loose) => void, expected: readonly string[]): void => {
    const found = issuesOf(build).map((issue, index) => {
      const at = `${issue.code} at ${issue.path.join(".")}`;
      return at === expected[index] ? at : formatIssue(issue);
    });
    expect(found).toEqual(expected);
  };

  test.each<[string, (s: Loose) => void, string[]]>([
    [
      "nothing at all",
      (s) => s.addEdge("a", "b"),
      [
        "nodes: The scenario has no nodes; add at least one.",
        "The scenario has no entry; name the node where conversations start.",
      ],
    ],
    ["no entry", (s) => s.addNode("a", { question: plain }), ["no_entry at "]],
    [
      "unknown target",
      (s) => {
        graph(s);
        s.addEdge("push", "psuh", { when: { turn: 1 } });
      },
      [`edges[2].target: The target of an edge names "psuh", which is not a node. Did you mean "push"?`],
    ],
    [
      "unknown source",
      (s) => {
        graph(s);
        s.addEdge("nowhere", "push");
      },
      ["unknown_node at edges.2.source"],
    ],
    [
      "unreachable",
      (s) => {
        graph(s);
        s.addNode("lost", { question: plain });
      },
      [`nodes.lost: Node "lost" cannot be reached from the entry "ask"; add an edge to it or remove it.`],
    ],
    [
      "no fallback",
      (s) =>
        s
          .addNode("a", { question: lettered })
          .addEdge("a", END, { when: { verify_result: true } })
          .setEntry("a"),
      [`edges[0]: Node "a" has conditional edges but no fallback; add an edge without "when".`],
    ],
    [
      "duplicate outcome",
      (s) => {
        graph(s);
        s.addOutcome("o", countTurns()).addOutcome("o", countTurns());
      },
      [`outcomes[1].name: Outcome "o" already exists.`],
    ],
    ["no options", (s) => s.addNode("a").setEntry("a"), ["wrong_type at nodes.a"]],
    [
      "missing answer",
      (s) => s.addNode("a", { question: { question: "Q" } }).setEntry("a"),
      [`nodes.a.question: A question needs "rawAnswer".`],
    ],
    [
      "misspelt key is one issue",
      (s) => s.addNode("a", { question: { question: "Q", rawAnwser: "A" } }).setEntry("a"),
      ["unknown_key at nodes.a.question.rawAnwser"],
    ],
    [
      "empty question",
      (s) => s.addNode("a", { question: { question: " ", rawAnswer: "A" } }).setEntry("a"),
      ["nodes.a.question.question: This must not be empty."],
    ],
    ["id that is no text", (s) => s.addNode(5, { question: plain }).setEntry("5"), ["wrong_type at nodes.5"]],
    [
      "unknown handover",
      (s) => {
        graph(s);
        s.addEdge("push", END, { handover: "transcript_prepnd" });
      },
      ["unknown_value at edges.2.handover"],
    ],
    [
      "cyclic data",
      (s) => {
        const metadata: Loose = {};
        metadata.self = metadata;
        s.addNode("a", { question: plain, metadata }).setEntry("a");
      },
      ["nodes.a.metadata.self: This value contains itself."],
    ],
    [
      "something that is no data",
      (s) => s.addNode("a", { question: plain, metadata: { when: new Date(0) } }).setEntry("a"),
      ["nodes.a.metadata.when: Expected plain data, got Date."],
    ],
    [
      "empty name",
      (s) => {
        graph(s);
        (s as { name: string }).name = "";
      },
      ["empty_value at name"],
    ],
    [
      "unknown field in verify",
      (s) =>
        s
          .addNode("a", {
            question: {
              ...lettered,
              template: { ...lettered.template, verify: { type: "field", field: "x" } },
            },
          })
          .setEntry("a"),
      ["invalid_parameter at nodes.a.question.template.verify"],
    ],
    [
      "trait twice",
      (s) =>
        s
          .addNode("a", {
            question: plain,
            rubric: {
              traits: [
                { type: "regex", name: "t", pattern: "a" },
                { type: "regex", name: "t", pattern: "b" },
              ],
            },
          })
          .setEntry("a"),
      [`nodes.a.rubric.traits: Trait "t" already exists here.`],
    ],
  ])("%s", (_name, build, expected) => expectIssues(build, expected));

  test.each<[condition: unknown, issue: string]>([
    [{}, `edges[2].when: The condition is empty; leave out "when" for a fallback.`],
    [[], "empty_condition at edges.2.when"],
    [[{}], "empty_condition at edges.2.when.0"],
    [
      { turn: 1, verify_result: true },
      "edges[2].when: Expected one key, got 2; write a list with one object for each.",
    ],
    [{ anyOf: [{ turn: 1 }, { verify_result: true }] }, "invalid_parameter at edges.2.when.anyOf"],
    [
      { type: "not", condition: { not: { verify_result: true } } },
      "invalid_parameter at edges.2.when.condition.not",
    ],
    [true, "edges[2].when: Expected a condition such as { verify_result: true }, got true."],
    [{ turn: { gtee: 1 } }, `edges[2].when.turn.gtee: A comparison has no "gtee". Did you mean "gte"?`],
    [{ turn: { gte: "1" } }, "wrong_type at edges.2.when.turn.gte"],
    [5, "wrong_type at edges.2.when"],
    [
      "verify_result",
      `edges[2].when: "verify_result" is not the source of a function; write something like { verify_result: true }, or "(accumulated, parsed) => …".`,
    ],
    [
      { verify_resul: true },
      expect.stringMatching(
        /"verify_resul" is not a path of the state: .* Did you mean "verify_result"\?$/,
      ) as never,
    ],
    [{ "node_vists.ask": 1 }, "unknown_path at edges.2.when.node_vists.ask"],
    [{ "node_visits.aks": { gte: 2 } }, "unknown_node at edges.2.when.node_visits.aks"],
    [
      { "parsed.leter": "A" },
      `edges[2].when["parsed.leter"]: The template of node "ask" has no field "leter". Did you mean "letter"?`,
    ],
    [{ "parsed.zzz": "A" }, "unknown_field at edges.2.when.parsed.zzz"],
    [
      anyOf({ turn: 1 }, { "node_results.ask.parsed.lettr": "A" }),
      "unknown_field at edges.2.when.conditions.1.node_results.ask.parsed.lettr",
    ],
    [
      stateCheck({ field: "turn", verifyWith: { type: "numeric_rang" } as never }),
      expect.stringMatching(
        /^edges\[2\]\.when\.verifyWith\.type: "numeric_rang" is not one of .* Did you mean "numeric_range"\?$/,
      ) as never,
    ],
    [
      stateCheck({ field: "turn", verifyWith: { type: "numeric_graded", cutoff: 0 } }),
      "wrong_type at edges.2.when.verifyWith.cutoff",
    ],
    [
      stateCheck({ field: "parsed.letter", verifyWith: { type: "regex_match", pattern: "(a" } }),
      expect.stringMatching(
        /^edges\[2\]\.when\.verifyWith\.pattern: The pattern "\(a" is not usable/,
      ) as never,
    ],
    [
      stateCheck({ field: "turn", verifyWith: { type: "numeric_range", min: 3, max: 1 } }),
      "invalid_parameter at edges.2.when.verifyWith.min",
    ],
    [
      stateCheck({
        field: "parsed.letter",
        expected: "A",
        verifyWith: { type: "exact_match", normalize: ["lowercas" as never] },
      }),
      "unknown_value at edges.2.when.verifyWith.normalize.0",
    ],
  ])("the condition %j: %s", (condition, issue) => expectIssues(when(condition), [issue]));

  test.each<[check: unknown, issue: string]>([
    [anyTurn({ verify_result: true }, { node: "psh" }), "unknown_node at outcomes.0.check.scope.node"],
    [lastTurn({ verdict: true }), "unknown_path at outcomes.0.check.field"],
    [lastTurn({ "parsed.leter": "A" }), "unknown_path at outcomes.0.check.field"],
    [lastTurn({ "parsed.town": "A" }), "unknown_path at outcomes.0.check.field"],
    [(async () => true) as never, "invalid_parameter at outcomes.0.check"],
    [anyTurn({ "parsed.leter": "A" }, { node: "ask" }), "unknown_field at outcomes.0.check.field"],
    [anyTurn({ score: true }), "wrong_type at outcomes.0.check.expected"],
    [resultIs("turn_cont", 3), "unknown_path at outcomes.0.check.field"],
    [{ type: "turn_chek" }, "unknown_value at outcomes.0.check.type"],
    [anyOf(countTurns()), "unknown_value at outcomes.0.check.conditions.0.type"],
    [
      measureIs(minOverTurns("parsed.letter", { node: "x" }), "gte", 1),
      "unknown_node at outcomes.0.check.measure.node",
    ],
    [5, "wrong_type at outcomes.0.check"],
  ])("the outcome %j: %s", (check, issue) => expectIssues(outcome(check), [issue]));

  test.each(["__end__", "END", "__proto__", "constructor", "prototype"])("%s is a reserved id", (id) => {
    expect(issuesOf((s) => s.addNode(id, { question: plain }).setEntry(id))).toMatchObject([
      { code: "reserved_id", id },
    ]);
  });

  test.each(["__user__", { name: "__user__" }])("%j cannot be an agent", (agentIdentity) => {
    expect(issuesOf((s) => s.addNode("a", { question: plain, agentIdentity }).setEntry("a"))).toMatchObject([
      { code: "reserved_id", id: "__user__", path: ["nodes", "a", "agentIdentity"] },
    ]);
  });

  test.each(["", "a.b", " a", "a\n", "a\u0000b"])("%j cannot be an id", (id) => {
    expect(issuesOf((s) => s.addNode(id, { question: plain }).setEntry(id))).toMatchObject([
      { code: "invalid_id", id },
    ]);
  });

  test.each(["__proto__", "constructor"])("%s is a reserved name of a field", (name) => {
    const fields = JSON.parse(`{ "${name}": { "type": "boolean", "description": "", "truth": true } }`);
    const issues = issuesOf((s) =>
      s.addNode("a", { question: { ...plain, template: { fields } } }).setEntry("a"),
    );
    expect(issues).toMatchObject([{ code: "reserved_id", id: name }]);
  });

  test("a duplicate node is refused at once", () => {
    const issues = issuesOf((s) => s.addNode("a", { question: plain }).addNode("a", { question: plain }));
    expect(issues.map(formatIssue)).toEqual([`nodes.a: Node "a" already exists.`]);
  });

  test("all issues are thrown at once, and the message lists the first of many", () => {
    const many = (s: Loose): void => {
      s.addNode("a", { question: plain }).setEntry("a");
      for (let i = 0; i < 30; i++) s.addEdge("a", `x${i}`);
    };
    expect(issuesOf(many)).toHaveLength(30);
    const scenario = new Scenario("many");
    many(scenario);
    expect(() => scenario.validate()).toThrow(
      /^Scenario "many" has 30 issues:\n(?: {2}- .*\n){20} {2}… and 10 more$/,
    );
  });
});

describe("warnings", () => {
  const base = (s: Loose): Loose =>
    s
      .addNode("a", { question: lettered })
      .addNode("b", { question: plain })
      .addEdge("a", "b")
      .addEdge("b", END)
      .setEntry("a");
  const on =
    (source: string, condition: unknown) =>
    (s: Loose): void =>
      base(s).addEdge(source, END, { when: condition });

  test.each<[string, (s: Loose) => void, string[]]>([
    ["nothing wrong", base, []],
    [
      "verdict without a template",
      on("b", { verify_result: true }),
      [
        `edges[2].when.verify_result: "verify_result" is always null here: node "b" has no template that verifies.`,
      ],
    ],
    [
      "field without a template",
      on("b", { "parsed.x": 1 }),
      [`edges[2].when["parsed.x"]: "parsed.x" is always null here: node "b" has no template that verifies.`],
    ],
    [
      "past verdict without a template",
      on("a", { "node_results.b.verify_result": true }),
      [
        `edges[2].when["node_results.b.verify_result"]: "node_results.b.verify_result" is always null here: node "b" has no template that verifies.`,
      ],
    ],
    [
      "outcome on a verdict without a template",
      (s) => base(s).addOutcome("o", allTurns({ verify_result: true }, { node: "b" })),
      [expect.stringContaining(`node "b" has no template`) as never],
    ],
    [
      "unknown trait",
      on("a", { "node_results.a.rubric.tone": 3 }),
      [
        `edges[2].when["node_results.a.rubric.tone"]: No rubric of this scenario has the trait "tone"; the run must bring it.`,
      ],
    ],
    ["possible after all", on("a", { "parsed.letter": "a" }), []],
    ["null of an enum", on("a", { "parsed.letter": null }), []],
    ["source string", on("a", "() => true"), []],
    [
      "state update as text",
      (s) =>
        base(s)
          .addNode("c", { question: plain, stateUpdate: "(a) => a" })
          .addEdge("a", "c", { when: { turn: 1 } }),
      [],
    ],
  ])("%s", (_name, build, sentences) => {
    expect(warningsOf(build).map(formatIssue)).toEqual(sentences);
  });

  test.each<[condition: unknown, why: string]>([
    [{ turn: 0 }, "turn is always a whole number from 1 on"],
    [{ turn: { lt: 1 } }, "turn is always a whole number from 1 on"],
    [{ "node_visits.a": 1.5 }, "node_visits.a is always a whole number from 1 on"],
    [{ "node_visits.a": { lt: 1 } }, "node_visits.a is always a whole number from 1 on"],
    [
      { "parsed.letter.first": "A" },
      "parsed.letter.first is always null, because a value of type enum has no parts",
    ],
    [{ "parsed.letter": { in: ["C", "D"] } }, `parsed.letter is always one of "A", "B"`],
    [{ "parsed.letter": "C" }, `parsed.letter is always one of "A", "B"`],
    [{ type: "state_check", field: "parsed.sure", expected: 3 }, "parsed.sure is always of type boolean"],
    [
      [{ verify_result: true }, { verify_result: false }],
      "verify_result = true and verify_result = false exclude each other",
    ],
    [anyOf(), "1 of its parts must hold, but only 0 can"],
    [{ current_node: "b" }, `current_node is always "a"`],
  ])("%j can never hold: %s", (condition, why) => {
    const sentence = `edges[2].when: This condition can never hold: ${why}.`;
    expect(warningsOf(on("a", condition)).map(formatIssue)).toEqual([sentence]);
  });

  test.each<[string, unknown, string]>([
    [
      "a verdict is no text",
      { verify_result: "yes" },
      'when.verify_result: Expected true or false, got the text "yes".',
    ],
    [
      "nor in a list",
      [{ verify_result: "no" }],
      'when[0].verify_result: Expected true or false, got the text "no".',
    ],
    [
      "a field by its type",
      { "parsed.sure": 3 },
      'when["parsed.sure"]: Expected true or false, got the number 3.',
    ],
    ["an operand", { "parsed.sure": { ne: "yes" } }, "Expected true or false, got the text"],
    ["a bound", { "parsed.sure": { gte: 1 } }, "Expected true or false, got a comparison of numbers."],
    ["a turn", { turn: "two" }, 'when.turn: Expected a number, got the text "two".'],
    ["a past node", { "node_results.a.verify_result": 1 }, "Expected true or false, got the number 1."],
  ])("a value of the wrong type is an issue: %s", (_name, condition, sentence) => {
    expect(() => warningsOf(on("a", condition))).toThrow(sentence);
  });

  test("an outcome compares a verdict with true or false", () => {
    const check = {
      type: "turn_check",
      scope: { type: "last_turn" },
      field: "verify_result",
      expected: "yes",
    };
    expect(() => warningsOf((s) => base(s).addOutcome("o", check as never))).toThrow(
      'outcomes[0].check.expected: Expected true or false, got the text "yes".',
    );
  });
});

test("a warning is shown once", () => {
  const emit = vi.fn();
  showWarnings(emit);
  const build = (): unknown =>
    new Scenario("warned")
      .addNode("a", { question: plain })
      .addEdge("a", END)
      .addEdge("a", "a")
      .setEntry("a")
      .validate();
  build();
  build();
  expect(emit.mock.calls).toEqual([
    [expect.stringMatching(/^Scenario "warned": edges\[1\]: .*several unconditional edges/)],
  ]);
});

describe("when an outcome applies", () => {
  const withWhen = (...whens: unknown[]): void => {
    const scenario: Loose = new Scenario("applies") as never;
    scenario.addNode("a", { question: lettered }).addEdge("a", END).setEntry("a");
    for (const [index, when] of whens.entries())
      scenario.addOutcome(
        `o${index}`,
        allTurns({ verify_result: true }),
        (when === null ? {} : { when }) as never,
      );
    scenario.validate();
  };
  test("names outcomes that are there, and not itself", () => {
    expect(() => withWhen(null, "o0", { type: "not", condition: "o1" })).not.toThrow();
    expect(() => withWhen(null, "oo")).toThrow(
      'outcomes[1].when: There is no outcome "oo". Did you mean "o0"?',
    );
    expect(() => withWhen("o1", "o0")).toThrow(
      "outcomes[0].when: Whether it applies depends on the outcome itself.",
    );
  });
});
