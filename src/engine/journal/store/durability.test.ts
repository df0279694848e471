import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { runStart } from "../../../apps/contracts/store-contract-samples.ts";
import { exportRun } from "../transfer/export-run.ts";
import { openDatabase } from "./open-database.ts";
import { openStore } from "./open-store.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "elenchus-durable-"));
  path = join(folder, "a.db");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

describe("a store on read-only media", () => {
  /** The file that SQLite needs beside a database cannot be made. */
  const makeReadOnly = (file: string): string | undefined => mkdirSync(`${file}-shm`, { recursive: true });

  test("is listed, shown and exported, and no copy of it is left behind", async () => {
    const store = await openStore(path);
    await store.begin(runStart("one")).durable();
    store.close();
    makeReadOnly(path);
    const copies = (): readonly string[] =>
      readdirSync(tmpdir()).filter((name) => name.startsWith("elenchus-read-"));
    const before = copies();
    const reading = await openStore(path, { readOnly: true });
    expect(copies().filter((name) => !before.includes(name))).toEqual([]);
    expect(reading.runs().map(({ run }) => run)).toEqual(["one"]);
    expect([...reading.events("one")]).toEqual([runStart("one")]);
    expect(reading.results("one")).toEqual([]);
    expect([...exportRun(reading, "one")]).toHaveLength(2);
    reading.close();
  });

  test("has what was written last, also if it was copied while it was open", async () => {
    const store = await openStore(path);
    await store.begin(runStart("one")).durable();
    const copy = join(folder, "copied.db");
    for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, `${copy}${end}`);
    store.close();
    makeReadOnly(copy);
    const reading = await openStore(copy, { readOnly: true });
    expect(reading.runs().map(({ run }) => run)).toEqual(["one"]);
    reading.close();
  });
});

test("what was committed is flushed once a second, however much it is", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const fs = process.getBuiltinModule("node:fs");
  const opened = vi.spyOn(fs, "open");
  onTestFinished(() => opened.mockRestore());
  const flushes = (): number => opened.mock.calls.filter(([file]) => file === `${path}-wal`).length;
  const store = await openStore(path);
  const journal = store.begin(runStart("one"));
  await journal.durable();
  expect(flushes()).toBe(0);
  vi.advanceTimersByTime(1000);
  expect(flushes()).toBe(1);
  vi.advanceTimersByTime(5000);
  expect(flushes()).toBe(1);
  for (let index = 0; index < 10; index++) store.tag("one", [`${index}`]);
  vi.advanceTimersByTime(1000);
  expect(flushes()).toBe(2);
  store.tag("one", []);
  store.close();
  vi.advanceTimersByTime(5000);
  expect(flushes()).toBe(2);
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test("the log is copied into the file, and so flushed, by size too: it does not grow with what is written", async () => {
  const store = await openStore(path);
  const journal = store.begin(runStart("one"));
  let largest = 0;
  for (let index = 0; index < 400; index++) {
    const message = `${index} ${"x".repeat(200_000)}`;
    journal.append({ type: "warning", code: "a_code", message, at: index });
    if (index % 10 === 0) await journal.durable();
    largest = Math.max(largest, statSync(`${path}-wal`).size);
  }
  await journal.durable();
  expect(statSync(path).size).toBeGreaterThan(40_000_000);
  expect(largest).toBeLessThan(25_000_000);
  store.close();
});

test("with durable, every group is flushed", async () => {
  const synchronous = async (durable: boolean): Promise<unknown> => {
    const { connection } = await openDatabase(path, { durable });
    const value = connection.pragma("synchronous", { simple: true });
    connection.close();
    return value;
  };
  expect(await synchronous(false)).toBe(1);
  expect(await synchronous(true)).toBe(2);
});
