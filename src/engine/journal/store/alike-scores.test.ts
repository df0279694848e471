import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fillForViewer } from "../../../../bench/viewer-filling.ts";
import { openSqlDatabase, openStore } from "./open-store.ts";
import type { ConversationScore } from "./store.ts";

/** How often there is what, without names. */
function counted(scores: Iterable<ConversationScore>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { item, subject, status, outcomes, turns } of scores) {
    const key = JSON.stringify([item, subject, status, [...outcomes].sort(), turns]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

test("conversations that are alike are one object, given as often as there are", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-alike-"));
  const path = join(folder, "elenchus.db");
  const store = await openStore(path);
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await fillForViewer(store, 4_000);
  for (const options of [{}, { turns: true }, { subject: "openai/large" }]) {
    const each = [...store.scores("large", options)];
    const alike = [...store.scores("large", { ...options, alike: true })];
    expect(alike.length).toBe(each.length);
    expect(new Set(alike).size).toBeLessThan(0.75 * each.length);
    expect(counted(alike)).toEqual(counted(each));
  }
  // Two numbers that differ in their last digit are not taken for one.
  const database = await openSqlDatabase(path, { readOnly: true });
  const { exact } = database.dialect;
  const [texts] = database.raw<readonly string[]>(`SELECT ${exact("?")}, ${exact("?")}`, 0.1 + 0.2, 0.3);
  database.close();
  expect(new Set(texts).size).toBe(2);
});
