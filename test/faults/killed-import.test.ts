import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { openStore, runScenarios } from "elenchus";
import { exportRun, importRun, memoryStore } from "elenchus/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { chainOf, memoryModel } from "../engine/held.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

let folder: string;
let lines: readonly string[];

/** Long enough for several groups of rows. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "elenchus-killed-import-"));
  const store = memoryStore();
  let calls = 0;
  const subjects = memoryModel("subject", () => `yes ${`${calls++} `.repeat(50_000)}`);
  const options = { scenarios: chainOf(2), replicates: 24, allowUnread: true, store, run: "r" };
  await runScenarios({ ...options, subjects }).results;
  lines = [...exportRun(store, "r")];
});
afterAll(() => rm(folder, { recursive: true }));

/** The names of all runs in a file, also of those that readers do not see. */
function namesIn(file: string): readonly unknown[] {
  if (!existsSync(file)) return [];
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare("SELECT name FROM run").pluck().all();
  } catch {
    // Its tables are being made.
    return [];
  } finally {
    database.close();
  }
}

test("a long file is imported as it is, and nothing is left of one that proves broken at its end", async () => {
  const store = await openStore(join(folder, "broken.db"));
  await expect(importRun(store, lines.slice(0, -1))).rejects.toThrow(
    `line ${lines.length}: the file ends here without its last line`,
  );
  expect(store.runs()).toEqual([]);
  expect(store.calls.size).toBe(0);
  await importRun(store, lines, { useCalls: true });
  expect([...exportRun(store, "r")]).toEqual(lines);
  expect(store.calls.size).toBe(store.callsOf("r").size);
  await expect(importRun(store, lines)).rejects.toThrow('There is a run "r" in the store already.');
  await store.close();
});

test("of an import that is killed nothing can be seen, and the next one removes what it left", async () => {
  const file = join(folder, "killed.db");
  const child = spawn(process.execPath, [CLI, "import", "-", "--store", file], {
    cwd: folder,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.on("error", () => {});
  // All but the end: it waits for more.
  child.stdin.write(lines.slice(0, -1).join(""));
  await vi.waitUntil(() => namesIn(file).length > 0, { timeout: 60_000, interval: 20 });
  child.kill("SIGKILL");
  await once(child, "exit");
  const store = await openStore(file);
  expect(store.runs()).toEqual([]);
  expect(store.run("r")).toBeUndefined();
  await importRun(store, lines);
  expect(store.runs().map(({ run }) => run)).toEqual(["r"]);
  expect([...exportRun(store, "r")]).toEqual(lines);
  await store.close();
  expect(namesIn(file)).toEqual(["r"]);
});
