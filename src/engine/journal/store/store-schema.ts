/** Tells a store from other SQLite files: "Elen". */
export const APPLICATION_ID = 0x456c656e;

/** A change of the format of the file. */
export interface Migration {
  /** The version that a file has afterwards. */
  readonly version: number;
  readonly sql: string;
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
  -- The position of the row in its dataset, its id, and its short values as JSON.
  row REAL,
  row_id TEXT,
  row_values TEXT,
  -- What a person sees in place of the id.
  row_name TEXT,
  -- The level of each factor, as JSON.
  variant TEXT,
  arm TEXT,
  -- The position of the conversation that an arm continues.
  parent REAL,
  -- The key of pairing: what conversations about the same row of the same scenario have in common.
  item TEXT NOT NULL,
  -- The hash of what the scenario uses of the row.
  item_hash TEXT,
  status TEXT,
  failure TEXT,
  attempt REAL NOT NULL,
  turns REAL NOT NULL,
  passed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  unreadable INTEGER NOT NULL,
  unjudged INTEGER NOT NULL,
  unverified INTEGER NOT NULL,
  not_verified INTEGER NOT NULL,
  calls REAL NOT NULL,
  cached REAL NOT NULL,
  tokens REAL,
  cost REAL,
  started_at REAL,
  ended_at REAL,
  -- What its judges did, as JSON (JudgeCounts).
  judging TEXT NOT NULL,
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
  -- The edge by which the conversation left the turn, as its position in the scenario.
  edge INTEGER,
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
-- Without an index by run, which would be one more to write: the events of a run are found by its conversations.
CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  conversation INTEGER,
  type INTEGER NOT NULL,
  turn INTEGER,
  at REAL NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX event_by_conversation ON event (conversation) WHERE conversation IS NOT NULL;
-- The events of a run as a whole, and what persons said about replies.
CREATE INDEX event_of_run ON event (run) WHERE conversation IS NULL;
CREATE INDEX event_of_label ON event (run) WHERE type = 19;

-- The ids of messages and settings are never used again: readers remember what they stand for.
CREATE TABLE message (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  previous INTEGER REFERENCES message,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX message_by_previous ON message (previous);

CREATE TABLE setting (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;

CREATE TABLE call (
  id INTEGER PRIMARY KEY,
  -- The run that the call came with from elsewhere; 0 for the calls of the project.
  run INTEGER NOT NULL,
  identity ANY NOT NULL,
  purpose TEXT NOT NULL,
  setting INTEGER NOT NULL REFERENCES setting,
  messages INTEGER REFERENCES message,
  replicate REAL NOT NULL,
  seed REAL NOT NULL,
  reply TEXT NOT NULL,
  kept_at REAL NOT NULL,
  UNIQUE (run, identity)
) STRICT;
CREATE INDEX call_by_messages ON call (messages);
CREATE INDEX call_by_setting ON call (setting);

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
`,
  },
];

/** The version that this release reads and writes. */
export const FORMAT_VERSION: number = Math.max(...MIGRATIONS.map(({ version }) => version));

/** With so many conversations a file gets the indexes that lists are read by. Each takes a page of 8 kB, and few need none. */
export const MANY_CONVERSATIONS = 1_000;

/** The indexes of a file with many conversations: one for each condition and order that `RunBrowser` walks along. */
export const BROWSING_INDEXES: readonly string[] = [
  "CREATE INDEX IF NOT EXISTS conversation_by_status ON conversation (run, status, position)",
  "CREATE INDEX IF NOT EXISTS conversation_by_subject ON conversation (run, subject, position)",
  "CREATE INDEX IF NOT EXISTS conversation_by_scenario ON conversation (run, scenario, position)",
  "CREATE INDEX IF NOT EXISTS conversation_by_item ON conversation (run, item, subject, replicate)",
  "CREATE INDEX IF NOT EXISTS conversation_by_turns ON conversation (run, turns) WHERE status IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS conversation_by_cost ON conversation (run, coalesce(cost, -1)) WHERE status IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS conversation_by_time ON conversation (run, coalesce(ended_at - started_at, -1)) WHERE status IS NOT NULL",
  // Rare, and looked for.
  "CREATE INDEX IF NOT EXISTS conversation_cut_short ON conversation (run, position) WHERE status NOT IN ('completed', 'limit_reached')",
  "CREATE INDEX IF NOT EXISTS conversation_unreadable ON conversation (run, position) WHERE unreadable > 0",
  "CREATE INDEX IF NOT EXISTS conversation_unjudged ON conversation (run, position) WHERE unjudged > 0",
];
