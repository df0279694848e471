import { otherWriter, thisWriter } from "./run-writer.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { PROJECT } from "./sqlite-rows.ts";
import type { SqliteWriter } from "./sqlite-writer.ts";
import type { ReceivedRun, RunCalls, RunJournal } from "./store.ts";
import { StoreError } from "./store-error.ts";

/** What the name of a run begins with as long as it is being received. */
const UNFINISHED = "\u0001receiving ";

/** The name of a run until it is whole. */
export function unfinishedName(): string {
  return `${UNFINISHED}${crypto.randomUUID()}`;
}

/** True of the name of a run that is not whole: for readers it is not there. */
export function isUnfinished(name: string): boolean {
  return name.startsWith(UNFINISHED);
}

/** Runs that were never finished, because their process is gone. */
export function abandonedRuns(database: SqliteDatabase): readonly number[] {
  const sql = "SELECT id, name, writer FROM run WHERE substr(name, 1, 1) = ?";
  return database
    .all<{ readonly id: number; readonly name: string; readonly writer: string | null }>(sql, "\u0001")
    .filter(
      ({ name, writer }) => isUnfinished(name) && otherWriter(writer) === null && writer !== thisWriter(),
    )
    .map(({ id }) => id);
}

/** A run that has a row already, under a name that readers do not see. */
export function receivedRun(parts: {
  readonly id: number;
  readonly journal: RunJournal;
  readonly calls: RunCalls;
  readonly database: SqliteDatabase;
  readonly writer: SqliteWriter;
  readonly discard: () => void;
}): ReceivedRun {
  const { id, journal, calls, database, writer, discard } = parts;
  return {
    ...journal,
    keep: (call) => calls.keep(call),
    finish: ({ run, tags, endedAt, sharesCalls }) =>
      writer.now(() => {
        if (database.value("SELECT 1 FROM run WHERE name = ?", run) !== undefined) {
          const message = `There is a run "${run}" already. Choose another name.`;
          throw new StoreError("run_exists", message, { path: database.path });
        }
        // What the project knows already stays.
        if (sharesCalls) database.run(SHARE_CALLS, id);
        const writing = endedAt === null ? thisWriter() : null;
        const sql = "UPDATE run SET name = ?, tags = ?, ended_at = ?, writer = ? WHERE id = ?";
        database.run(sql, run, JSON.stringify([...new Set(tags)]), endedAt, writing, id);
      }),
    discard,
  };
}

const CALL = "identity, purpose, setting, messages, replicate, seed, reply, kept_at";
const SHARE_CALLS = `INSERT INTO call (run, ${CALL}) SELECT ${PROJECT}, ${CALL} FROM call WHERE run = ? ORDER BY id
  ON CONFLICT DO NOTHING`;
