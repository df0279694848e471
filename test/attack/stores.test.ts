// Stores of strangers: files with changed bytes, and rows that no release writes. Reading one gives data or a `StoreError`; nothing crashes or hangs.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withRuns } from "../../src/apps/cli/stored-runs.ts";
import { Rng } from "../../src/core/rng.ts";
import { openStore } from "../../src/engine/journal/store/open-store.ts";
import { exportRun } from "../../src/engine/journal/transfer/export-run.ts";
import { cassetteFromRun } from "../../src/engine/journal/transfer/stored-run.ts";
import { conversationTable, turnTable } from "../../src/engine/journal/transfer/tables.ts";
import { runScenarios } from "../../src/engine/run/run-scenarios.ts";
import { pooledRates } from "../../src/insight/report/data/run-rates.ts";
import { runTraffic } from "../../src/insight/report/data/traffic.ts";
import { resultsText } from "../../src/insight/report/text/results-text.ts";
import { PLAIN_STYLE } from "../../src/system/terminal/terminal.ts";
import { chainOf, memoryModel, yesJudge } from "../engine/held.ts";

const TRIES = process.env.ELENCHUS_ATTACK === undefined ? 30 : 1000;
const folder = mkdtempSync(join(tmpdir(), "elenchus-attack-"));
const original = join(folder, "original.db");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  const store = await openStore(original);
  const subjects = memoryModel("subject", (message) => `yes ${message.repeat(40)}`);
  await runScenarios({ scenarios: chainOf(2), subjects, judge: yesJudge(), replicates: 2, store, run: "r" })
    .results;
  store.close();
});

/** Everything that commands read of a store. */
async function readAll(path: string): Promise<void> {
  await withRuns(path, (store) => {
    for (const { run } of store.runs()) {
      const summary = store.run(run);
      if (summary === undefined) continue;
      resultsText(pooledRates(store, summary), { style: PLAIN_STYLE, width: 80 });
      runTraffic(store, run);
      for (const _ of exportRun(store, run));
      for (const _ of conversationTable(store, run));
      for (const _ of turnTable(store, run));
      for (const _ of store.scores(run, { turns: true }));
      cassetteFromRun(store, run);
    }
  });
}

/** Errors that people read as a sentence. */
const EXPECTED = ["StoreError", "RunError"];

test(`${TRIES} stores with changed bytes`, async () => {
  const fallen: string[] = [];
  const path = join(folder, "bytes.db");
  for (let index = 0; index < TRIES; index++) {
    const rng = new Rng(`bytes ${index}`);
    const bytes = readFileSync(original);
    for (let change = 0; change < 1 + rng.next() * 30; change++)
      bytes[Math.floor(rng.next() * bytes.length)] = Math.floor(rng.next() * 256);
    writeFileSync(path, rng.next() < 0.1 ? bytes.subarray(0, Math.floor(rng.next() * bytes.length)) : bytes);
    await readAll(path).catch((error: Error) => {
      if (!EXPECTED.includes(error.name)) fallen.push(`bytes ${index}: ${error.stack?.slice(0, 400)}`);
    });
  }
  expect(fallen).toEqual([]);
}, 600_000);

/** What a stranger can write with any tool for databases. */
const FORGED: readonly string[] = [
  "UPDATE message SET previous = id",
  "UPDATE message SET previous = id + 1",
  "UPDATE call SET messages = 999999",
  "UPDATE call SET reply = '{'",
  "UPDATE call SET reply = 'null'",
  "UPDATE setting SET data = '[]'",
  "UPDATE event SET data = '{'",
  "UPDATE event SET data = 'null'",
  "UPDATE event SET data = '[]'",
  "UPDATE event SET type = 99",
  "UPDATE event SET turn = -5",
  'UPDATE event SET data = \'{"__proto__":{"polluted":1}}\'',
  "UPDATE event SET data = replace(data, '\"node\"', '\"x\"')",
  "UPDATE text SET value = '\u001b[2J'",
  "DELETE FROM text",
  "UPDATE run SET start = '{}'",
  "UPDATE run SET start = '['",
  "UPDATE run SET tags = '{'",
  "UPDATE run SET tags = '5'",
  "UPDATE run SET writer = '{'",
  "UPDATE run SET name = char(27) || '[2J' || char(10) || '::error::x'",
  "UPDATE conversation SET status = '::error::' || char(27)",
  "UPDATE conversation SET judging = '{'",
  "UPDATE conversation SET judging = '5'",
  "UPDATE conversation SET variant = '['",
  "UPDATE conversation SET position = 9e999",
  "UPDATE outcome SET kind = 'boolean', value = 7",
  "UPDATE turn SET verdict = '__proto__'",
  "UPDATE tally SET count = 9e999",
  "UPDATE tally SET count = -1",
  "UPDATE tally SET value = '{' WHERE kind IN ('reason', 'outcome')",
  "UPDATE tally SET name = '[' WHERE kind = 'path'",
  "UPDATE tally SET kind = 'unknown'",
  "UPDATE cell SET variant = '{'",
  "PRAGMA user_version = 3",
  "DROP TABLE tally",
  "DROP TABLE event",
  "DROP INDEX event_by_conversation",
  "CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM run; END",
  "CREATE VIEW v AS SELECT * FROM v2; CREATE VIEW v2 AS SELECT * FROM v",
];

test.each(FORGED)("a store with %s", async (sql) => {
  const path = join(folder, "forged.db");
  for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  copyFileSync(original, path);
  const database = new Database(path);
  database.pragma("foreign_keys = OFF");
  try {
    database.exec(sql);
  } catch {
    // A forgery that the schema itself refuses.
  }
  database.close();
  const error: unknown = await readAll(path).catch((thrown: unknown) => thrown);
  if (error !== undefined) expect(`${(error as Error).name}`, (error as Error).stack).toBe("StoreError");
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("a store whose journal names another file does not delete it", async () => {
  const path = join(folder, "journal.db");
  copyFileSync(original, path);
  const precious = join(folder, "precious.txt");
  writeFileSync(precious, "mine");
  // SQLite removes the journal of several databases that such a name stands for.
  const name = Buffer.from(precious);
  const magic = Buffer.from("d9d505f920a163d7", "hex");
  const [head, tail] = [Buffer.alloc(512), Buffer.alloc(12)];
  magic.copy(head);
  for (const [index, value] of [0, 1, statSync(path).size / 8192, 512, 8192].entries())
    head.writeInt32BE(value, 8 + 4 * index);
  tail.writeInt32BE(0x40000000 / 8192 + 1);
  tail.writeInt32BE(name.length, 4);
  tail.writeInt32BE(
    name.reduce((sum, byte) => sum + byte),
    8,
  );
  const journal = Buffer.concat([head, tail.subarray(0, 4), name, tail.subarray(4), magic]);
  for (const opens of [() => readAll(path), async () => (await openStore(path)).close()]) {
    writeFileSync(`${path}-journal`, journal);
    await opens();
    expect(readFileSync(precious, "utf8")).toBe("mine");
  }
});
