import { StoreError } from "../store-error.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** The version of the tables that this release reads and writes. */
export const SERVER_FORMAT = 1;

/** What a store is on a server: a log of events, answered calls, and the tables with which workers share out their work. */
const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);

-- The processes that write, each with the number of the last group that it has written: a group is never written twice. A negative
-- number means that others have taken over its work: it may write nothing more.
CREATE SEQUENCE writer_id;
CREATE TABLE writer (
  id BIGINT PRIMARY KEY,
  process TEXT NOT NULL,
  groups BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- The first event of a run is its row. The writer leads the run, until it ends.
CREATE TABLE run (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE,
  parent TEXT,
  tags TEXT NOT NULL DEFAULT '[]',
  start TEXT NOT NULL,
  is_over BOOLEAN NOT NULL DEFAULT false,
  writer BIGINT
);

-- The processes that have written events of a run: readers remember how far they have read each of them.
CREATE TABLE run_writer (
  run BIGINT NOT NULL REFERENCES run ON DELETE CASCADE,
  writer BIGINT NOT NULL,
  PRIMARY KEY (run, writer)
);

-- Events as JSON. A process writes one group after the other, so that its ids grow in the order in which they can be seen.
CREATE TABLE event (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run BIGINT NOT NULL REFERENCES run ON DELETE CASCADE,
  writer BIGINT NOT NULL,
  conversation TEXT,
  data TEXT NOT NULL
);
CREATE INDEX event_of_writer ON event (run, writer, id);
CREATE INDEX event_of_conversation ON event (run, md5(conversation), id);

-- What the requests of calls are made of, each part once: settings, and messages with the messages before them.
CREATE TABLE part (
  hash TEXT COLLATE "C" PRIMARY KEY,
  previous TEXT COLLATE "C" REFERENCES part,
  data TEXT NOT NULL
);
CREATE INDEX part_by_previous ON part (previous);

-- Answered calls. Those of run 0 are the project's, others came with a run and answer no other. Ids as those of events.
CREATE SEQUENCE call_id;
CREATE TABLE call (
  id BIGINT NOT NULL DEFAULT nextval('call_id'),
  run BIGINT NOT NULL,
  writer BIGINT NOT NULL,
  identity TEXT COLLATE "C" NOT NULL,
  purpose TEXT NOT NULL,
  settings TEXT COLLATE "C" NOT NULL REFERENCES part,
  messages TEXT COLLATE "C" REFERENCES part,
  replicate DOUBLE PRECISION NOT NULL,
  seed DOUBLE PRECISION NOT NULL,
  reply TEXT NOT NULL,
  kept_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (run, identity)
);
CREATE INDEX call_of_writer ON call (writer, id);
CREATE INDEX call_by_settings ON call (settings);
CREATE INDEX call_by_messages ON call (messages);

-- Calls that a process is making now; not kept after a crash of the server.
CREATE UNLOGGED TABLE claim (
  identity TEXT COLLATE "C" PRIMARY KEY,
  writer BIGINT NOT NULL
);

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
  -- How often a worker that held it was gone.
  takeovers INTEGER NOT NULL DEFAULT 0,
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

INSERT INTO meta VALUES ('format', '${SERVER_FORMAT}'), ('id', gen_random_uuid());
`;

/** Names what is locked while the tables are made. */
const LOCK = 0x456c6572;

/** Where the tables are. */
interface SchemaPlace {
  readonly schema: string;
  readonly shown: string;
  readonly isReadOnly: boolean;
}

/** Makes the tables of a store if there are none, and refuses what this release cannot use. */
export async function prepareSchema(
  connection: PostgresConnection,
  { schema, shown, isReadOnly }: SchemaPlace,
): Promise<void> {
  const refuse = (code: "missing" | "not_a_store" | "newer_format", message: string): never => {
    throw new StoreError(code, message, { path: shown });
  };
  const isReady = async (): Promise<boolean> => {
    const tables = await tablesIn(connection, schema);
    if (tables.length === 0) return false;
    const { rows } = tables.includes("meta")
      ? await connection.query("SELECT value FROM meta WHERE key = 'format'")
      : { rows: [] };
    const format = rows[0]?.[0];
    if (format === undefined)
      refuse(
        "not_a_store",
        `The schema ${schema} of ${shown} contains tables of another program. Nothing was changed; choose another with ?schema=.`,
      );
    if (format !== String(SERVER_FORMAT))
      refuse(
        "newer_format",
        `The store ${shown} has format ${format}, and this release knows format ${SERVER_FORMAT}. Use the release that made it, or another schema.`,
      );
    return true;
  };
  if (await isReady()) return;
  if (isReadOnly)
    refuse("missing", `There is no store at ${shown}. Check the address, or run something first.`);
  await connection.exec("BEGIN");
  try {
    // One process makes the tables; others wait, and find them.
    await connection.query("SELECT pg_advisory_xact_lock($1::int, hashtext($2))", [LOCK, schema]);
    const { rows } = await connection.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
    if (rows.length === 0) await connection.exec(`CREATE SCHEMA "${schema.replaceAll('"', '""')}"`);
    if (!(await isReady())) await connection.exec(TABLES);
    await connection.exec("COMMIT");
  } catch (error) {
    await connection.exec("ROLLBACK").catch(() => {});
    throw error;
  }
}

async function tablesIn(connection: PostgresConnection, schema: string): Promise<readonly unknown[]> {
  const { rows } = await connection.query(
    `SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relkind = 'r'`,
    [schema],
  );
  return rows.map(([name]) => name);
}
