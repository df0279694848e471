import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { gradeRecords, openStore, parseScenario, runScenarios, type ScenarioDefinition } from "elenchus";
import type { Store } from "elenchus/store";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startRegrade } from "../../src/engine/run/regrade.ts";
import { buildScenario, scenarioSpec } from "../random-scenario.ts";
import { memoryModel } from "./held.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "elenchus-regraded-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What a run comes to, and what it comes to when it is graded again with the same definitions. */
async function regraded(
  scenarios: ScenarioDefinition,
  fill: (store: Store) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const store = await openStore(join(folder, "store.db"));
  await fill(store);
  const run = startRegrade("first", { scenarios, store, run: "again", allowUnread: true });
  const results = await run.results;
  expect(await run.divergences).toEqual([]);
  expect(worthOf(store, "again")).toEqual(worthOf(store, "first"));
  store.close();
  return results;
}

function worthOf(store: Store, run: string): unknown {
  return [...store.scores(run, { turns: true })].map(({ judge: _, ...score }) => score);
}

const city = {
  type: "string",
  description: "the city",
  truth: "Canberra",
  extract: { type: "aliases", values: { Canberra: [], Sydney: [] } },
};
const asking = (question: string, fields: object = { city }): object => ({
  question: { question, rawAnswer: "Canberra", template: { fields } },
});
const capital = parseScenario({
  name: "capital",
  entry: "ask",
  nodes: { ask: asking("Capital of Australia?"), doubt: asking("Are you sure?") },
  edges: [
    { source: "ask", target: "doubt" },
    { source: "doubt", target: "END" },
  ],
  outcomes: { right: { allTurns: { verify_result: true } } },
});

test("a run that is graded again with the same definition comes to the same", async () => {
  await fc.assert(
    fc.asyncProperty(scenarioSpec, fc.integer({ min: 0, max: 1000 }), async (spec, seed) => {
      const scenarios = buildScenario(spec);
      const long = `A long reply, which says A. ${"So it is. ".repeat(20)}`;
      const replies = ["yes, B.", "no, A.", "I cannot say.", long];
      const reply = (message: string, call: number): string =>
        replies[(seed + message.length + call) % 4] ?? "";
      const fill = (store: Store): Promise<unknown> => {
        const subjects = memoryModel("subject", reply);
        return runScenarios({ scenarios, subjects, store, run: "first", allowUnread: true, fresh: true })
          .results;
      };
      await regraded(scenarios, fill);
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
    }),
    { numRuns: 6 },
  );
});

test("rules with the values of rows, and replies that were cut off, are graded again alike", async () => {
  const field = { ...city, truth: "{{ row.city }}" };
  const scenarios = parseScenario({
    name: "capitals",
    dataset: [{ city: "Canberra" }, { city: "Sydney" }],
    entry: "ask",
    nodes: {
      ask: asking("Capital?"),
      again: asking("{{ row.city }}?", {
        city: field,
        named: {
          type: "string",
          description: "x",
          truth: "x",
          extract: { type: "regex", pattern: "({{ row.city }})" },
        },
      }),
    },
    edges: [{ source: "ask", target: "again" }],
  });
  const fill = (store: Store): Promise<unknown> => {
    const replies = ["It is Canberra.", "The answer is Sydney", ""];
    const model = memoryModel("subject", (_, call) => replies[call % 3] ?? "");
    let calls = 0;
    const subjects = {
      ...model,
      reply: async (...given: Parameters<typeof model.reply>) => ({
        ...(await model.reply(...given)),
        finish: calls++ % 2 === 0 ? ("stop" as const) : ("length" as const),
      }),
    };
    return runScenarios({ scenarios, subjects, store, run: "first", replicates: 3, concurrency: 1 }).results;
  };
  await regraded(scenarios, fill);
});

test("what a simulated user said is graded again, not asked for", async () => {
  const scenarios = parseScenario({
    name: "clinic",
    entry: "patient",
    nodes: {
      patient: { user: { instructions: "You are a patient.", facts: { pain: "It hurts." } } },
      commit: asking("What is it?"),
    },
    edges: [
      { source: "patient", target: "patient", when: { "user.done": false } },
      { source: "patient", target: "commit" },
    ],
  });
  const subjects = memoryModel("doctor", () => "What hurts? Canberra.");
  const fill = (store: Store): Promise<unknown> =>
    runScenarios({ scenarios, subjects, simulator: "sim/user", store, run: "first", turnLimit: 6 }).results;
  expect(await regraded(scenarios, fill)).toMatchObject([{ status: "completed" }]);
});

test("records of which only the labels are known are graded again", async () => {
  const records = [
    { id: "1", subject: "one", turns: [{ verify_result: false }, { verify_result: true }] },
    {
      id: "2",
      subject: "two",
      messages: [
        { role: "user", content: "Capital of Australia?" },
        { role: "assistant", content: "Sydney." },
      ] as const,
    },
  ];
  const fill = (store: Store): Promise<unknown> =>
    gradeRecords(records, { scenarios: capital, store, run: "first" }).results;
  expect(await regraded(capital, fill)).toMatchObject([{ status: "completed", turnCount: 2 }, {}]);
});

test("a store that has lost a text fails the run with the error of the store", async () => {
  const path = join(folder, "store.db");
  const store = await openStore(path);
  const subjects = memoryModel("subject", () => `It is Canberra. ${"So it is. ".repeat(20)}`);
  await runScenarios({ scenarios: capital, subjects, store, run: "first" }).results;
  const other = new Database(path);
  other.exec("DELETE FROM text WHERE value LIKE 'It is Canberra.%'");
  other.close();
  const reader = await openStore(path);
  const { results } = startRegrade("first", { scenarios: capital, store: reader });
  await expect(results).rejects.toMatchObject({ name: "StoreError", code: "corrupt" });
  reader.close();
  store.close();
});
