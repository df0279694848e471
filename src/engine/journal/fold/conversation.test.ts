import { expect, test } from "vitest";
import { CAPITAL } from "../../../../test/capital-scenario.ts";
import { chainOf, memoryModel, yesJudge } from "../../../../test/engine/held.ts";
import {
  cellOf,
  conversationEnd,
  conversationStart,
  ONE_CALL,
  turnEvents,
} from "../../../apps/contracts/store-contract-samples.ts";
import { END } from "../../../core/scenario/definition.ts";
import { ModelError } from "../../models/model-error.ts";
import { runScenarios } from "../../run/run-scenarios.ts";
import type { RunEvent, TurnEnd } from "../run-event.ts";
import { memoryStore } from "../store/memory-store.ts";
import { type Conversation, foldConversation, inputEvents } from "./conversation.ts";

function folded(...events: readonly RunEvent[]): Conversation {
  return foldConversation(events);
}

const turn = (number: number, verdict: boolean | null): readonly RunEvent[] =>
  turnEvents({ conversation: "c", turn: number, reply: "Yes.", verdict, at: 100 * number });

function ended(change: Partial<TurnEnd["result"]>): RunEvent {
  const end = turn(1, null).at(-1) as TurnEnd & { readonly at: number };
  return { ...end, result: { ...end.result, ...change } };
}

test("a turn shows who was asked, what came of it and what it took", () => {
  const rows = folded(conversationStart("c", cellOf(3)), ...turn(1, true));
  expect(rows.turn(1)).toMatchObject({
    turn: 1,
    node: "ask",
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
  expect(rows).toMatchObject({ turnCount: 1, status: null, spending: ONE_CALL, startedAt: 1001 });
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
  expect(rows.turn(1)?.verdict).toBe(verdict);
  expect(rows.verdicts[verdict]).toBe(1);
  expect(Object.values(rows.verdicts).reduce((sum, count) => sum + count)).toBe(1);
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
  expect(rows.turn(1)?.latencyMs).toBe(15);
});

test("a turn that is read again is counted once, as what it is now", () => {
  const rows = folded(...turn(1, null), ...turn(1, false));
  expect(rows.verdicts).toMatchObject({ unreadable: 0, fail: 1 });
  expect(rows.turn(1)?.latencyMs).toBe(12.5);
});

test("at the end, a question without an answer is no finished turn", () => {
  const asked = turn(2, true).slice(0, 2);
  const end = conversationEnd("c", cellOf(0), { status: "error", turns: 1 });
  const rows = folded(...turn(1, true), ...asked, end);
  expect(rows.path).toEqual(["ask"]);
  expect(rows.unfinished?.turn).toBe(2);
  expect(rows.changedTurns).toContain(2);
  expect(rows).toMatchObject({ status: "error", turnCount: 1, endedAt: 2000 });
});

async function eventsOf(options: Parameters<typeof runScenarios>[0]): Promise<readonly RunEvent[]> {
  const store = memoryStore();
  await runScenarios({ ...options, store, run: "r" }).results;
  const [first] = store.conversations("r");
  return [...store.events("r", first?.conversation ?? "")];
}

test("every turn has its question, reply, verdict and hop", async () => {
  const { cell, turns, status } = foldConversation(
    await eventsOf({ scenarios: CAPITAL, subjects: "sim/steadfast" }),
  );
  expect(cell.subject).toBe("sim/steadfast");
  expect(status).toBe("completed");
  expect(
    turns.map(({ turn, node, messages, reply, verdict, hop }) => [
      turn,
      node,
      messages?.length,
      typeof reply,
      verdict,
      hop?.target,
    ]),
  ).toEqual([
    [1, "ask", 1, "string", "pass", "push"],
    [2, "push", 1, "string", "pass", "push"],
    [3, "push", 1, "string", "pass", "push"],
    [4, "push", 1, "string", "pass", END],
  ]);
});

test("turns that are asked while earlier ones are still being read", async () => {
  const events = await eventsOf({
    scenarios: chainOf(3),
    subjects: memoryModel("subject", () => "yes"),
    judge: yesJudge(),
  });
  const withoutVerdicts = events.filter(({ type }) => type !== "turn-end" && type !== "conversation-end");
  const { turns } = foldConversation(withoutVerdicts);
  expect(turns.map(({ node, reply, verdict }) => [node, reply, verdict])).toEqual([
    ["n0", "yes", undefined],
    ["n1", "yes", undefined],
    ["n2", "yes", undefined],
  ]);
});

test("a question that was never answered is the last turn", async () => {
  const subject = memoryModel("subject", (message) => {
    if (message.startsWith("Are")) throw new ModelError("authentication", "No.");
    return "Canberra.";
  });
  const { turns } = foldConversation(await eventsOf({ scenarios: CAPITAL, subjects: subject }));
  expect(turns.map(({ node, verdict }) => [node, verdict === undefined])).toEqual([
    ["ask", false],
    ["push", true],
  ]);
});

test("what was asked again replaces what came of it, and after it, before", async () => {
  const events = await eventsOf({ scenarios: CAPITAL, subjects: "sim/steadfast" });
  const [again] = events.filter((event) => event.type === "turn-start" && event.turn === 2);
  const begun = events.filter(
    (event) => event.type !== "conversation-end" && !(event.type === "turn-end" && event.result.turn > 1),
  );
  const { turns } = foldConversation([...begun, again as RunEvent]);
  expect(turns.map(({ turn, reply, hop }) => [turn, typeof reply, typeof hop])).toEqual([
    [1, "string", "object"],
    [2, "undefined", "undefined"],
  ]);
});

test("a resume makes void what stopped the conversation, and judgements that were never made", () => {
  const place = { conversation: "c", at: 1 } as const;
  const judgement = (turn: number, category?: "cancelled" | "server"): RunEvent =>
    ({
      type: "turn-judgement",
      ...place,
      turn,
      part: 0,
      judgement: { status: "unreadable", parsed: {}, quotes: {}, notes: {}, rubric: {}, refused: null },
      spending: ONE_CALL,
      ...(category === undefined ? {} : { failure: { category, stage: "judge", message: "no" } }),
    }) as RunEvent;
  const stop: RunEvent = { type: "conversation-stop", ...place, status: "cancelled" };
  const resume = (retriesErrors: boolean): RunEvent => ({
    type: "conversation-resume",
    ...place,
    attempt: 2,
    retriesErrors,
  });
  const events = [
    conversationStart("c", cellOf(0)),
    judgement(1),
    judgement(2, "cancelled"),
    judgement(3, "server"),
    stop,
  ];
  expect(inputEvents(events)).toEqual(events);
  expect(inputEvents([...events, resume(false)])).toEqual([events[0], events[1], events[3]]);
  expect(inputEvents([...events, resume(true)])).toEqual(events.slice(0, 2));
  expect(foldConversation(events).stop).toEqual(stop);
  expect(foldConversation([...events, resume(false)])).toMatchObject({ stop: null, attempt: 2 });
});

test("the fold of the events says what the results say", async () => {
  const store = memoryStore();
  const results = await runScenarios({
    scenarios: CAPITAL,
    subjects: ["sim/steadfast", "sim/sycophant", "sim/silent"],
    replicates: 3,
    store,
    run: "r",
  }).results;
  for (const { conversation, turns, path, status, outcomes, spending, turnCount } of results) {
    const folded = foldConversation(store.events("r", conversation));
    expect(folded).toMatchObject({ status, spending, turnCount, path });
    expect(folded.finishedTurns).toMatchObject(turns);
    expect([...folded.outcomes.values()].map(({ name, value }) => [name, value])).toEqual(
      Object.entries(outcomes).map(([name, { value }]) => [name, value]),
    );
  }
});
