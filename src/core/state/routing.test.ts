import fc from "fast-check";
import { describe, expect, test } from "vitest";
import golden from "../../../test/golden/routing.json" with { type: "json" };
import { numericTolerance } from "../checks/check-factories.ts";
import { allOf, anyOf, atLeastN, not } from "../logic/composition.ts";
import { stateCheck, type When } from "./condition.ts";
import { failedConditions, type RoutingEdge, resolveNextNode } from "./routing.ts";
import { INITIAL_STATE, type ScenarioState } from "./state.ts";

const state: ScenarioState = { ...golden.state, turns: [] };

function route(when: unknown, at: ScenarioState = state): ReturnType<typeof resolveNextNode> {
  return resolveNextNode(
    [
      { source: "b", target: "hit", when },
      { source: "b", target: "__end__" },
    ],
    at,
  );
}

describe("golden conditions", () => {
  test.each(golden.when)("$when", ({ when, goesTo, evaluable }) => {
    const decision = route(when);
    expect(decision.target).toBe(goesTo);
    expect(decision.tested[0]?.evaluable).toBe(evaluable);
  });
});

describe("forms of when", () => {
  const throwing = (): boolean => {
    throw new Error("no idea");
  };
  test.each<[string, When, string, boolean]>([
    ["function", (_accumulated, parsed: { n: number }) => parsed.n === 3, "hit", true],
    ["function that sees the state", (_accumulated, _parsed, { turn }) => turn === 2, "hit", true],
    ["function that says no", () => false, "__end__", true],
    ["function that throws", throwing, "__end__", false],
    ["function that answers later", (async () => true) as unknown as When, "__end__", false],
    ["source string", "() => true", "__end__", false],
    [
      "state check",
      stateCheck({ field: "parsed.n", expected: 3.1, verifyWith: numericTolerance({ tolerance: 0.1 }) }),
      "hit",
      true,
    ],
    ["all of", allOf({ verify_result: false }, { turn: { gte: 2 } }), "hit", true],
    ["any of", anyOf({ verify_result: true }, { turn: 2 }), "hit", true],
    ["at least", atLeastN(2, { verify_result: true }, { turn: 2 }, { "parsed.n": 3 }), "hit", true],
    ["not", not({ verify_result: true }), "hit", true],
    ["not of what cannot be evaluated", not({ "parsed.missing": { gte: 1 } }), "__end__", false],
    [
      "all of with a false part",
      allOf({ "parsed.missing": { gte: 1 } }, { verify_result: true }),
      "__end__",
      true,
    ],
    [
      "any of with a true part",
      anyOf({ "parsed.missing": { gte: 1 } }, { verify_result: false }),
      "hit",
      true,
    ],
    ["not equal", { "parsed.drug": { ne: "aspirin" } }, "hit", true],
    ["one of", { "parsed.drug": { in: ["aspirin", "VENETOCLAX"] } }, "hit", true],
    ["contains", { "parsed.drug": { contains: "neto" } }, "hit", true],
    ["contains in a list", { "parsed.tags": { contains: ["a"] } }, "hit", true],
    ["does not contain", { "parsed.drug": { contains: "xyz" } }, "__end__", true],
    ["a range", { "parsed.n": { gt: 2, lte: 3 } }, "hit", true],
    ["a list", { "parsed.tags": ["b", "a"] }, "hit", true],
  ])("%s", (_name, when, target, evaluable) => {
    const decision = route(when);
    expect(decision.target).toBe(target);
    expect(decision.tested).toMatchObject([{ edge: 0, matched: target === "hit", evaluable }]);
    expect(decision.fallback).toBe(target !== "hit");
  });

  test.each([5, "text", true, {}, [], { a: 1, b: 2 }, { turn: { foo: 1 } }, [[]], { type: "nope" }])(
    "what is no condition never matches and says why: %j",
    (when) => {
      expect(route(when)).toMatchObject({
        target: "__end__",
        tested: [{ matched: false, evaluable: false }],
      });
      expect(route(when).tested[0]?.reason).toContain("is not a condition");
    },
  );
});

describe("the decision explains itself", () => {
  test.each<[When, string, unknown]>([
    [{ verify_result: true }, "needs verify_result = true", false],
    [{ "parsed.n": { gte: 4 } }, "needs parsed.n ≥ 4", 3],
    [[{ verify_result: false }, { "node_visits.b": { gte: 3 } }], "needs node_visits.b ≥ 3", 1],
    [anyOf({ turn: 1 }, { turn: 5 }), "needs turn = 1 or turn = 5", null],
    [{ "parsed.missing": 3 }, "needs parsed.missing = 3, which cannot be evaluated", null],
    [not({ verify_result: false }), "needs verify_result ≠ false", null],
  ])("%j", (when, reason, actual) => {
    const [tested] = route(when).tested;
    expect(tested?.reason).toContain(reason);
    expect(tested?.actual).toEqual(actual);
  });

  test("it is data", () => {
    const decision = route([{ verify_result: true }]);
    expect(JSON.parse(JSON.stringify(decision))).toEqual(decision);
  });
});

describe("which edges count", () => {
  const edges: RoutingEdge[] = [
    { source: "a", target: "b" },
    { source: "b", target: "c", when: { verify_result: false } },
    { source: "b", target: "__end__" },
  ];

  test("of a whole graph, those that leave the current node", () => {
    expect(resolveNextNode(edges, state)).toMatchObject({ target: "c", edge: 1 });
    expect(resolveNextNode(edges, { ...state, currentNode: "a" })).toMatchObject({
      target: "b",
      edge: 0,
      fallback: true,
    });
  });

  test("no out-edges end the conversation", () => {
    const over = { target: null, edge: null, fallback: false, tested: [] };
    expect(resolveNextNode(edges, { ...state, currentNode: "c" })).toEqual(over);
    expect(resolveNextNode([], state)).toEqual(over);
  });

  test("a frozen list is a definition's: its edges never serve another node", () => {
    const frozen = Object.freeze([{ source: "a", target: "b" }]);
    expect(resolveNextNode(frozen, { ...INITIAL_STATE, currentNode: "b" }).target).toBe(null);
    expect(resolveNextNode(frozen, { ...INITIAL_STATE, currentNode: "a" }).target).toBe("b");
  });
});

test("contains finds a text in a text and among the items of a list", () => {
  const goesTo = (x: unknown): unknown =>
    resolveNextNode(
      [
        { source: "p", target: "found", when: { "accumulated.x": { contains: "a" } } },
        { source: "p", target: "missing" },
      ],
      { ...INITIAL_STATE, currentNode: "p", accumulated: { x } },
    ).target;
  expect(goesTo("bar")).toBe("found");
  expect(goesTo(["a", "b"])).toBe("found");
  expect(goesTo(["bar"])).toBe("missing");
  expect(goesTo([])).toBe("missing");
});

test("for random edges and states: the first match, else the first unconditional edge, else the end", () => {
  const when = fc.oneof(
    fc.constant(undefined),
    fc.record({ verify_result: fc.constantFrom(true, false, null) }),
    fc.record({ turn: fc.record({ gte: fc.integer({ min: 0, max: 5 }) }) }),
    fc.record({ "accumulated.x": fc.constantFrom<unknown>("a", 1, null, true) }),
  );
  const edge = fc.record({ source: fc.constantFrom("p", "q"), target: fc.constantFrom("x", "y", "z"), when });
  const anyState = fc.record({
    currentNode: fc.constantFrom("p", "q", "r"),
    turn: fc.integer({ min: 1, max: 6 }),
    verifyResult: fc.constantFrom(true, false, null),
    x: fc.constantFrom<unknown>("A ", 1, "1", null, true, []),
  });
  /** The rules of routing in the plainest words, for values that these conditions can have. */
  const holds = (
    condition: unknown,
    { verifyResult, turn, x }: { verifyResult: unknown; turn: number; x: unknown },
  ): boolean => {
    const entry = Object.entries(condition as object)[0] as [string, unknown];
    if (entry[0] === "verify_result") return verifyResult === entry[1];
    if (entry[0] === "turn") return turn >= (entry[1] as { gte: number }).gte;
    if (entry[1] === "a") return x === "A ";
    if (entry[1] === 1) return x === 1 || x === "1";
    return x === entry[1];
  };
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 8 }), anyState, (edges, { x, ...rest }) => {
      const at: ScenarioState = { ...INITIAL_STATE, ...rest, accumulated: { x } };
      const own = edges.filter(({ source }) => source === at.currentNode);
      const expected =
        own.find((edge) => edge.when !== undefined && holds(edge.when, { ...rest, x })) ??
        own.find((edge) => edge.when === undefined);
      const decision = resolveNextNode(Object.freeze(edges), at);
      expect(decision.target).toBe(expected?.target ?? null);
      expect(decision.edge).toBe(expected === undefined ? null : edges.indexOf(expected));
    }),
  );
});

test("only code that failed makes a failed condition, whatever its reason says", () => {
  const thrower = (): boolean => {
    throw new Error("no");
  };
  const failed = (when: unknown): readonly string[] =>
    failedConditions(route(when)).map(({ reason }) => reason);
  expect(failed(thrower)).toEqual(["the function threw: no"]);
  expect(failed(allOf(thrower))).toEqual(["the function threw: no"]);
  expect(failed(not(thrower))).toHaveLength(1);
  expect(failed(anyOf(thrower, { current_node: "b" }))).toEqual([]);
  const unknown = { "accumulated.the function threw": { lt: 3 } };
  expect(route(unknown).tested[0]).toMatchObject({ evaluable: false });
  expect(failed(unknown)).toEqual([]);
});
