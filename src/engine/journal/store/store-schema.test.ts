import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cellOf, conversationStart, runStart } from "../../../apps/contracts/store-contract-samples.ts";
import { migrate } from "./open-database.ts";
import { openStore } from "./open-store.ts";
import { MIGRATIONS } from "./store-schema.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "elenchus-schema-"));
  path = join(folder, "elenchus.db");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function indexes(): readonly unknown[] {
  const file = new Database(path, { readonly: true });
  const names = file
    .prepare("SELECT sql FROM sqlite_schema WHERE type = 'index' ORDER BY name")
    .pluck()
    .all();
  file.close();
  return names;
}

/** A file of version 8 whose last conversation has an id. */
function fileOfVersion8(id: number): void {
  const old = new Database(path);
  migrate(
    old,
    path,
    MIGRATIONS.filter((step) => step.version <= 8),
  );
  old.exec(`INSERT INTO run (name, started_at, start) VALUES ('r', 1, '{"type":"run-start","run":"r","scenarios":{}}');
    INSERT INTO conversation (id, run, name, position, scenario, scenario_hash, subject, judge, replicate, attempt, turns,
      passed, failed, unreadable, unjudged, unverified, calls, cached)
    VALUES (${id}, 1, 'c', 0, 's', 'h', 'm', 'j', 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)`);
  old.close();
}

test("the indexes to find conversations are made for the thousandth, and not before", async () => {
  fileOfVersion8(1);
  const all = indexes();
  rmSync(path);
  const store = await openStore(path);
  const journal = store.begin(runStart("one"));
  for (let index = 0; index < 999; index++) journal.append(conversationStart(`c${index}`, cellOf(index)));
  await journal.durable();
  expect(indexes()).toHaveLength(all.length - 10);
  journal.append(conversationStart("last", cellOf(999)));
  await journal.durable();
  expect(indexes()).toEqual(all);
  // They are in use already by a connection that was open before.
  expect([...store.conversations("one")]).toHaveLength(1000);
  store.close();
});

test("a file of version 8 loses the indexes of a large one only if it is small", async () => {
  fileOfVersion8(1000);
  const all = indexes();
  (await openStore(path)).close();
  expect(indexes()).toEqual(all);
  rmSync(path);
  fileOfVersion8(999);
  (await openStore(path)).close();
  expect(indexes()).toHaveLength(all.length - 10);
});
