import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { CALLS } from "./benchmark.ts";
import { failed, finished, prepareChildren, type StartChild } from "./child.ts";
import { type CountingServer, startCountingServer } from "./counting-server.ts";
import { wholeRun } from "./whole-run.ts";

let folder: string;
let startChild: StartChild;
let server: CountingServer;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "elenchus-locked-"));
  startChild = await prepareChildren();
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  server = await startCountingServer();
});
afterEach(() => server.close());

/** The file of a store with one finished run. */
async function store(): Promise<string> {
  const file = join(folder, `${++files}.db`);
  finished(await startChild({ file, run: "before", url: server.url }).ended);
  return file;
}

test("locked before it is a store", async () => {
  const file = join(folder, `${++files}.db`);
  const holder = new Database(file);
  holder.exec("BEGIN EXCLUSIVE");
  const assignment = { file, run: "r", url: server.url, lockTimeoutMs: 150 };
  expect(failed(await startChild(assignment).ended)).toMatchObject({ name: "StoreError", code: "locked" });
  expect(server.seen).toEqual([]);
  holder.exec("ROLLBACK");
  holder.close();
  finished(await startChild(assignment).ended);
});

test("locked for too long, in the middle: the run ends, and can be resumed", async () => {
  const file = await store();
  const before = server.seen.length;
  const holder = new Database(file);
  server.onRequest = () => {
    if (server.seen.length === before + CALLS / 2) holder.exec("BEGIN IMMEDIATE");
  };
  const assignment = { file, run: "r", url: server.url, fresh: true, lockTimeoutMs: 150 };
  expect(failed(await startChild(assignment).ended)).toMatchObject({ name: "StoreError", code: "locked" });
  holder.exec("ROLLBACK");
  holder.close();
  server.onRequest = () => {};
  finished(await startChild(assignment).ended);
  expect(await wholeRun(file, "r")).toEqual(await wholeRun(file, "before"));
});

test("locked for a while, in the middle: the run waits", async () => {
  const file = await store();
  const before = server.seen.length;
  const holder = new Database(file);
  server.onRequest = () => {
    if (server.seen.length !== before + CALLS / 2) return;
    holder.exec("BEGIN IMMEDIATE");
    setTimeout(() => holder.exec("ROLLBACK"), 200);
  };
  finished(await startChild({ file, run: "r", url: server.url, fresh: true }).ended);
  holder.close();
  expect(await wholeRun(file, "r")).toEqual(await wholeRun(file, "before"));
  expect(server.seen).toHaveLength(before + CALLS);
});
