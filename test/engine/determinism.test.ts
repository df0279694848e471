import { type RunEvent, type RunOptions, runScenarios } from "elenchus";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { buildScenario, scenarioSpec } from "../random-scenario.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { chainOf, held, memoryModel, ticks, yesJudge } from "./held.ts";

/** A run in which nobody really waits, without its times. */
async function timeless(options: RunOptions): ReturnType<typeof held> {
  const clock = new VirtualClock();
  const { events, results } = await clock.runUntil(held({ ...options, run: "run" }, { clock }));
  return { results, events: events.map((event) => withoutTimes(event)) };
}

function withoutTimes({ at: _, ...event }: RunEvent): RunEvent {
  return { ...event, ...("latencyMs" in event ? { latencyMs: 0 } : {}), at: 0 };
}

const SUBJECTS = ["steadfast", "sycophant", "waverer?flip=0.4", "stubborn", "learner", "silent", "flaky"].map(
  (name) => `sim/${name}`,
);

test("two runs with simulated subjects and one seed write the same journal", async () => {
  await fc.assert(
    fc.asyncProperty(scenarioSpec, fc.integer(), async (spec, seed) => {
      // Files take real time, and so make the order of conversations a matter of chance.
      const edges = spec.edges.filter(({ handover }) => handover !== 2);
      const scenarios = buildScenario({ ...spec, edges });
      const options = { scenarios, subjects: SUBJECTS, replicates: 2, turnLimit: 5, seed };
      const first = await timeless(options);
      const second = await timeless({ ...options, concurrency: 3 });
      expect((await timeless(options)).events).toEqual(first.events);
      // With other company a conversation is the same conversation.
      expect(second.results).toEqual(first.results);
      expect(journals(second.events)).toEqual(journals(first.events));
    }),
    { numRuns: 8 },
  );
});

function journals(events: readonly RunEvent[]): Readonly<Record<string, readonly RunEvent[]>> {
  const own = events.filter((event) => "conversation" in event && event.conversation !== undefined);
  return Object.groupBy(own, (event) => (event as { conversation: string }).conversation) as Record<
    string,
    RunEvent[]
  >;
}

test("another seed is another run", async () => {
  const options = { scenarios: chainOf(4), subjects: "sim/waverer?flip=0.5", replicates: 5 };
  const replies = async (seed: number): Promise<unknown> =>
    (await timeless({ ...options, seed })).results.map(({ turns }) => turns.map(({ reply }) => reply));
  expect(await replies(1)).not.toEqual(await replies(2));
  expect(await replies(1)).toEqual(await replies(1));
});

test("every event is plain data", async () => {
  const judge = yesJudge();
  const { events } = await timeless({
    scenarios: chainOf(2),
    subjects: ["sim/flaky?fail=0.5"],
    judge,
  });
  expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  expect(new Set(events.map(({ type }) => type))).toEqual(
    new Set([
      "run-start",
      "scenario-define",
      "conversation-start",
      "turn-start",
      "call-start",
      "call-end",
      "retry",
      "turn-reply",
      "turn-judgement",
      "turn-end",
      "hop",
      "conversation-end",
      "progress",
      "run-end",
    ]),
  );
});

test("a slow reader holds the run back instead of filling the memory", async () => {
  const subject = memoryModel("subject", () => "yes");
  const run = runScenarios({
    allowUnread: true,
    scenarios: chainOf(1),
    subjects: subject,
    replicates: 5000,
    keepResults: false,
    concurrency: 10,
  });
  let read = 0;
  for await (const event of run) {
    read++;
    // Reads on only when the run has stopped asking.
    if (event.type === "run-start")
      for (let asked = -1; asked !== subject.asked.length; await ticks(20)) asked = subject.asked.length;
    if (read === 2) {
      expect(subject.asked.length).toBeGreaterThan(100);
      expect(subject.asked.length).toBeLessThan(1000);
    }
  }
  expect(subject.asked).toHaveLength(5000);
});

test("a run of which only the events are kept has no results", () => {
  const run = runScenarios({
    allowUnread: true,
    scenarios: chainOf(1),
    subjects: "sim/steadfast",
    keepResults: false,
  });
  expect(() => run.results).toThrow("keepResults");
});
