import type BetterSqlite3 from "better-sqlite3";
import { knownIndexes } from "./store-schema.ts";

/** An index of columns alone, which a person may have added. */
const PLAIN_INDEX = /^CREATE (?:UNIQUE )?INDEX \w+ ON \w+ ?\([\w, ]+\)$/i;

/** What computes in a table, besides columns that are generated. */
const COMPUTING = /\bCHECK\b|\bDEFAULT\s*[(/-]|\bVIRTUAL\b/i;

const GENERATED = `SELECT s.type, s.name FROM sqlite_schema s, pragma_table_xinfo(s.name) c
WHERE s.type = 'table' AND c.hidden > 1 LIMIT 1`;

interface SchemaPart {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

/**
 * What a database has that would run SQL of its author as soon as a table is read or written; undefined if there is nothing. A view, a
 * trigger, an index or a column that computes can run without end, and cannot be interrupted.
 */
export function strangeSchema(database: BetterSqlite3.Database): string | undefined {
  const parts = database.prepare("SELECT type, name, sql FROM sqlite_schema").all() as readonly SchemaPart[];
  const strange =
    parts.find(({ type, sql }) => {
      // An index without a text belongs to a key.
      const text = spaced(sql ?? "");
      if (type === "table") return COMPUTING.test(text);
      return type !== "index" || (text !== "" && !knownIndexes().includes(text) && !PLAIN_INDEX.test(text));
    }) ?? (database.prepare(GENERATED).get() as SchemaPart | undefined);
  if (strange === undefined) return undefined;
  return `its ${strange.type} ${JSON.stringify(strange.name)} is not one of a store`;
}

function spaced(sql: string): string {
  return sql.trim().replace(/\s+/g, " ");
}
