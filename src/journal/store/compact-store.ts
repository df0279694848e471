import type BetterSqlite3 from "better-sqlite3";
import { textsIn } from "./text-codec.ts";

/** Where texts are referred to. */
const REFERRING: readonly (readonly [table: string, column: string])[] = [
  ["event", "data"],
  ["message", "data"],
  ["call", "reply"],
  ["setting", "data"],
  ["run", "start"],
];

const PORTION = 1000;

/** Removes what nothing refers to; called within a transaction. */
export function removeUnused(database: BetterSqlite3.Database, callsBefore: number | undefined): void {
  if (callsBefore !== undefined) database.prepare("DELETE FROM call WHERE kept_at < ?").run(callsBefore);
  database.exec(`
DELETE FROM event WHERE run NOT IN (SELECT id FROM run);
DELETE FROM setting WHERE id NOT IN (SELECT setting FROM call);
WITH RECURSIVE used (id) AS (
  SELECT messages FROM call WHERE messages IS NOT NULL
  UNION
  SELECT previous FROM used JOIN message ON message.id = used.id WHERE previous IS NOT NULL)
DELETE FROM message WHERE id NOT IN (SELECT id FROM used);`);
  collectUsed(database);
  database.exec(`
DELETE FROM text WHERE hash NOT IN (SELECT hash FROM temp.used);
DROP TABLE temp.used;
DELETE FROM meta WHERE key = 'unused';`);
}

/** How many texts nothing refers to. Nothing is looked through if nothing was ever removed. */
export function countUnused(database: BetterSqlite3.Database): number {
  if (database.prepare("SELECT 1 FROM meta WHERE key = 'unused'").get() === undefined) return 0;
  collectUsed(database);
  const sql = "SELECT count(*) FROM text WHERE hash NOT IN (SELECT hash FROM temp.used)";
  const count = database.prepare<[], number>(sql).pluck().get();
  database.exec("DROP TABLE temp.used");
  return count ?? 0;
}

/** A temporary table of the texts that are referred to, so that a store of any size fits in memory. */
function collectUsed(database: BetterSqlite3.Database): void {
  database.exec("CREATE TEMP TABLE used (hash TEXT PRIMARY KEY) WITHOUT ROWID");
  const use = database.prepare("INSERT INTO temp.used VALUES (?) ON CONFLICT DO NOTHING");
  for (const [table, column] of REFERRING) {
    const page = database.prepare<[number], { id: number; data: string }>(
      `SELECT id, ${column} AS data FROM ${table} WHERE id > ? ORDER BY id LIMIT ${PORTION}`,
    );
    for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? 0))
      for (const { data } of rows) for (const hash of textsIn(data)) use.run(hash);
  }
}
