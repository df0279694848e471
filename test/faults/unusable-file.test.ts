import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { openStore } from "elenchus";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { failed, finished, prepareChildren, type StartChild } from "./child.ts";
import { type CountingServer, startCountingServer } from "./counting-server.ts";

let folder: string;
let startChild: StartChild;
let server: CountingServer;
let places = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "elenchus-unusable-"));
  startChild = await prepareChildren();
  // Others than the owner must be able to load the program.
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  server = await startCountingServer();
});
afterEach(() => server.close());

/** A folder of its own for each test. */
async function place(): Promise<string> {
  const path = join(folder, `place-${++places}`);
  await mkdir(path);
  return path;
}

/** The names and contents of everything in a folder. */
async function contents(path: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(path)).toSorted();
  const hashes = names.map(async (name) => {
    const bytes = await readFile(join(path, name)).catch((error: NodeJS.ErrnoException) => error.code ?? "");
    return [name, createHash("sha256").update(bytes).digest("hex")] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

/** A store with one finished run. */
async function storeIn(path: string): Promise<string> {
  const file = join(path, "store.db");
  finished(await startChild({ file, run: "before", url: server.url }).ended);
  return file;
}

function database(file: string, sql: string): void {
  const opened = new Database(file);
  opened.exec(sql);
  opened.close();
}

describe("what is no store of this release is left as it is", () => {
  const CASES: readonly (readonly [string, string, string, (file: string) => unknown])[] = [
    ["a text", "not_a_store", "it is not a database", (file) => writeFile(file, "Dear diary,\n".repeat(50))],
    ["a folder", "not_a_store", "it is a folder", (file) => mkdir(file)],
    [
      "a database of another program",
      "not_a_store",
      "another program",
      (file) => database(file, "CREATE TABLE mine (x); INSERT INTO mine VALUES (1)"),
    ],
    [
      "a database of another program in WAL mode",
      "not_a_store",
      "another program",
      (file) => database(file, "PRAGMA journal_mode = WAL; CREATE TABLE run (x)"),
    ],
    [
      "a store of a newer release",
      "newer_format",
      "Use a newer release",
      async (file) => {
        await (await openStore(file)).close();
        database(file, "PRAGMA user_version = 99");
      },
    ],
    [
      "a store without its end",
      "corrupt",
      "damaged",
      async (file) => {
        await (await openStore(file)).close();
        await writeFile(file, (await readFile(file)).subarray(0, 20_000));
      },
    ],
  ];

  test.for(CASES)("%s", async ([, code, part, make]) => {
    const path = await place();
    const file = join(path, "store.db");
    await make(file);
    const before = await contents(path);
    for (const readOnly of [false, true])
      await expect(openStore(file, { readOnly })).rejects.toMatchObject({
        name: "StoreError",
        code,
        message: expect.stringContaining(part),
      });
    const failure = failed(await startChild({ file, run: "r", url: server.url }).ended);
    expect(failure).toMatchObject({ name: "StoreError", code });
    expect(server.seen).toEqual([]);
    expect(await contents(path)).toEqual(before);
  });
});

/** Root may write anything, so the process becomes nobody. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534 } : {};

describe.runIf(process.getuid !== undefined)("what may not be written", () => {
  test.for([
    ["file", 0o444, 0o777],
    ["folder", 0o666, 0o555],
  ] as const)("a %s", async ([, ofFile, ofFolder]) => {
    const path = await place();
    const file = await storeIn(path);
    const before = await contents(path);
    const calls = server.seen.length;
    await chmod(file, ofFile);
    await chmod(path, ofFolder);
    const failure = failed(await startChild({ file, run: "r", url: server.url }, NOBODY).ended);
    expect(failure).toMatchObject({ name: "StoreError", code: "read_only" });
    expect(failure.message).toContain("Check the permissions");
    expect(server.seen).toHaveLength(calls);
    expect(await contents(path)).toEqual(before);
    await chmod(path, 0o755);
  });
});
