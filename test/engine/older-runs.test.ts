import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import {
  openStore,
  parseScenario,
  regrade,
  resumeRun,
  type ScenarioDefinition,
} from "../../src/apps/public/index.ts";
import { exportRun, importRun, memoryStore, type Store } from "../../src/apps/public/store.ts";
import { definitionsOf } from "../../src/engine/journal/transfer/stored-run.ts";
import { conversationTable, turnTable } from "../../src/engine/journal/transfer/tables.ts";
import type { Model } from "../../src/engine/models/model.ts";
import { conversationText } from "../../src/insight/report/text/conversation-text.ts";
import { PLAIN_STYLE } from "../../src/system/terminal/terminal.ts";

// The fixtures were written by 0.1.0, which said `nodeId` for `node` and `history` for `turns`, and are never written anew. The
// run has three replicates: one is completed (with a retry), one was cancelled in its third turn, one before its first.

const fixture = (name: string): URL => new URL(`../fixtures/${name}`, import.meta.url);

async function olderStore(options: { readonly readOnly?: boolean } = {}): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-older-"));
  const path = join(folder, "store.db");
  writeFileSync(path, gunzipSync(readFileSync(fixture("store-1.db.gz"))));
  const store = await openStore(path, options);
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });
  return store;
}

async function olderFile(): Promise<Store> {
  const store = memoryStore();
  await importRun(store, readFileSync(fixture("run-1-node-filters.jsonl"), "utf8").split("\n"));
  return store;
}

const STORES = [
  ["a store", olderStore],
  ["a run file", olderFile],
] as const;

function answering(name: string, text: string): Model {
  return {
    name,
    identity: { provider: "test", model: name },
    account: "test",
    price: null,
    reply: async () => ({ text, finish: "stop", usage: { inputTokens: 10, outputTokens: 2 } }),
  };
}

const MODELS = {
  subjects: answering("subject", "Canberra."),
  judge: answering("judge", '{"right":true,"fields":{"right":true}}'),
};

/** As the older release wrote it, node filters and code included. */
function definitionIn(store: Store): ScenarioDefinition {
  const [stored] = definitionsOf(store, "before");
  expect(stored?.definition).toContain('"nodeId":"push"');
  const definition = parseScenario(JSON.parse(stored?.definition ?? ""));
  expect(definition.hash).toBe(stored?.hash);
  expect(definition.outcomes[0]?.check).toMatchObject({ scope: { type: "all_turns", node: "push" } });
  return definition;
}

const FINISHED = { held_firm: true, pushes: 2, often: true, by_code: true, done: true };

test("a store of the older release can be read without being changed", async () => {
  const store = await olderStore({ readOnly: true });
  expect(store.runs().map(({ run, statuses }) => [run, statuses])).toEqual([
    ["before", { completed: 1, cancelled: 2 }],
  ]);
});

test.each(STORES)("%s of the older release is listed, shown and exported", async (_, open) => {
  const store = await open();
  expect([...store.conversations("before")].map(({ status, turnCount }) => [status, turnCount])).toEqual([
    ["completed", 4],
    ["cancelled", 3],
    ["cancelled", 0],
  ]);
  expect([...conversationTable(store, "before")].map(({ path, passed }) => [path, passed])).toEqual([
    ["ask push push thanks", 3],
    ["ask push push", 2],
    ["", 0],
  ]);
  expect([...turnTable(store, "before")].map(({ node, verdict }) => `${node} ${verdict}`)).toEqual([
    "ask pass",
    "push pass",
    "push pass",
    "thanks unverified",
    "ask pass",
    "push pass",
    "push unjudged",
  ]);
  const [first] = store.conversations("before");
  const events = store.events("before", first?.conversation);
  const text = conversationText(events, { style: PLAIN_STYLE, width: 100, definition: definitionIn(store) });
  expect(text).toContain("Turn 2 · push");
  expect(text).toContain("1 retry (rate limit)");
  expect(text).not.toContain("has changed");
  const again = memoryStore();
  await importRun(again, exportRun(store, "before"));
  expect([...again.events("before")].filter(({ type }) => type !== "run-start").length).toBeGreaterThan(50);
  expect([...exportRun(again, "before")]).toEqual([...exportRun(store, "before")]);
});

test.each(STORES)("%s of the older release is resumed where it stopped", async (_, open) => {
  const store = await open();
  const results = await resumeRun("before", { store, scenarios: definitionIn(store), ...MODELS }).results;
  expect(results.map(({ status, path }) => [status, path.join(" ")])).toEqual(
    Array(3).fill(["completed", "ask push push thanks"]),
  );
  for (const { outcomes, turns } of results) {
    expect(Object.fromEntries(Object.entries(outcomes).map(([name, { value }]) => [name, value]))).toEqual(
      FINISHED,
    );
    expect(turns.map(({ node }) => node)).toEqual(["ask", "push", "push", "thanks"]);
  }
  const calls = store.run("before")?.spending.calls ?? 0;
  const asked = [...store.events("before")].filter((event) => event.type === "turn-start").length;
  // Turns 1 to 3 of the second conversation are not asked again.
  expect(asked).toBe(4 + 4 + 4);
  expect(calls).toBeGreaterThan(0);
});

test.each(STORES)("%s of the older release is regraded without asking the subject", async (_, open) => {
  const store = await open();
  const graded = regrade("before", {
    store,
    scenarios: definitionIn(store),
    judge: MODELS.judge,
    run: "after",
  });
  const results = await graded.results;
  expect(results.map(({ status, turnCount }) => [status, turnCount])).toEqual([
    ["completed", 4],
    ["cancelled", 3],
    ["cancelled", 0],
  ]);
  expect(results[0]?.outcomes.by_code?.value).toBe(true);
  expect(await graded.divergences).toEqual([]);
});
