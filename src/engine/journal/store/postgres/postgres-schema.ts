/** A change of the format of a store on a server. */
export interface PostgresMigration {
  /** The version that the store has afterwards. */
  readonly version: number;
  readonly sql: string;
}

/** An answered call: of the project, or of the run that it came with. */
const CALL = `purpose TEXT NOT NULL,
  setting BIGINT NOT NULL,
  messages BIGINT,
  replicate DOUBLE PRECISION NOT NULL,
  seed DOUBLE PRECISION NOT NULL,
  reply TEXT NOT NULL,
  kept_at DOUBLE PRECISION NOT NULL`;

/**
 * Every change of the format, in order. A step that was released is never edited: a change is a new step. The tables are those of
 * a file (`store-schema.ts`), without the steps by which files came there; what differs has a comment.
 */
export const POSTGRES_MIGRATIONS: readonly PostgresMigration[] = [
  {
    version: 1,
    sql: `
CREATE TABLE text (
  hash TEXT COLLATE "C" PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE run (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE,
  parent TEXT,
  tags TEXT NOT NULL DEFAULT '[]',
  started_at DOUBLE PRECISION NOT NULL,
  ended_at DOUBLE PRECISION,
  writer TEXT,
  start TEXT NOT NULL
);

-- Processes take ids in blocks, so that a new conversation needs no question.
CREATE SEQUENCE conversation_block INCREMENT BY 1000 MINVALUE 1000;
CREATE TABLE conversation (
  id BIGINT PRIMARY KEY,
  run BIGINT NOT NULL REFERENCES run ON DELETE CASCADE,
  name TEXT COLLATE "C" NOT NULL,
  position DOUBLE PRECISION NOT NULL,
  scenario TEXT NOT NULL,
  scenario_hash TEXT NOT NULL,
  subject TEXT NOT NULL,
  judge TEXT NOT NULL,
  replicate DOUBLE PRECISION NOT NULL,
  "row" DOUBLE PRECISION,
  row_id TEXT,
  variant TEXT,
  arm TEXT,
  parent DOUBLE PRECISION,
  item TEXT,
  row_values TEXT,
  status TEXT,
  failure TEXT,
  attempt DOUBLE PRECISION NOT NULL,
  turns DOUBLE PRECISION NOT NULL,
  passed BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  unreadable BIGINT NOT NULL,
  unjudged BIGINT NOT NULL,
  unverified BIGINT NOT NULL,
  not_verified BIGINT NOT NULL DEFAULT 0,
  calls DOUBLE PRECISION NOT NULL,
  cached DOUBLE PRECISION NOT NULL,
  tokens DOUBLE PRECISION,
  cost DOUBLE PRECISION,
  started_at DOUBLE PRECISION,
  ended_at DOUBLE PRECISION,
  judging TEXT,
  UNIQUE (run, name)
-- Rows change with every turn; with room beside them, their indexes need not.
) WITH (fillfactor = 70);
CREATE INDEX conversation_in_order ON conversation (run, position, id);
CREATE INDEX conversation_by_status ON conversation (run, status, position, id);
CREATE INDEX conversation_by_subject ON conversation (run, subject, position, id);
CREATE INDEX conversation_by_scenario ON conversation (run, scenario, position, id);
CREATE INDEX conversation_by_item ON conversation (run, item, subject, replicate);

CREATE TABLE turn (
  conversation BIGINT NOT NULL REFERENCES conversation ON DELETE CASCADE,
  turn BIGINT NOT NULL,
  node TEXT NOT NULL,
  agent TEXT,
  model TEXT,
  verdict TEXT,
  read_status TEXT,
  score DOUBLE PRECISION,
  refused BIGINT,
  next TEXT,
  calls DOUBLE PRECISION,
  cached DOUBLE PRECISION,
  tokens DOUBLE PRECISION,
  cost DOUBLE PRECISION,
  latency_ms DOUBLE PRECISION,
  started_at DOUBLE PRECISION,
  ended_at DOUBLE PRECISION,
  edge BIGINT,
  PRIMARY KEY (conversation, turn)
);
CREATE INDEX turn_by_node ON turn (node, verdict, edge) WHERE verdict IS NOT NULL;

CREATE TABLE outcome (
  conversation BIGINT NOT NULL REFERENCES conversation ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  value DOUBLE PRECISION,
  status TEXT NOT NULL,
  PRIMARY KEY (conversation, name)
);

-- The server gives the ids when it writes: of a conversation that another process goes on with, later events have greater ones.
CREATE TABLE event (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run BIGINT NOT NULL,
  conversation BIGINT,
  type INTEGER NOT NULL,
  turn BIGINT,
  at DOUBLE PRECISION NOT NULL,
  data TEXT NOT NULL
);
CREATE INDEX event_by_run ON event (run, id);
CREATE INDEX event_by_conversation ON event (conversation, id) WHERE conversation IS NOT NULL;
CREATE INDEX event_of_run ON event (run, id) WHERE conversation IS NULL;

CREATE TABLE message (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash TEXT COLLATE "C" NOT NULL UNIQUE,
  previous BIGINT,
  data TEXT NOT NULL
);
CREATE INDEX message_by_previous ON message (previous);

CREATE TABLE setting (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash TEXT COLLATE "C" NOT NULL UNIQUE,
  name TEXT NOT NULL,
  data TEXT NOT NULL
);
CREATE INDEX setting_by_name ON setting (name);

CREATE TABLE call (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  identity TEXT COLLATE "C" NOT NULL UNIQUE,
  ${CALL}
);
CREATE INDEX call_by_messages ON call (messages);
CREATE INDEX call_by_setting ON call (setting);

CREATE TABLE run_call (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run BIGINT NOT NULL REFERENCES run ON DELETE CASCADE,
  identity TEXT COLLATE "C" NOT NULL,
  ${CALL},
  UNIQUE (run, identity)
);

CREATE TABLE cell (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run BIGINT NOT NULL REFERENCES run ON DELETE CASCADE,
  scenario TEXT NOT NULL,
  subject TEXT NOT NULL,
  judge TEXT NOT NULL,
  variant TEXT NOT NULL,
  arm TEXT NOT NULL,
  position DOUBLE PRECISION NOT NULL,
  UNIQUE (run, scenario, subject, judge, variant, arm)
);

CREATE TABLE tally (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  cell BIGINT NOT NULL REFERENCES cell ON DELETE CASCADE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  -- Names and values may be longer than an index takes.
  key TEXT GENERATED ALWAYS AS (md5(name) || md5(value)) STORED,
  count DOUBLE PRECISION NOT NULL
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX tally_by_name ON tally (cell, kind, key);

-- The processes that write, each with the number of the last group that it has written: a group is never written twice.
CREATE SEQUENCE writer_id;
CREATE TABLE writer (
  id BIGINT PRIMARY KEY,
  groups BIGINT NOT NULL,
  at TIMESTAMPTZ NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- Calls that a process is making now; not kept after a crash of the server.
CREATE UNLOGGED TABLE claim (
  identity TEXT COLLATE "C" PRIMARY KEY,
  writer BIGINT NOT NULL,
  at TIMESTAMPTZ NOT NULL DEFAULT now()
);
`,
  },
  {
    version: 2,
    sql: `
-- Runs that workers hold, and what all of them together may spend.
CREATE TABLE work_run (
  run BIGINT PRIMARY KEY REFERENCES run ON DELETE CASCADE,
  sheet TEXT NOT NULL,
  state TEXT NOT NULL,
  deadline TIMESTAMPTZ,
  usd_limit DOUBLE PRECISION,
  tokens_limit DOUBLE PRECISION,
  calls_limit DOUBLE PRECISION,
  usd DOUBLE PRECISION NOT NULL DEFAULT 0,
  tokens DOUBLE PRECISION NOT NULL DEFAULT 0,
  calls DOUBLE PRECISION NOT NULL DEFAULT 0,
  usd_reserved DOUBLE PRECISION NOT NULL DEFAULT 0,
  tokens_reserved DOUBLE PRECISION NOT NULL DEFAULT 0
) WITH (fillfactor = 10);

-- Their conversations, those that share calls together. The writer is the process that has claimed them.
CREATE SEQUENCE work_done;
CREATE TABLE work_job (
  run BIGINT NOT NULL REFERENCES run ON DELETE CASCADE,
  job TEXT COLLATE "C" NOT NULL,
  data TEXT NOT NULL,
  writer BIGINT,
  -- How often it was claimed: at first, none of its conversations has begun.
  claims INTEGER NOT NULL,
  done BIGINT,
  conversations TEXT,
  PRIMARY KEY (run, job)
);
CREATE INDEX work_job_open ON work_job (run) WHERE done IS NULL;
CREATE INDEX work_job_done ON work_job (run, done) WHERE done IS NOT NULL;

-- Workers that are alive, or were a short time ago.
CREATE TABLE worker (
  id BIGINT PRIMARY KEY,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  seen_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  report JSONB NOT NULL
) WITH (fillfactor = 50);
`,
  },
  {
    version: 3,
    sql: `
-- To list the conversations that have ended by what they took; what is not known comes first.
CREATE INDEX conversation_by_turns ON conversation (run, turns, id) WHERE status IS NOT NULL;
CREATE INDEX conversation_by_cost ON conversation (run, coalesce(cost, -1), id) WHERE status IS NOT NULL;
CREATE INDEX conversation_by_time ON conversation (run, coalesce(ended_at - started_at, -1), id) WHERE status IS NOT NULL;
`,
  },
  {
    version: 4,
    sql: `
-- To find the few conversations in which an outcome is something rare; numbers are not looked for.
CREATE INDEX outcome_by_value ON outcome (name, status, value, conversation) WHERE kind = 'boolean' OR status <> 'decided';
-- The first and the last conversation of a run.
CREATE INDEX conversation_of_run ON conversation (run, id);
-- What persons said about replies.
CREATE INDEX event_of_label ON event (run, id) WHERE type = 19;
`,
  },
  { version: 5, sql: "ALTER TABLE conversation ADD COLUMN item_hash TEXT;" },
];

/** The version that this release writes. */
export const POSTGRES_VERSION: number = Math.max(...POSTGRES_MIGRATIONS.map(({ version }) => version));
