import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/property-runs.ts";
import { type Condition, compileWhen, type When } from "../state/condition.ts";
import { compileCondition } from "../state/condition-test.ts";
import { INITIAL_STATE, type ScenarioState } from "../state/state.ts";
import { template } from "../templates/template.ts";
import { canHold } from "./condition-logic.ts";
import { END, question } from "./definition.ts";
import { Scenario } from "./scenario.ts";

const description = "a field";
const definition = new Scenario("logic")
  .addNode("ask", {
    question: question({
      question: "?",
      rawAnswer: "",
      template: template({
        n: { type: "number", description, truth: 3 },
        i: { type: "integer", description, truth: 3 },
        b: { type: "boolean", description, truth: true },
        e: { type: "enum", values: ["x", "y"], description, truth: "x" },
        s: { type: "string", description, truth: "x" },
      }),
    }),
  })
  .addEdge("ask", END)
  .setEntry("ask")
  .validate();
const place = { source: "ask", fields: (id: string) => definition.nodes[id]?.question.template?.fields };

const condition = (when: unknown): Condition => compileWhen(when as When) as Condition;
const holds = (...all: readonly unknown[]): boolean => canHold({ all: all.map(condition) }, place);
const escapes = (when: unknown, ...earlier: readonly unknown[]): boolean =>
  canHold({ all: [condition(when)], none: earlier.map(condition) }, place);

describe("what cannot hold", () => {
  test.each([
    ["numbers", [{ turn: { lt: 3 } }, { turn: { gt: 5 } }], false],
    ["whole numbers have nothing in between", { "node_visits.ask": { gt: 1, lt: 2 } }, false],
    ["other numbers have", { "parsed.n": { gt: 1, lt: 2 } }, true],
    ["a field that is whole has not", { "parsed.i": { gt: 1, lt: 2 } }, false],
    ["a node that was asked was visited", { "node_visits.ask": { lt: 1 } }, false],
    ["another one need not be", { "node_visits.other": { lt: 1 } }, true],
    [
      "values of an enum",
      [{ "parsed.e": { ne: "x" } }, { "parsed.e": { ne: "y" } }, { "parsed.e": { ne: null } }],
      false,
    ],
    [
      "the last result of the node is the turn's",
      [{ verify_result: true }, { "node_results.ask.verify_result": false }],
      false,
    ],
    ["code may answer anything", "(accumulated) => accumulated.x", true],
    ["texts have other values", [{ "parsed.s": { ne: "x" } }, { "parsed.s": { ne: "y" } }], true],
  ])("%s", (_, when, possible) => {
    expect(holds(when)).toBe(possible);
  });
});

describe("what an earlier condition takes", () => {
  test.each([
    ["a narrower one", { turn: { gte: 5 } }, [{ turn: { gte: 3 } }], false],
    ["a wider one is left", { turn: { gte: 3 } }, [{ turn: { gte: 5 } }], true],
    [
      "both verdicts, and neither",
      { "node_visits.ask": { lt: 3 } },
      [{ verify_result: true }, { verify_result: false }, { verify_result: null }],
      false,
    ],
    [
      "unreadable replies are left",
      { "node_visits.ask": { lt: 3 } },
      [{ verify_result: true }, { verify_result: false }],
      true,
    ],
    ["the same code", "(accumulated) => accumulated.x", ["(accumulated) => accumulated.x"], false],
    ["other code", "(accumulated) => accumulated.x", ["(accumulated) => accumulated.y"], true],
    [
      "what cannot be compared does not match",
      { "parsed.n": null },
      [{ "parsed.n": { lt: 3 } }, { "parsed.n": { gte: 3 } }],
      true,
    ],
  ])("%s", (_, when, earlier, possible) => {
    expect(escapes(when, ...earlier)).toBe(possible);
  });

  test("too many combinations are not tried", () => {
    const many = Array.from({ length: 12 }, (_, index) => ({ [`accumulated.k${index}`]: true }));
    expect(holds([...many, { turn: { lt: 3 } }, { turn: { gt: 5 } }])).toBe(true);
  });
});

/** Conditions over few paths and values, so that random states often meet them. */
const leaf = fc.oneof(
  fc.record({ verify_result: fc.constantFrom(true, false, null) }),
  fc.record({ "node_results.ask.verify_result": fc.constantFrom(true, false) }),
  fc.record({ turn: fc.oneof(fc.nat(4), operators(4)) }),
  fc.record({ "node_visits.ask": operators(3) }),
  fc.record({ "parsed.n": fc.oneof(fc.nat(3), operators(3), fc.constant(null)) }),
  fc.record({ "parsed.i": fc.oneof(fc.nat(3), operators(3)) }),
  fc.record({ "parsed.b": fc.boolean() }),
  fc.record({
    "parsed.e": fc.oneof(fc.constantFrom("x", "y"), fc.record({ ne: fc.constantFrom("x", "y") })),
  }),
  fc.record({
    "parsed.s": fc.oneof(
      fc.constantFrom("x", "y", "3"),
      fc.record({ in: fc.constant(["x", "z"]) }),
      operators(3),
    ),
  }),
  fc.record({ "accumulated.a": fc.oneof(fc.constantFrom("x", true, 2, null), operators(3)) }),
);

function operators(most: number) {
  return fc
    .record(
      { gte: fc.nat(most), gt: fc.nat(most), lte: fc.nat(most), lt: fc.nat(most) },
      { requiredKeys: [] },
    )
    .filter((value) => Object.keys(value).length > 0);
}

const { when } = fc.letrec<{ when: unknown }>((tie) => ({
  when: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.record({
      type: fc.constant("all_of"),
      conditions: fc.array(tie("when"), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      type: fc.constant("any_of"),
      conditions: fc.array(tie("when"), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ type: fc.constant("not"), condition: tie("when") }),
  ),
}));

const state: fc.Arbitrary<ScenarioState> = fc
  .record({
    verdict: fc.constantFrom(true, false, null),
    turn: fc.integer({ min: 1, max: 5 }),
    visits: fc.integer({ min: 1, max: 5 }),
    parsed: fc.record({
      n: fc.option(fc.constantFrom(-1, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4)),
      i: fc.option(fc.integer({ min: -1, max: 4 })),
      b: fc.option(fc.boolean()),
      e: fc.option(fc.constantFrom("x", "y")),
      s: fc.option(fc.constantFrom("x", "y", "z", "2", "3", "other")),
    }),
    a: fc.constantFrom("x", "y", true, false, 0, 1.5, 2, 3, null),
  })
  .map(({ verdict, turn, visits, parsed, a }) => ({
    ...INITIAL_STATE,
    turn,
    currentNode: "ask",
    verifyResult: verdict,
    parsed,
    accumulated: { a },
    nodeVisits: { ask: visits },
    nodeResults: { ask: { verifyResult: verdict, parsed, rubric: {} } },
  }));

test("what is said to be impossible happens in no state", () => {
  let impossible = 0;
  fc.assert(
    fc.property(
      when,
      fc.array(when, { maxLength: 2 }),
      fc.array(state, { minLength: 10, maxLength: 10 }),
      (one, earlier, states) => {
        if (escapes(one, ...earlier)) return;
        impossible++;
        const [tested, ...others] = [one, ...earlier].map((part) => compileCondition(condition(part)));
        for (const met of states)
          expect(tested?.(met).truth === true && others.every((other) => other(met).truth !== true)).toBe(
            false,
          );
      },
    ),
    { numRuns: propertyRuns(800), seed: 16 },
  );
  expect(impossible).toBeGreaterThan(60);
});

test("what a state shows to be possible is said to be possible", () => {
  fc.assert(
    fc.property(when, fc.array(when, { maxLength: 2 }), state, (one, earlier, met) => {
      const [tested, ...others] = [one, ...earlier].map((part) => compileCondition(condition(part)));
      if (tested?.(met).truth !== true || others.some((other) => other(met).truth === true)) return;
      expect(escapes(one, ...earlier)).toBe(true);
    }),
    { numRuns: propertyRuns(3_000), seed: 17 },
  );
});
