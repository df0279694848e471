import { expect, test } from "vitest";
import {
  cellOf,
  conversationEnd,
  conversationStart,
  ONE_CALL,
  turnEvents,
} from "../../contracts/store-contract-samples.ts";
import type { RunEvent, TurnEnd } from "../run-event.ts";
import { ConversationRows } from "./conversation-rows.ts";

function folded(...events: readonly RunEvent[]): ConversationRows {
  const rows = new ConversationRows("c");
  for (const event of events) rows.apply(event);
  return rows;
}

const turn = (number: number, verdict: boolean | null): readonly RunEvent[] =>
  turnEvents({ conversation: "c", turn: number, reply: "Yes.", verdict, at: 100 * number });

function ended(change: Partial<TurnEnd["result"]>): RunEvent {
  const end = turn(1, null).at(-1) as TurnEnd & { readonly at: number };
  return { ...end, result: { ...end.result, ...change } };
}

test("a turn shows who was asked, what came of it and what it took", () => {
  const rows = folded(conversationStart("c", cellOf(3)), ...turn(1, true));
  expect(rows.turns.get(1)).toEqual({
    turn: 1,
    node: "ask",
    agent: null,
    model: "sim/steadfast",
    verdict: "pass",
    readStatus: "read",
    score: 1,
    refused: null,
    next: "ask",
    spending: ONE_CALL,
    latencyMs: 12.5,
    startedAt: 100,
    endedAt: 102,
  });
  expect(rows).toMatchObject({ finishedTurns: 1, status: null, spending: ONE_CALL, startedAt: 1001 });
});

test.each([
  ["pass", { verifyResult: true }],
  ["fail", { verifyResult: false }],
  ["unreadable", { readStatus: "unreadable" }],
  ["unverified", { fields: {}, score: null }],
  ["unverified", { fields: {}, score: null, readStatus: "unreadable" }],
  ["unjudged", { judgeFailure: { category: "server", stage: "judge", message: "down" } }],
  // A verdict that stands without the judge is one.
  ["fail", { verifyResult: false, judgeFailure: { category: "server", stage: "judge", message: "down" } }],
] as const)("a turn is %s if it ends with %o", (verdict, change) => {
  const rows = folded(ended(change));
  expect(rows.turns.get(1)?.verdict).toBe(verdict);
  expect(rows.counts[verdict]).toBe(1);
  expect(Object.values(rows.counts).reduce((sum, count) => sum + count)).toBe(1);
});

test("only the subject's calls that were made and answered count as latency", () => {
  const place = { conversation: "c", turn: 1, at: 1 };
  const call = (name: string, purpose: "subject" | "judge", end: object): readonly RunEvent[] => [
    { type: "call-start", ...place, call: name, purpose, model: "m" },
    { type: "call-end", ...place, call: name, cached: false, latencyMs: 10, ...end },
  ];
  const failure = { category: "server", stage: "subject", message: "down" } as const;
  const rows = folded(
    ...call("1.subject.1", "subject", {}),
    ...call("1.subject.2", "subject", { latencyMs: 5 }),
    ...call("1.subject.3", "subject", { cached: true }),
    ...call("1.subject.4", "subject", { failure }),
    ...call("1.judge.0", "judge", {}),
  );
  expect(rows.turns.get(1)?.latencyMs).toBe(15);
});

test("a turn that is read again is counted once, as what it is now", () => {
  const rows = folded(...turn(1, null), ...turn(1, false));
  expect(rows.counts).toMatchObject({ unreadable: 0, fail: 1 });
  expect(rows.turns.get(1)?.latencyMs).toBe(12.5);
});

test("at the end, a question without an answer is no turn", () => {
  const asked = turn(2, true).slice(0, 2);
  const end = conversationEnd("c", cellOf(0), { status: "error", turns: 1 });
  const rows = folded(...turn(1, true), ...asked, end);
  expect([...rows.turns.keys()]).toEqual([1]);
  expect(rows.changedTurns).toContain(2);
  expect(rows).toMatchObject({ status: "error", finishedTurns: 1, endedAt: 2000 });
});
