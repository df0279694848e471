import { expect, test } from "vitest";
import { anyOf, not } from "../logic/composition.ts";
import { field, template } from "../templates/template.ts";
import { END, type ScenarioDefinition } from "./definition.ts";
import { routedOn } from "./routed-on.ts";
import { Scenario } from "./scenario.ts";

const x = { type: "boolean", description: "d", truth: true } as const;
const question = {
  question: "Q",
  rawAnswer: "A",
  template: template({ a: x, b: x, c: x }, { verify: anyOf(field("a"), not(field("b"))) }),
};
const rubric = { traits: [{ type: "regex", name: "tone", pattern: "x" }] } as const;

function needs(build: (s: Scenario) => void): Record<string, unknown> {
  const s: Scenario = new Scenario("s");
  s.addNode("ask", { question, rubric });
  s.addNode("push", { question });
  s.addEdge("ask", "push");
  s.addEdge("push", END);
  build(s);
  s.setEntry("ask");
  const definition: ScenarioDefinition = s.validate();
  return Object.fromEntries(
    [...routedOn(definition)].map(([id, { verdict, refused, fields, traits }]) => [
      id,
      [verdict, refused, [...fields].sort().join(""), [...traits].join()],
    ]),
  );
}

test.each<[string, (s: Scenario) => void, unknown, unknown]>([
  ["nothing", () => {}, [false, false, "", ""], [false, false, "", ""]],
  [
    "the verdict needs the fields that decide it",
    (s) => s.addEdge("ask", END, { when: { verify_result: true } }),
    [true, false, "ab", ""],
    [false, false, "", ""],
  ],
  [
    "one field",
    (s) => s.addEdge("ask", END, { when: { "parsed.c": true } }),
    [false, false, "c", ""],
    [false, false, "", ""],
  ],
  [
    "a past node",
    (s) => s.addEdge("push", "ask", { when: not({ "node_results.ask.parsed.b": true }) }),
    [false, false, "b", ""],
    [false, false, "", ""],
  ],
  [
    "a trait",
    (s) => s.addEdge("push", "ask", { when: { "node_results.ask.rubric.tone": true } }),
    [false, false, "", "tone"],
    [false, false, "", ""],
  ],
  [
    "all of a past node",
    (s) =>
      s.addEdge("push", "ask", {
        when: {
          type: "state_check",
          field: "node_results.ask",
          expected: {},
          verifyWith: { type: "literal_match" },
        },
      }),
    [true, true, "abc", "tone"],
    [false, false, "", ""],
  ],
  [
    "all of all nodes",
    (s) => s.addEdge("push", "ask", { when: { node_results: null } as never }),
    [true, true, "abc", "tone"],
    [true, true, "abc", ""],
  ],
  [
    "a refusal",
    (s) => s.addEdge("push", "ask", { when: { refused: true } }),
    [false, false, "", ""],
    [false, true, "", ""],
  ],
  [
    "counters need nothing",
    (s) => s.addEdge("push", "ask", { when: { turn: { lt: 5 } } }),
    [false, false, "", ""],
    [false, false, "", ""],
  ],
  [
    "code may look at anything",
    (s) => s.addEdge("push", "ask", { when: () => false }),
    [true, true, "abc", "tone"],
    [true, true, "abc", ""],
  ],
])("%s", (_name, build, ask, push) => {
  expect(needs(build)).toEqual({ ask, push });
});

test("a state update needs everything, if what it computes is routed on", () => {
  const updating =
    (routes: boolean) =>
    (s: Scenario): void => {
      s.addNode("count", { question, stateUpdate: (accumulated) => ({ ...accumulated, n: 1 }) });
      s.addEdge("ask", "count", { when: routes ? { "accumulated.n": 1 } : { turn: 1 } });
    };
  expect(needs(updating(true)).count).toEqual([true, true, "abc", ""]);
  expect(needs(updating(false)).count).toEqual([false, false, "", ""]);
});
