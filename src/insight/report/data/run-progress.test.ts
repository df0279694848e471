import {
  END,
  ModelError,
  question,
  type RunEvent,
  type RunEventBody,
  resumeRun,
  runScenarios,
  Scenario,
} from "elenchus";
import { memoryStore } from "elenchus/store";
import { expect, test } from "vitest";
import { finishedBefore, RunProgress } from "./run-progress.ts";

const scenario = new Scenario("colours")
  .addNode("sky", {
    question: question({
      question: "Which colour has the sky?",
      rawAnswer: "blue",
      template: {
        fields: {
          colour: {
            type: "string",
            description: "the colour",
            truth: "blue",
            extract: { type: "aliases", values: { blue: [], red: [] } },
          },
        },
      },
    }),
  })
  .addNode("bye", { question: question({ question: "Thank you.", rawAnswer: "" }) })
  .addEdge("sky", "bye")
  .addEdge("bye", END)
  .setEntry("sky")
  .validate();

function foldAll(events: Iterable<RunEvent>, progress: RunProgress = new RunProgress()): RunProgress {
  for (const event of events) progress.apply(event);
  return progress;
}

test("a real run is counted, in all and by subject", async () => {
  const progress = new RunProgress();
  let most = 0;
  const run = runScenarios({
    scenarios: scenario,
    subjects: [
      { model: () => "It is blue.", name: "right" },
      { model: () => "It is red.", name: "wrong" },
      { model: () => "Hard to say.", name: "vague" },
      {
        model: () => {
          throw new ModelError("authentication", "Wrong key.");
        },
        name: "locked",
      },
    ],
    replicates: 3,
  });
  for await (const event of run) {
    progress.apply(event);
    most = Math.max(most, progress.running);
  }
  expect(most).toBeGreaterThan(0);
  expect([progress.planned, progress.finished, progress.cutShort]).toEqual([12, 12, 0]);
  expect([progress.running, progress.inFlight, progress.isOver]).toEqual([0, 0, true]);
  const { overall } = progress;
  expect([overall.turns, overall.calls, overall.cached]).toEqual([18, 18, 0]);
  expect(overall.verdicts).toEqual({
    pass: 3,
    fail: 3,
    unreadable: 3,
    unjudged: 0,
    unverified: 9,
    not_verified: 0,
  });
  expect([...overall.errors]).toEqual([["authentication", 3]]);
  // Functions tell nothing of tokens.
  expect(overall.tokens).toEqual({ known: 0, unknown: 18 });
  expect(
    [...progress.subjects].map(([name, tally]) => [
      name,
      tally.finished,
      tally.turns,
      tally.verdicts.pass,
      tally.verdicts.fail,
      tally.verdicts.unreadable,
      tally.errorCount,
    ]),
  ).toEqual([
    ["right", 3, 6, 3, 0, 0, 0],
    ["wrong", 3, 6, 0, 3, 0, 0],
    ["vague", 3, 6, 0, 0, 3, 0],
    ["locked", 3, 0, 0, 0, 0, 3],
  ]);
});

test("conversations that were cut short are not finished, and a run that is taken up again counts from where it was", async () => {
  const store = memoryStore();
  const asked = { count: 0, stop: (): void => {} };
  const model = (): string => {
    if (++asked.count === 5) asked.stop();
    return "It is blue.";
  };
  const subjects = [
    { model, name: "one" },
    { model, name: "two" },
  ];
  const options = { scenarios: scenario, subjects, replicates: 4, store, concurrency: 1 };
  const first = runScenarios({ ...options, run: "again" });
  asked.stop = () => first.stop();
  const before = new RunProgress();
  for await (const event of first) before.apply(event);
  // Two conversations of two turns; the third had its first turn when the run was stopped.
  expect([before.finished, before.cutShort, before.planned]).toEqual([2, 6, 8]);
  expect(before.overall.errorCount).toBe(0);

  const finished = finishedBefore(store, "again");
  expect(Object.fromEntries(finished)).toEqual({ one: 1, two: 1 });
  const progress = new RunProgress({ finishedBefore: finished });
  const counts: number[] = [];
  for await (const event of resumeRun("again", { ...options, store })) {
    progress.apply(event);
    if (event.type === "progress") counts.push(progress.finished);
  }
  expect(counts).toEqual([3, 4, 5, 6, 7, 8]);
  expect([progress.finished, progress.cutShort]).toEqual([8, 0]);
  const perSubject = [...progress.subjects.values()];
  expect(perSubject.map((tally) => tally.finished)).toEqual([3, 3]);
  // Whose turns those of a conversation are that was begun before is known at its end.
  expect(perSubject.reduce((sum, tally) => sum + tally.turns, 0)).toBe(progress.overall.turns);
});

test("errors are told from what somebody wanted, and may be tried again", async () => {
  const store = memoryStore();
  const model = (): string => {
    throw new ModelError("not_found", "No such model.");
  };
  const run = runScenarios({ scenarios: scenario, subjects: { model, name: "s" }, store, run: "r" });
  expect(Object.fromEntries((await progressOf(run)).overall.errors)).toEqual({ not_found: 1 });
  expect(finishedBefore(store, "r").get("s")).toBe(1);
  expect(finishedBefore(store, "r", { retryErrors: true }).get("s")).toBe(0);
  const poor = runScenarios({ scenarios: scenario, subjects: "sim/steadfast", budget: { calls: 1 } });
  const { overall, cutShort } = await progressOf(poor);
  expect([overall.errorCount, cutShort]).toEqual([0, 1]);
});

async function progressOf(run: AsyncIterable<RunEvent>): Promise<RunProgress> {
  const progress = new RunProgress();
  for await (const event of run) progress.apply(event);
  return progress;
}

const at = (time: number, body: RunEventBody): RunEvent => ({ ...body, at: time });
const start = (conversations: number, subjects: readonly string[] = ["s"]): RunEventBody => ({
  type: "run-start",
  run: "r",
  seed: 0,
  conversations,
  scenarios: {},
  subjects,
  judges: ["rules"],
  replicates: 1,
  configuration: {},
});
const spending = { calls: 0, cached: 0, tokens: 0, cost: 0 };
const cell = { index: 0, scenario: "a", subject: "s", judge: "rules", replicate: 1 };
const settings = { turnLimit: 20, judged: false, judging: "together", detectRefusal: false } as const;
const begun = (conversation: string): RunEventBody => ({
  type: "conversation-start",
  conversation,
  cell,
  scenarioHash: "",
  settings,
});
const ended = (conversation: string): RunEventBody => ({
  type: "conversation-end",
  conversation,
  cell,
  status: "completed",
  turnCount: 1,
  path: [],
  spending,
});
const call = { conversation: "c", turn: 1 };

test("calls: in flight, made, cached, tools, failed; what is unknown stays unknown", () => {
  const usage = { inputTokens: 100, outputTokens: 20 };
  const ends = [
    { cached: false, usage, cost: 0.5 },
    { cached: false, usage, cost: null },
    { cached: false, cost: 0.25 },
    { cached: true, usage, cost: 0 },
    { cached: false },
    { cached: false, failure: { category: "server", stage: "judge", message: "Broken." } as const },
  ];
  const progress = foldAll([at(0, start(1)), at(0, begun("c"))]);
  for (const [index] of ends.entries())
    progress.apply(at(1, { type: "call-start", ...call, call: `${index}`, purpose: "judge", model: "m" }));
  expect(progress.inFlight).toBe(6);
  for (const [index, end] of ends.entries()) {
    progress.apply(at(2, { type: "call-end", ...call, call: `${index}`, latencyMs: 1, ...end }));
    expect(progress.inFlight).toBe(5 - index);
  }
  const retry = { attempt: 1, category: "rate_limit", message: "Slow down.", delayMs: 1 } as const;
  progress.apply(at(3, { type: "retry", ...call, call: "0", ...retry }));
  for (const tally of [progress.overall, progress.subjects.get("s")]) {
    expect([tally?.calls, tally?.cached, tally?.retries]).toEqual([3, 1, 1]);
    expect(tally?.tokens).toEqual({ known: 240, unknown: 1 });
    expect(tally?.cost).toEqual({ known: 0.75, unknown: 1 });
  }
});

test("what is left to do is told from the pace of late, once there is enough to tell from", () => {
  const progress = foldAll([at(0, start(100)), at(0, begun("slow"))]);
  for (let index = 1; index <= 40; index++) {
    progress.apply(at(index * 500, ended(`${index}`)));
    if (index === 2) expect(progress.timeLeft(1900)).toBeUndefined();
  }
  expect(progress.rate(20_000)).toBeCloseTo(2, 0);
  // 60 are left, two a second.
  expect(progress.timeLeft(20_000)).toBeCloseTo(30_000, -4);
  // For 40 seconds nothing more has come, and only one is under way.
  expect(progress.rate(60_000)).toBe(0);
  expect(progress.timeLeft(60_000)).toBe(60 * 40_000);
});

test("a beginning out of the cache promises nothing", () => {
  const events = Array.from({ length: 500 }, (_, index) => at(100, ended(`${index}`)));
  const progress = foldAll([at(0, start(600)), ...events, at(100, begun("a")), at(100, begun("b"))]);
  expect(progress.timeLeft(1100)).toBeCloseTo(50_000, -3);
  expect(progress.timeLeft(10_100)).toBeCloseTo(500_000, -3);
});

test("warnings are counted, and the first kinds of them kept", () => {
  const progress = new RunProgress();
  for (let index = 0; index < 100; index++) {
    const message = `Warning ${index % 50}`;
    progress.apply(at(index, { type: "warning", code: "tools", message }));
  }
  const { warnings } = progress;
  expect([warnings.count, warnings.kept.length, warnings.dropped]).toEqual([100, 20, 60]);
  expect(warnings.kept[3]).toMatchObject({ message: "Warning 3", count: 2 });
  expect(warnings.last?.message).toBe("Warning 49");
});
