import { describe, expect, test } from "vitest";
import { advanceState, type StateUpdate } from "./advance-state.ts";
import { INITIAL_STATE } from "./state.ts";

const turn = {
  node: "ask",
  verifyResult: true,
  reply: "B",
  parsed: { letter: "B" },
  rubric: { tone: 4 },
};

test("counts, remembers the node's last result and carries the verdict", () => {
  const first = advanceState(INITIAL_STATE, turn).state;
  expect(first).toEqual({
    turn: 1,
    currentNode: "ask",
    verifyResult: true,
    parsed: { letter: "B" },
    accumulated: {},
    nodeVisits: { ask: 1 },
    nodeResults: { ask: { verifyResult: true, parsed: { letter: "B" }, rubric: { tone: 4 } } },
    turns: [{ ...turn, questionText: "" }],
  });
  const again = advanceState(first, { ...turn, verifyResult: null, parsed: {} }).state;
  expect(again).toMatchObject({ turn: 2, verifyResult: null, nodeVisits: { ask: 2 } });
  expect(again.nodeResults.ask?.verifyResult).toBe(null);
  expect(INITIAL_STATE.turn).toBe(0);
});

test("the turns so far are in the state, whatever made it", () => {
  const first = advanceState(INITIAL_STATE, { ...turn, questionText: "Which?" }).state;
  const second = advanceState({ ...first }, { ...turn, node: "then", reply: "A" }).state;
  expect(second.turns.map(({ node, questionText, reply }) => [node, questionText, reply])).toEqual([
    ["ask", "Which?", "B"],
    ["then", "", "A"],
  ]);
  expect(first.turns).toHaveLength(1);
  expect(Object.isFrozen(second.turns)).toBe(true);
  expect(JSON.parse(JSON.stringify(second)).turns).toEqual(second.turns);
  const { turns: _, ...older } = INITIAL_STATE;
  expect(advanceState(older as typeof INITIAL_STATE, turn).state.turns).toHaveLength(1);
});

test("the state update sees this turn and replaces what was accumulated", () => {
  const update: StateUpdate<unknown> = (accumulated, parsed, context) => ({
    ...accumulated,
    parsed,
    context,
  });
  const { state, updateProblem } = advanceState({ ...INITIAL_STATE, accumulated: { old: 1 } }, turn, update);
  expect(updateProblem).toBeUndefined();
  expect(state.accumulated).toEqual({
    old: 1,
    parsed: { letter: "B" },
    context: { node: "ask", turn: 1, verifyResult: true, reply: "B", rubric: { tone: 4 } },
  });
});

describe("the old value stays, and the reason is told", () => {
  const kept = { kept: true };
  test.each<[string, StateUpdate | string, string]>([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
      'the state update of "ask" threw: boom',
    ],
    ["null", (() => null) as never, "returned null, not an object"],
    ["array", (() => []) as never, "returned array, not an object"],
    ["promise", (async () => ({})) as never, "not plain data"],
    ["function inside a Map", (() => ({ inner: new Map() })) as never, 'not plain data at "inner": Map'],
    ["function", () => ({ inner: () => 1 }), 'not plain data at "inner": function'],
    ["not a number", () => ({ inner: Number.NaN }), 'not plain data at "inner": NaN'],
    ["source string", "(accumulated) => accumulated", "a source string runs only within a run"],
  ])("%s", (_name, update, problem) => {
    const { state, updateProblem } = advanceState({ ...INITIAL_STATE, accumulated: kept }, turn, update);
    expect(state.accumulated).toBe(kept);
    expect(state.turn).toBe(1);
    expect(updateProblem).toContain(problem);
  });

  test("changing what was given does not work: it is frozen", () => {
    const first = advanceState(INITIAL_STATE, turn, () => ({ list: [1] })).state;
    const mutate: StateUpdate = (accumulated) => {
      (accumulated.list as number[]).push(2);
      return accumulated;
    };
    const second = advanceState(first, turn, mutate);
    expect(second.state.accumulated).toEqual({ list: [1] });
    expect(second.updateProblem).toContain("threw");
  });
});
