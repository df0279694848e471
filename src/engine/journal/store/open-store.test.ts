import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  cellOf,
  conversationStart,
  recordedCall,
  runStart,
  turnEvents,
} from "../../../apps/contracts/store-contract-samples.ts";
import { migrate } from "./open-database.ts";
import { openStore } from "./open-store.ts";
import type { Store } from "./store.ts";
import { StoreError } from "./store-error.ts";
import { FORMAT_VERSION, MIGRATIONS } from "./store-schema.ts";

let folder: string;
let path: string;
const opened: Store[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "elenchus-open-"));
  path = join(folder, "elenchus.db");
});

afterEach(() => {
  for (const store of opened.splice(0)) store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(...parameters: Parameters<typeof openStore>): Promise<Store> {
  const store = await openStore(...parameters);
  opened.push(store);
  return store;
}

async function refusal(action: () => unknown): Promise<StoreError> {
  const error = await Promise.resolve()
    .then(action)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(StoreError);
  return error as StoreError;
}

/** The file must be refused, with this in the message, and stay as it is. */
async function expectRefused(code: StoreError["code"], words: RegExp): Promise<void> {
  const before = readFileSync(path);
  const error = await refusal(() => openStore(path));
  expect(error).toMatchObject({ code, path, message: expect.stringMatching(words) });
  expect(error.message).toContain(path);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(folder)).toEqual(["elenchus.db"]);
}

test("a database of another program that was left in the middle of a change is not a store", async () => {
  const foreign = new Database(path);
  foreign.exec("CREATE TABLE bookmarks (url TEXT)");
  foreign.close();
  writeFileSync(`${path}-journal`, "");
  expect(await refusal(() => openStore(path))).toMatchObject({ code: "not_a_store" });
  const after = new Database(path);
  const tables = after.prepare("SELECT name FROM sqlite_schema").pluck().all();
  after.close();
  expect(tables).toEqual(["bookmarks"]);
});

test.each([
  ["view run", "ALTER TABLE run RENAME TO other; CREATE VIEW run AS SELECT * FROM other"],
  ["trigger t", "CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM run; END"],
])("a store with a %s that runs SQL of its own is refused", async (part, sql) => {
  (await openStore(path)).close();
  const forged = new Database(path);
  forged.exec(sql);
  forged.close();
  await expectRefused("not_a_store", new RegExp(`its ${part} would run SQL`));
});

test("a store to which a person has added a table and an index is a store", async () => {
  (await openStore(path)).close();
  const own = new Database(path);
  own.exec("CREATE TABLE notes (run TEXT, note TEXT); CREATE INDEX by_node ON turn (node, model)");
  own.close();
  (await openStore(path)).close();
});

test("a path below a file is refused", async () => {
  writeFileSync(path, "");
  const error = await refusal(() => openStore(join(path, "below", "elenchus.db")));
  expect(error.message).toContain("below");
});

test("damage in the middle of the file is told as such", async () => {
  const store = await openStore(path);
  const journal = store.begin(runStart("one"));
  for (let turn = 1; turn <= 200; turn++)
    for (const event of turnEvents({
      conversation: "c",
      turn,
      reply: `${turn} `.repeat(200),
      verdict: true,
      at: 1,
    }))
      journal.append(event);
  store.close();
  const bytes = readFileSync(path);
  bytes.fill(0x5a, 8192);
  writeFileSync(path, bytes);
  const error = await refusal(async () => {
    const damaged = await open(path);
    return [...damaged.events("one")];
  });
  expect(error).toMatchObject({ code: "corrupt", message: expect.stringMatching(/damaged.*Restore/) });
});

test("an empty file becomes a store", async () => {
  writeFileSync(path, "");
  (await open(path)).begin(runStart("one"));
});

test("a store that is opened for reading can be read, and nothing else", async () => {
  expect(await refusal(() => openStore(path, { readOnly: true }))).toMatchObject({
    code: "missing",
    message: expect.stringContaining("There is no store"),
  });
  const writing = await open(path);
  const journal = writing.begin(runStart("one"));
  await journal.durable();
  const reading = await open(path, { readOnly: true });
  expect([...reading.events("one")]).toEqual([runStart("one")]);
  expect(await refusal(() => reading.begin(runStart("two")))).toMatchObject({ code: "read_only" });
  expect(await refusal(() => reading.delete("one"))).toMatchObject({ code: "read_only" });
  reading.calls.keep(recordedCall([], "x"));
  expect(reading.runs()).toHaveLength(1);
});

test("opening brings an older format up to date, all steps or none", () => {
  const old = new Database(path);
  migrate(old, path);
  const next = FORMAT_VERSION + 1;
  const added = { version: next, sql: "ALTER TABLE run ADD COLUMN note TEXT" };
  const broken = { version: next + 1, sql: "ALTER TABLE nothing ADD COLUMN note TEXT" };
  expect(() => migrate(old, path, [...MIGRATIONS, added, broken])).toThrow(/nothing/);
  expect(old.pragma("user_version", { simple: true })).toBe(FORMAT_VERSION);
  migrate(old, path, [...MIGRATIONS, added]);
  expect(old.pragma("user_version", { simple: true })).toBe(next);
  expect(old.prepare("SELECT note FROM run").all()).toEqual([]);
  old.close();
});

/** Locks the file against readers, as a process does that prepares it; longer than SQLite waits by itself. */
const LOCKING = `
const { parentPort, workerData: { library, path } } = require("node:worker_threads");
const file = new (require(library))(path);
file.exec("BEGIN EXCLUSIVE");
parentPort.postMessage("locked");
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
file.exec("COMMIT");
file.close();`;

test.each([{}, { readOnly: true }])(
  "a file that another process prepares is waited for: %j",
  async (options) => {
    const unprepared = new Database(path);
    migrate(unprepared, path);
    unprepared.close();
    const library = createRequire(import.meta.url).resolve("better-sqlite3");
    const locker = new Worker(LOCKING, { eval: true, workerData: { library, path } });
    await once(locker, "message");
    const store = await open(path, options);
    expect(store.runs()).toEqual([]);
    await once(locker, "exit");
  },
);

test("texts that another connection has removed are written again", async () => {
  const [one, other] = [await open(path), await open(path)];
  const reply = "a text that only one run refers to, so that it goes with this run";
  const write = async (store: Store, run: string): Promise<void> => {
    const journal = store.begin(runStart(run));
    for (const event of turnEvents({ conversation: "c", turn: 1, reply, verdict: true, at: 1 }))
      journal.append(event);
    await journal.durable();
  };
  await write(one, "first");
  other.delete("first");
  other.compact();
  await write(one, "second");
  expect([...other.events("second", "c")]).toHaveLength(5);
});

test("a run that another connection deletes while it is written is told as such", async () => {
  const [one, other] = [await open(path), await open(path)];
  const journal = one.begin(runStart("one"));
  await journal.durable();
  other.delete("one");
  other.begin(runStart("another"));
  journal.append(conversationStart("c", cellOf(0)));
  expect(await refusal(() => journal.durable())).toMatchObject({ code: "no_run" });
  expect([...other.conversations("another")]).toEqual([]);
});

test("so is one whose conversation is under way, or that only ends", async () => {
  const [one, other] = [await open(path), await open(path)];
  const journal = one.begin(runStart("one"));
  journal.append(conversationStart("c", cellOf(0)));
  await journal.durable();
  other.delete("one");
  for (const event of turnEvents({ conversation: "c", turn: 1, reply: "", verdict: true, at: 1 }))
    journal.append(event);
  expect(await refusal(() => journal.durable())).toMatchObject({ code: "no_run" });
  const ending = other.begin(runStart("two"));
  await ending.durable();
  (await open(path)).delete("two");
  const spending = { calls: 0, cached: 0, tokens: 0, cost: 0 };
  ending.append({ type: "run-end", statuses: {}, spending, at: 1 });
  expect(await refusal(() => ending.durable())).toMatchObject({ code: "no_run" });
  const after = await open(path);
  expect(after.runs()).toEqual([]);
});

test("the file of a long conversation grows with its replies, and no faster", async () => {
  const sizes: number[] = [];
  for (const turns of [50, 100]) {
    const file = join(folder, `${turns}.db`);
    const store = await openStore(file);
    const journal = store.begin(runStart("one"));
    let messages = recordedCall([], "").request.messages;
    for (let turn = 1; turn <= turns; turn++) {
      const reply = `${turn} ${"says something new each time. ".repeat(70)}`;
      for (const event of turnEvents({ conversation: "c", turn, reply, verdict: true, at: turn }))
        journal.append(event);
      messages = [...messages, Object.freeze({ role: "user", content: `Question ${turn}?` })];
      store.calls.keep(recordedCall(messages, reply));
      messages = [...messages, Object.freeze({ role: "assistant", content: reply })];
    }
    store.close();
    sizes.push(readFileSync(file).length);
  }
  const [half, whole] = sizes as [number, number];
  expect(whole).toBeLessThan(2.1 * half);
  expect(whole).toBeLessThan(100 * 5_000 + 300_000);
});

test("the file says what it is to those who look from outside", async () => {
  (await openStore(path)).close();
  const file = readFileSync(path);
  expect(file.toString("latin1", 68, 72)).toBe("Elen");
  expect(file.readInt32BE(60)).toBe(FORMAT_VERSION);
  expect(execFileSync("ls", ["-A", folder], { encoding: "utf8" })).toBe("elenchus.db\n");
});

test("without a path it is the store of the folder", () => {
  const program = `import { openStore } from ${JSON.stringify(new URL("./open-store.ts", import.meta.url))}; (await openStore()).close();`;
  execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd: folder });
  expect(readdirSync(join(folder, ".elenchus"))).toContain("elenchus.db");
});
