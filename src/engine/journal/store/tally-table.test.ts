import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { chainOf, memoryModel, yesJudge } from "../../../../test/engine/held.ts";
import {
  cellOf,
  conversationStart,
  runStart,
  turnEvents,
} from "../../../apps/contracts/store-contract-samples.ts";
import { ModelError } from "../../models/model-error.ts";
import { resumeRun, runScenarios } from "../../run/run-scenarios.ts";
import { foldConversation } from "../fold/conversation.ts";
import { CellCounts, type CellTally, conversationCounts } from "../fold/tally.ts";
import type { RunEvent } from "../run-event.ts";
import { memoryStore } from "./memory-store.ts";
import { openStore } from "./open-store.ts";
import type { Store } from "./store.ts";

async function newStore(): Promise<{ readonly store: Store; readonly path: string }> {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-tally-"));
  const path = join(folder, "a.db");
  const store = await openStore(path);
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { store, path };
}

/** What the events of all conversations come to, counted again. */
function recounted(store: Store, run: string): readonly CellTally[] {
  const counts = new CellCounts();
  for (const { conversation } of store.conversations(run)) {
    const folded = foldConversation(store.events(run, conversation));
    counts.add(folded.cell, conversationCounts(folded));
  }
  return counts.tallies();
}

test("what was counted while runs were stopped, failed and resumed is what their events come to", async () => {
  const { store } = await newStore();
  const failing = memoryModel("failing", (message, call) => {
    if (call % 4 === 3) throw new ModelError("bad_request", "no");
    return call % 3 === 0 ? `no ${message}` : "yes";
  });
  const steady = memoryModel("steady", () => "yes");
  const options = {
    scenarios: [chainOf(3), chainOf(1)].map((scenario, index) => ({ ...scenario, name: `s${index}` })),
    subjects: [failing, steady],
    judge: yesJudge(),
    allowUnread: true,
    replicates: 3,
    concurrency: 4,
    store,
    run: "r",
  };
  const run = runScenarios({ ...options, budget: { calls: 9 } });
  await run.results;
  expect(store.tallies("r")).toEqual(recounted(store, "r"));
  expect(store.run("r")?.statuses.budget_exhausted).toBeGreaterThan(0);
  await resumeRun("r", options).results;
  expect(store.tallies("r")).toEqual(recounted(store, "r"));
  expect(store.run("r")?.statuses.error).toBeGreaterThan(0);
  await resumeRun("r", { ...options, retryErrors: true }).results;
  expect(store.tallies("r")).toEqual(recounted(store, "r"));
  expect(store.tallies("r")).toHaveLength(4);
});

test("costs add up to the same sum in any order, and to nothing when they are taken away", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 1 }), (costs) => {
      const counts = new CellCounts();
      const add = (cost: number, sign: 1 | -1): void => {
        const folded = foldConversation([
          conversationStart("c", cellOf(0)),
          {
            type: "conversation-stop",
            conversation: "c",
            status: "error",
            spending: { calls: 1, cached: 0, tokens: 1, cost },
            at: 1,
          } as RunEvent,
        ]);
        counts.add(folded.cell, conversationCounts(folded), sign);
      };
      for (const cost of costs) add(cost, 1);
      const sum = costs.reduce((total, cost) => total + cost, 0);
      expect(counts.tallies()[0]?.spending.cost).toBeCloseTo(sum, 9);
      for (const cost of [...costs].reverse()) add(cost, -1);
      expect(counts.tallies()[0]?.spending).toEqual({ calls: 0, cached: 0, tokens: 0, cost: 0 });
    }),
    { numRuns: 50 },
  );
});

function* conversationOf(index: number, path: readonly string[]): Generator<RunEvent> {
  const conversation = `c${index}`;
  const cell = cellOf(index);
  const spending = { calls: 0, cached: 0, tokens: 0, cost: 0 };
  const turnCount = path.length;
  yield conversationStart(conversation, cell);
  for (const [at, node] of path.entries())
    for (const event of turnEvents({ conversation, turn: at + 1, reply: "yes", verdict: true, at }))
      yield event.type === "turn-end" ? { ...event, result: { ...event.result, node } } : event;
  yield {
    type: "conversation-end",
    conversation,
    cell,
    status: "completed",
    turnCount,
    path,
    spending,
    at: 9,
  };
}

test("of very many paths the first are kept by name, and all are counted", async () => {
  const { store, path } = await newStore();
  const journal = store.begin(runStart("r"));
  for (let index = 0; index < 1200; index++)
    for (const event of conversationOf(index, ["ask", `node ${index % 1100}`])) journal.append(event);
  const paths = store.tallies("r")[0]?.paths ?? [];
  expect(paths).toHaveLength(1001);
  expect(paths.find((one) => one.path === null)?.count).toBe(100);
  expect(paths.filter(({ count }) => count === 2)).toHaveLength(100);
  expect(paths.reduce((sum, { count }) => sum + count, 0)).toBe(1200);
  const reading = await openStore(path, { readOnly: true });
  expect(reading.tallies("r")).toEqual(store.tallies("r"));
  reading.close();
  // One that was counted without a name goes on, and ends as it did before.
  journal.append({
    type: "conversation-resume",
    conversation: "c1050",
    attempt: 2,
    retriesErrors: false,
    at: 10,
  });
  expect(store.tallies("r")[0]).toMatchObject({ conversations: 1200, open: 1 });
  expect(store.tallies("r")[0]?.paths.reduce((sum, { count }) => sum + count, 0)).toBe(1199);
});

test("conversations are found by the beginning of their name", () => {
  const store = memoryStore();
  const journal = store.begin(runStart("r"));
  for (let index = 0; index < 120; index++)
    for (const event of conversationOf(index, [])) journal.append(event);
  const found = (conversation: string): readonly string[] =>
    [...store.conversations("r", { conversation })].map((summary) => summary.conversation);
  expect(found("c11")).toEqual(["c11", ...Array.from({ length: 10 }, (_, index) => `c11${index}`)]);
  expect(found("c119")).toEqual(["c119"]);
  expect(found("d")).toEqual([]);
  expect(found("")).toHaveLength(120);
});
