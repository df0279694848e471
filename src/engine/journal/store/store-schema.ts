import { lazy } from "../../../core/lazy.ts";
import { foldConversation } from "../fold/conversation.ts";
import { conversationCounts } from "../fold/tally.ts";
import type { GroupRows } from "./group.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { StoreReader } from "./store-reader.ts";
import { TallyWriter } from "./tally-table.ts";
import { TextTable } from "./text-table.ts";

/** Tells a store from other SQLite files: "Elen". */
export const APPLICATION_ID = 0x456c656e;

/** A change of the format of the file. */
export interface Migration {
  /** The version that a file has afterwards. */
  readonly version: number;
  readonly sql: string;
  /** What is computed from what the file has, after the SQL. */
  readonly fill?: (database: SqlDatabase, rows: GroupRows) => void;
}

/** Every change of the format, in order. A step that was released is never edited: a change is a new step. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    sql: `
CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;

CREATE TABLE text (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  parent TEXT,
  tags TEXT NOT NULL DEFAULT '[]',
  started_at REAL NOT NULL,
  ended_at REAL,
  -- The process that writes the run, while it does.
  writer TEXT,
  start TEXT NOT NULL
) STRICT;

CREATE TABLE conversation (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  name TEXT NOT NULL,
  position REAL NOT NULL,
  scenario TEXT NOT NULL,
  scenario_hash TEXT NOT NULL,
  subject TEXT NOT NULL,
  judge TEXT NOT NULL,
  replicate REAL NOT NULL,
  row REAL,
  status TEXT,
  failure TEXT,
  attempt REAL NOT NULL,
  turns REAL NOT NULL,
  passed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  unreadable INTEGER NOT NULL,
  unjudged INTEGER NOT NULL,
  unverified INTEGER NOT NULL,
  calls REAL NOT NULL,
  cached REAL NOT NULL,
  tokens REAL,
  cost REAL,
  started_at REAL,
  ended_at REAL,
  UNIQUE (run, name)
) STRICT;
CREATE INDEX conversation_in_order ON conversation (run, position);

CREATE TABLE turn (
  conversation INTEGER NOT NULL REFERENCES conversation ON DELETE CASCADE,
  turn INTEGER NOT NULL,
  node TEXT NOT NULL,
  agent TEXT,
  model TEXT,
  verdict TEXT,
  read_status TEXT,
  score REAL,
  refused INTEGER,
  next TEXT,
  calls REAL,
  cached REAL,
  tokens REAL,
  cost REAL,
  latency_ms REAL,
  started_at REAL,
  ended_at REAL,
  PRIMARY KEY (conversation, turn)
) STRICT, WITHOUT ROWID;

CREATE TABLE outcome (
  conversation INTEGER NOT NULL REFERENCES conversation ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  value REAL,
  status TEXT NOT NULL,
  PRIMARY KEY (conversation, name)
) STRICT, WITHOUT ROWID;

-- Without foreign keys, which would cost a fifth of the time of writing: deleting a run deletes its events first.
CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  conversation INTEGER,
  type INTEGER NOT NULL,
  turn INTEGER,
  at REAL NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX event_by_run ON event (run);
CREATE INDEX event_by_conversation ON event (conversation) WHERE conversation IS NOT NULL;

CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  previous INTEGER REFERENCES message,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX message_by_previous ON message (previous);

CREATE TABLE setting (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX setting_by_name ON setting (name);

CREATE TABLE call (
  id INTEGER PRIMARY KEY,
  identity ANY NOT NULL UNIQUE,
  purpose TEXT NOT NULL,
  setting INTEGER NOT NULL REFERENCES setting,
  messages INTEGER REFERENCES message,
  replicate REAL NOT NULL,
  seed REAL NOT NULL,
  reply TEXT NOT NULL,
  kept_at REAL NOT NULL
) STRICT;
CREATE INDEX call_by_messages ON call (messages);
CREATE INDEX call_by_setting ON call (setting);
`,
  },
  // Events say `node` and `turnCount` for `nodeId` and `turns`; those of version 1 stay as they are, and are read by either name.
  { version: 2, sql: "" },
  // What the judges of a conversation did, as JSON (`JudgeCounts`); null in conversations of earlier versions.
  { version: 3, sql: "ALTER TABLE conversation ADD COLUMN judging TEXT;" },
  // `row` stays the position of a row. Conversations of earlier versions have no id of a row, and their item is not stored.
  {
    version: 4,
    sql: `
ALTER TABLE conversation ADD COLUMN row_id TEXT;
-- The level of each factor, as JSON.
ALTER TABLE conversation ADD COLUMN variant TEXT;
ALTER TABLE conversation ADD COLUMN arm TEXT;
-- The position of the conversation that an arm continues.
ALTER TABLE conversation ADD COLUMN parent REAL;
-- The key of pairing: what conversations about the same row of the same scenario have in common.
ALTER TABLE conversation ADD COLUMN item TEXT;
-- To list the conversations of a run page by page, also those of one status, subject or scenario.
CREATE INDEX conversation_by_status ON conversation (run, status, position);
CREATE INDEX conversation_by_subject ON conversation (run, subject, position);
CREATE INDEX conversation_by_scenario ON conversation (run, scenario, position);
-- To find the conversation that one is compared with.
CREATE INDEX conversation_by_item ON conversation (run, item, subject, replicate);

-- The events of a run as a whole.
CREATE INDEX event_of_run ON event (run) WHERE conversation IS NULL;

-- Conversations that are counted together. Without variant or arm, these are empty.
CREATE TABLE cell (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  scenario TEXT NOT NULL,
  subject TEXT NOT NULL,
  judge TEXT NOT NULL,
  variant TEXT NOT NULL,
  arm TEXT NOT NULL,
  position REAL NOT NULL,
  UNIQUE (run, scenario, subject, judge, variant, arm)
) STRICT;

-- What the conversations of a cell that have ended come to; see docs/reference/store.md.
CREATE TABLE tally (
  id INTEGER PRIMARY KEY,
  cell INTEGER NOT NULL REFERENCES cell ON DELETE CASCADE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  count REAL NOT NULL,
  UNIQUE (cell, kind, name, value)
) STRICT;

-- Calls that came with a run from elsewhere.
CREATE TABLE run_call (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  identity ANY NOT NULL,
  purpose TEXT NOT NULL,
  setting INTEGER NOT NULL,
  messages INTEGER,
  replicate REAL NOT NULL,
  seed REAL NOT NULL,
  reply TEXT NOT NULL,
  kept_at REAL NOT NULL,
  UNIQUE (run, identity)
) STRICT;
-- How many turns a gate left out of verification.
ALTER TABLE conversation ADD COLUMN not_verified INTEGER NOT NULL DEFAULT 0;
-- The edge by which a conversation left a turn, as its position in the scenario.
ALTER TABLE turn ADD COLUMN edge INTEGER;
-- To find the few turns of a node with a rare verdict, or that left it by a rare edge.
CREATE INDEX turn_by_node ON turn (node, verdict, edge) WHERE verdict IS NOT NULL;
`,
    fill: fillTallies,
  },
  // The short values of a conversation's row, as JSON; null without a row, and in conversations of earlier versions.
  { version: 5, sql: "ALTER TABLE conversation ADD COLUMN row_values TEXT;" },
  // To list the conversations that have ended by what they took; what is not known comes first.
  {
    version: 6,
    sql: `
CREATE INDEX conversation_by_turns ON conversation (run, turns) WHERE status IS NOT NULL;
CREATE INDEX conversation_by_cost ON conversation (run, coalesce(cost, -1)) WHERE status IS NOT NULL;
CREATE INDEX conversation_by_time ON conversation (run, coalesce(ended_at - started_at, -1)) WHERE status IS NOT NULL;
`,
  },
  // To find what is rare in a run of any size.
  {
    version: 7,
    sql: `
-- Conversations in which an outcome is something; numbers are not looked for.
CREATE INDEX outcome_by_value ON outcome (name, status, value) WHERE kind = 'boolean' OR status <> 'decided';
-- The first and the last conversation of a run.
CREATE INDEX conversation_of_run ON conversation (run);
-- What persons said about replies.
CREATE INDEX event_of_label ON event (run) WHERE type = 19;
`,
  },
  // Less to write with each event: what is found by run is found by the conversations of the run, and settings are few.
  {
    version: 8,
    sql: `
DROP INDEX event_by_run;
DROP INDEX setting_by_name;
`,
  },
  // Each index takes a page. Of few conversations, everything is found without.
  { version: 9, sql: "", fill: dropBrowsingIndexes },
  // The hash of what the scenario uses of the row.
  { version: 10, sql: "ALTER TABLE conversation ADD COLUMN item_hash TEXT;" },
];

/** From this many conversations on, a file has indexes to find some of them. */
export const MANY_CONVERSATIONS = 1_000;

const BROWSING_INDEXES: readonly string[] = [
  "conversation_by_status",
  "conversation_by_subject",
  "conversation_by_scenario",
  "conversation_by_item",
  "conversation_by_turns",
  "conversation_by_cost",
  "conversation_by_time",
  "conversation_of_run",
  "outcome_by_value",
  "turn_by_node",
];

/** The indexes that every release has made, as they were written. Whoever imports the library need not wait for them. */
export const knownIndexes: () => readonly string[] = lazy(() =>
  MIGRATIONS.flatMap(({ sql }) => sql.replace(/--.*$/gm, "").split(";"))
    .map((statement) => statement.trim().replace(/\s+/g, " "))
    .filter((statement) => statement.startsWith("CREATE INDEX")),
);

/** Makes the indexes that a file with many conversations has. */
export function addBrowsingIndexes(database: SqlDatabase): void {
  for (const sql of knownIndexes())
    if (BROWSING_INDEXES.some((name) => sql.startsWith(`CREATE INDEX ${name} `)))
      database.run(sql.replace("INDEX", "INDEX IF NOT EXISTS"));
}

function dropBrowsingIndexes(database: SqlDatabase): void {
  // Ids count up, and are never used again.
  const last = database.value<number | null>("SELECT max(id) FROM conversation") ?? 0;
  if (last < MANY_CONVERSATIONS)
    for (const name of BROWSING_INDEXES) database.run(`DROP INDEX IF EXISTS ${name}`);
}

/** The version that this release writes. */
export const FORMAT_VERSION: number = Math.max(...MIGRATIONS.map(({ version }) => version));

/** The oldest version that can be read without being brought up to date first. */
export const READABLE_VERSION = 1;

/** How many conversations are counted before the counts are written. */
const AT_ONCE = 1000;

/** Counts the conversations of a file that was written by an earlier version, within a transaction. */
function fillTallies(database: SqlDatabase, rows: GroupRows): void {
  const reader = new StoreReader(database, new TextTable(database));
  const tallies = new TallyWriter();
  let waiting = 0;
  const runs = database.all<{ id: number; name: string }>("SELECT id, name FROM run");
  for (const { id, name } of runs) {
    for (const { conversation, status } of reader.conversations(name)) {
      if (status === null) continue;
      const folded = foldConversation(reader.events(name, conversation));
      tallies.add(id, folded.cell, conversationCounts(folded));
      if (++waiting % AT_ONCE === 0) tallies.save(rows);
    }
  }
  tallies.save(rows);
}
