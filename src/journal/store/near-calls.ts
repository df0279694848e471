import type { ChainLink } from "./message-chains.ts";
import type { SqlDatabase } from "./sql-database.ts";

/** What calls are compared with. */
export interface NearTo {
  readonly link: ChainLink | null;
  /** The model's name. */
  readonly name: string;
  readonly limit: number;
}

/** How far towards its beginning a list is followed. */
const MOST_BEGINNINGS = 500;

/** The rows of calls that are most like one: the same beginning of messages first, then the same model, then any. */
export function nearCalls(database: SqlDatabase, { link, name, limit }: NearTo): readonly number[] {
  const near = new Set<number>();
  const add = (ids: readonly number[]): void => {
    for (const id of ids) if (near.size < limit) near.add(id);
  };
  const ids = (sql: string, ...values: readonly (string | number)[]): readonly number[] =>
    database.raw<readonly [number]>(sql, ...values).map(([id]) => id);
  const start = longestKnown(database, link);
  if (start !== null) {
    // What goes on from the common beginning, and then what ends on the way to it.
    add(ids(AFTER, start, limit));
    add(ids(BEFORE, start, MOST_BEGINNINGS, limit));
  }
  if (near.size < limit) add(ids(SAME_MODEL, name, limit));
  if (near.size < limit) add(ids(ANY, limit));
  return [...near];
}

function longestKnown(database: SqlDatabase, last: ChainLink | null): number | null {
  for (let link = last; link !== null; link = link.previous) {
    const id = database.value<number>("SELECT id FROM message WHERE hash = ?", link.hash);
    if (id !== undefined) return id;
  }
  return null;
}

const AFTER = `
WITH RECURSIVE after (id) AS (
  SELECT CAST(? AS BIGINT) UNION ALL SELECT message.id FROM after JOIN message ON message.previous = after.id)
SELECT call.id FROM after JOIN call ON call.messages = after.id LIMIT ?`;

const BEFORE = `
WITH RECURSIVE before (id, step) AS (
  SELECT CAST(? AS BIGINT), 0
  UNION ALL
  SELECT message.previous, step + 1 FROM before JOIN message ON message.id = before.id
  WHERE message.previous IS NOT NULL AND step < ?)
SELECT call.id FROM before JOIN call ON call.messages = before.id LIMIT ?`;

const SAME_MODEL = `
SELECT call.id FROM setting JOIN call ON call.setting = setting.id WHERE setting.name = ? ORDER BY call.id DESC LIMIT ?`;

const ANY = "SELECT id FROM call ORDER BY id DESC LIMIT ?";
