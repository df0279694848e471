import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cellOf, conversationStart, runStart } from "../../../apps/contracts/store-contract-samples.ts";
import { openStore } from "./open-store.ts";
import { BROWSING_INDEXES } from "./store-schema.ts";

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

test("the indexes to find conversations are made for the thousandth, and not before", async () => {
  const store = await openStore(path);
  const few = indexes();
  const journal = store.begin(runStart("one"));
  for (let index = 0; index < 999; index++) journal.append(conversationStart(`c${index}`, cellOf(index)));
  await journal.durable();
  expect(indexes()).toEqual(few);
  journal.append(conversationStart("last", cellOf(999)));
  await journal.durable();
  expect(indexes()).toHaveLength(few.length + BROWSING_INDEXES.length);
  // They are in use already by a connection that was open before.
  expect([...store.conversations("one")]).toHaveLength(1000);
  store.close();
});
