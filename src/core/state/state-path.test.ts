import { describe, expect, test } from "vitest";
import golden from "../../../test/golden/routing.json" with { type: "json" };
import type { ScenarioState } from "./state.ts";
import { parseStatePath, resolvePath } from "./state-path.ts";

const state: ScenarioState = { ...golden.state, turns: [] };

describe("golden paths", () => {
  test.each(golden.paths)("$path", ({ path, value }) => {
    expect(resolvePath(path, state)).toEqual(value);
  });
});

describe("resolvePath", () => {
  test.each([
    ["parsed", state.parsed],
    ["parsed.a.b", 1],
    ["parsed.opt", null],
    ["parsed.tags.1", "b"],
    ["parsed.drug.length", null],
    ["accumulated.deep.x", 1],
    ["accumulated.deep.x.y", null],
    ["node_visits.a", 1],
    ["node_visits.never", 0],
    ["node_visits", { a: 1, b: 1 }],
    ["node_results.a.parsed.o.k", 1],
    ["node_results.a.rubric.tone", 4],
    ["node_results.a.verify_result", true],
    ["node_results.q.parsed.x", null],
    ["turn.x", null],
    ["nonsense", null],
    ["", null],
    ["parsed.constructor", null],
    ["parsed.__proto__", null],
    ["node_visits.constructor", 0],
    ["node_results.__proto__.parsed.x", null],
  ])("%s", (path, value) => {
    expect(resolvePath(path, state)).toEqual(value);
  });

  test("a literal key wins over a nested one, at every level", () => {
    const accumulated = { "a.b": { c: "literal" }, a: { b: { c: "nested" }, "b.c": "deeper" } };
    expect(resolvePath("accumulated.a.b.c", { ...state, accumulated })).toBe("literal");
    expect(resolvePath("accumulated.a.b.c", { ...state, accumulated: { a: accumulated.a } })).toBe("deeper");
  });

  test("a state with missing parts reads as null, not as an exception", () => {
    const empty = {} as ScenarioState;
    for (const { path } of golden.paths) expect(() => resolvePath(path, empty)).not.toThrow();
  });
});

describe("parseStatePath says what is wrong", () => {
  test.each([
    ["verify_resul", "it must start with"],
    ["turn.x", 'nothing can follow "turn"'],
    ["parsed..x", "a part between dots is empty"],
    ["node_visits.a.b", 'only a node id can follow "node_visits"'],
    ["node_results.a.verdict", "after the node id comes verify_result, refused, parsed or rubric"],
    ["node_results.a.verify_result.x", "after the node id comes"],
  ])("%s", (path, problem) => {
    expect(parseStatePath(path)).toEqual({ problem: expect.stringContaining(problem) });
  });
});
