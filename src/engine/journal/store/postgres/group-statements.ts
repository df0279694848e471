import { type Column, PLACE, SAVED, TURN } from "../conversation-columns.ts";
import type { GroupStep } from "./thread-messages.ts";

/** The types of columns whose values are not texts. */
const TYPES: Readonly<Record<string, string>> = {
  ...typed(
    "BIGINT",
    "id run conversation turn refused edge passed failed unreadable unjudged unverified not_verified most is_kept",
  ),
  ...typed(
    "DOUBLE PRECISION",
    "at position replicate row parent attempt turns calls cached tokens cost started_at ended_at score latency_ms seed kept_at count",
  ),
  ...typed("INTEGER", "type"),
};

function typed(type: string, names: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, type]));
}

const bare = (name: string): string => name.replaceAll('"', "");

/** The rows that a statement is given, as a table. `own` are types of columns that mean something else elsewhere. */
function given(columns: readonly string[], own: Readonly<Record<string, string>> = {}): string {
  const types = columns.map((name) => `${name} ${own[bare(name)] ?? TYPES[bare(name)] ?? "TEXT"}`);
  return `json_to_recordset($1) AS given (${types.join(", ")})`;
}

const list = (columns: readonly string[], table?: string): string =>
  columns.map((name) => (table === undefined ? name : `${table}.${name}`)).join(", ");

const set = (columns: readonly string[], from: string): string =>
  columns.map((name) => `${name} = ${from}.${name}`).join(", ");

function insert(table: string, columns: readonly string[], own?: Readonly<Record<string, string>>): string {
  return `INSERT INTO ${table} (${list(columns)}) SELECT ${list(columns)} FROM ${given(columns, own)}`;
}

function update(columns: readonly string[]): string {
  return `UPDATE conversation SET ${set(columns, "given")} FROM ${given(["id", ...columns])} WHERE conversation.id = given.id`;
}

const CALL = ["purpose", "replicate", "seed", "reply", "kept_at"];

/** Keeps calls. A list of messages that is gone because texts were removed meanwhile leaves its call out: it is asked for again. */
function keepCalls(table: string, key: readonly string[]): string {
  const columns = [...key, ...CALL];
  return `WITH kept AS (
  INSERT INTO ${table} (${list(columns)}, setting, messages)
  SELECT ${list(columns, "given")}, setting.id, message.id
  FROM ${given([...columns, "setting", "messages"])}
  JOIN setting ON setting.hash = given.setting LEFT JOIN message ON message.hash = given.messages
  WHERE given.messages IS NULL OR message.id IS NOT NULL
  ON CONFLICT (${list(key)}) DO UPDATE SET ${set([...CALL, "setting", "messages"], "excluded")}
  RETURNING xmax)
INSERT INTO meta (key, value) SELECT 'unused', '1' FROM kept WHERE xmax::text <> '0' LIMIT 1 ON CONFLICT (key) DO NOTHING`;
}

const CELL = ["run", "scenario", "subject", "judge", "variant", "arm"];
const IN_CELL = `JOIN cell ON ${CELL.map((name) => `cell.${name} = given.${name}`).join(" AND ")}`;
const ADD = "ON CONFLICT (cell, kind, key) DO UPDATE SET count = tally.count + excluded.count";

/** Names that are new take the places that are left; what has none is counted together. */
const LIMITED = `WITH placed AS (
  SELECT cell.id AS cell, given.*, row_number() OVER (PARTITION BY cell.id, kind ORDER BY ordinality) AS number
  FROM (SELECT row_number() OVER () AS ordinality, given.* FROM ${given([...CELL, "kind", "name", "value", "count", "most", "other", "other_value", "is_kept"])}) AS given ${IN_CELL}),
chosen AS (
  SELECT *, EXISTS (SELECT 1 FROM tally WHERE tally.cell = placed.cell AND tally.kind = placed.kind
      AND tally.key = md5(placed.name) || md5(placed.value))
    OR is_kept = 1 AND number + (SELECT count(*) FROM tally WHERE tally.cell = placed.cell AND tally.kind = placed.kind) <= most
    AS is_named FROM placed)
INSERT INTO tally (cell, kind, name, value, count)
SELECT cell, kind, CASE WHEN is_named THEN name ELSE other END, CASE WHEN is_named THEN value ELSE other_value END, sum(count)
FROM chosen GROUP BY 1, 2, 3, 4 ORDER BY min(ordinality) ${ADD}`;

/** What the rows of a group are written with, in the order in which they are. */
export const STATEMENTS: ReadonlyMap<GroupTable, { readonly sql: string; readonly isExact?: boolean }> =
  new Map([
    ["setting", { sql: `${insert("setting", ["hash", "name", "data"])} ON CONFLICT (hash) DO NOTHING` }],
    [
      "message",
      {
        // Without the one before it, a message would begin another list.
        sql: `INSERT INTO message (hash, previous, data) SELECT given.hash, earlier.id, given.data
        FROM ${given(["hash", "previous", "data"])} LEFT JOIN message AS earlier ON earlier.hash = given.previous
        WHERE given.previous IS NULL OR earlier.id IS NOT NULL ORDER BY given.hash ON CONFLICT (hash) DO NOTHING`,
      },
    ],
    ["call", { sql: keepCalls("call", ["identity"]) }],
    ["runCall", { sql: keepCalls("run_call", ["run", "identity"]) }],
    ["newConversation", { sql: insert("conversation", ["id", "run", "name", ...PLACE, ...SAVED, "status"]) }],
    ["saveConversation", { sql: update(SAVED), isExact: true }],
    ["placeConversation", { sql: update(PLACE) }],
    ["endConversation", { sql: update(["status"]) }],
    ["event", { sql: insert("event", ["run", "conversation", "type", "turn", "at", "data"]) }],
    [
      "turn",
      {
        sql: `${insert("turn", ["conversation", "turn", ...TURN])}
        ON CONFLICT (conversation, turn) DO UPDATE SET ${set(TURN, "excluded")}`,
      },
    ],
    [
      "dropTurn",
      {
        sql: `DELETE FROM turn USING ${given(["conversation", "turn"])}
        WHERE turn.conversation = given.conversation AND turn.turn = given.turn`,
      },
    ],
    [
      "outcome",
      {
        sql: `${insert("outcome", ["conversation", "name", "kind", "value", "status"], { value: "DOUBLE PRECISION" })}
        ON CONFLICT (conversation, name) DO UPDATE SET ${set(["kind", "value", "status"], "excluded")}`,
      },
    ],
    [
      "dropOutcome",
      {
        sql: `DELETE FROM outcome USING ${given(["conversation", "name"])}
        WHERE outcome.conversation = given.conversation AND outcome.name = given.name`,
      },
    ],
    [
      "endRun",
      {
        sql: `UPDATE run SET ended_at = given.at, writer = NULL FROM ${given(["run", "at"])} WHERE run.id = given.run`,
        isExact: true,
      },
    ],
    [
      "cell",
      {
        // Locks the row in any case: who adds to the counts of a cell does so alone.
        sql: `${insert("cell", [...CELL, "position"])} ON CONFLICT (${list(CELL)})
        DO UPDATE SET position = excluded.position WHERE cell.position > excluded.position`,
      },
    ],
    [
      "tally",
      {
        sql: `INSERT INTO tally (cell, kind, name, value, count) SELECT cell.id, kind, name, value, count
        FROM ${given([...CELL, "kind", "name", "value", "count"])} ${IN_CELL} ${ADD}`,
      },
    ],
    ["limitedTally", { sql: LIMITED }],
    [
      "dropTally",
      {
        sql: `DELETE FROM tally USING ${given(CELL)} ${IN_CELL} WHERE tally.cell = cell.id AND tally.count = 0`,
      },
    ],
  ]);

/** The tables of a group, and what is done with their rows. */
export type GroupTable =
  | "setting"
  | "message"
  | "call"
  | "runCall"
  | "newConversation"
  | "saveConversation"
  | "placeConversation"
  | "endConversation"
  | "event"
  | "turn"
  | "dropTurn"
  | "outcome"
  | "dropOutcome"
  | "endRun"
  | "cell"
  | "tally"
  | "limitedTally"
  | "dropTally";

/** The statement that writes some rows. */
export function tableStep(table: GroupTable, rows: readonly Readonly<Record<string, Column>>[]): GroupStep {
  // Every table has its statement.
  const { sql, isExact = false } = STATEMENTS.get(table) as {
    readonly sql: string;
    readonly isExact?: boolean;
  };
  const isPlain = !rows.some(isOdd);
  let json = JSON.stringify(rows);
  // Most rows need no second look, which takes longer than writing them.
  if (!isPlain || json.includes("\\u0000")) json = JSON.stringify(rows, plain);
  return isExact ? { sql, json, expected: rows.length } : { sql, json };
}

function isOdd(row: Readonly<Record<string, Column>>): boolean {
  for (const key in row) {
    const value = row[key];
    if (typeof value === "number" && !Number.isFinite(value)) return true;
  }
  return false;
}

/** What neither JSON nor PostgreSQL can hold: numbers without end, and zero bytes in texts. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
}
