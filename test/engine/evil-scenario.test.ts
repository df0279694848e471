import { expect, test } from "vitest";
import { parseScenario } from "../../src/core/scenario/parse-scenario.ts";
import type { RunEvent } from "../../src/engine/journal/run-event.ts";
import { memoryStore } from "../../src/engine/journal/store/memory-store.ts";
import { resumeRun, runScenarios } from "../../src/engine/run/run-scenarios.ts";

/** Goes round in a circle; the source strings decide when it ends. */
function circle(name: string, when: string, stateUpdate?: string) {
  return parseScenario({
    name,
    entry: "a",
    nodes: {
      a: {
        question: { question: "Again?", rawAnswer: "Yes" },
        ...(stateUpdate === undefined ? {} : { stateUpdate }),
      },
    },
    edges: [
      { source: "a", target: "END", when },
      { source: "a", target: "a" },
    ],
    outcomes: [{ name: "long", check: "(result) => result.turns.length > 3" }],
  });
}

const good = circle("good", "(accumulated) => accumulated.n >= 5", "(a) => ({ n: (a.n ?? 0) + 1 })");
const evil = circle("evil", "() => { for (;;); }");

async function eventsOf(run: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

test("a scenario whose source strings never end is switched off, says so, and changes nothing for others", async () => {
  const options = { subjects: () => "Yes", replicates: 2, turnLimit: 30 };
  const events = await eventsOf(runScenarios({ scenarios: [good, evil], ...options }));
  const ends = events.filter((event) => event.type === "conversation-end");
  const alone = await runScenarios({ scenarios: good, ...options }).results;
  expect(ends.filter(({ cell }) => cell.scenario === "good").map(({ path }) => path)).toEqual(
    alone.map(({ path }) => path),
  );
  expect(alone.map(({ outcomes }) => outcomes.long?.value)).toEqual([true, true]);
  expect(ends.filter(({ cell }) => cell.scenario === "evil").map(({ status }) => status)).toEqual(
    new Array(2).fill("limit_reached"),
  );
  const warnings = events.filter((event) => event.type === "warning" && event.code === "sources_off");
  expect(warnings).toHaveLength(2);
  const reasons = events
    .filter((event) => event.type === "hop" && event.target === "a")
    .flatMap((event) => (event.type === "hop" ? event.tested : []))
    .map(({ reason }) => reason);
  expect(reasons).toContainEqual(expect.stringContaining("ran longer than 50 ms"));
  expect(reasons).toContainEqual(expect.stringContaining("is switched off"));
  const outcomes = events.filter((event) => event.type === "outcome" && event.value === null);
  expect(outcomes).toHaveLength(2);
});

test.each(["stop", "abort"])(
  "a run of evil conversations ends soon after a %s, and can be resumed",
  async (how) => {
    const store = memoryStore();
    const controller = new AbortController();
    const options = {
      scenarios: evil,
      subjects: () => "Yes",
      replicates: 4,
      turnLimit: 2,
      store,
      run: "r",
    };
    const run = runScenarios({ ...options, signal: controller.signal });
    for await (const event of run) {
      // The first reply is there, and its step waits for the source string.
      if (event.type !== "call-end") continue;
      if (how === "stop") run.stop();
      else controller.abort();
    }
    const { statuses } = store.run("r") ?? {};
    expect(statuses?.cancelled).toBeGreaterThan(1);
    const fine = { ...options, scenarios: evil };
    const again = resumeRun("r", fine);
    const events = await eventsOf(again);
    expect(events.at(-1)).toMatchObject({ type: "run-end", statuses: { limit_reached: 4 } });
  },
);

test("a resumed conversation finds its place again with the help of its source strings", async () => {
  const store = memoryStore();
  let asked = 0;
  const options = {
    scenarios: good,
    subjects: { name: "s", model: async () => `Yes ${++asked}` },
    store,
    run: "r",
    concurrency: 1,
  };
  const run = runScenarios(options);
  for await (const event of run) if (event.type === "turn-end" && event.result.turn === 2) run.stop();
  const [record] = await resumeRun("r", options).results;
  expect(record).toMatchObject({
    status: "completed",
    path: ["a", "a", "a", "a", "a"],
    accumulated: { n: 5 },
  });
});
