import {
  isConflict,
  isLost,
  type PostgresConnection,
  SCHEMA_LOCK,
  TEXT_LOCKS,
} from "./postgres-connection.ts";
import type { GroupData } from "./thread-messages.ts";

const MOST_KNOWN = 20_000;

const INSERT_TEXTS = `INSERT INTO text (hash, value)
  SELECT hash, value FROM json_to_recordset($1) AS given (hash TEXT, value TEXT) ON CONFLICT (hash) DO NOTHING`;

const COUNT_GROUP = `INSERT INTO writer (id, groups) VALUES ($1, $2)
  ON CONFLICT (id) DO UPDATE SET groups = excluded.groups, at = now() WHERE writer.groups >= 0`;

/** The code of the error after which a process may write nothing more. */
const FENCED = "elenchus_fenced";

/** Writes groups, each once, whatever becomes of the connection. */
export class GroupTransaction {
  /** The number of this process among all that write. */
  writer = 0;
  readonly #connection: PostgresConnection;
  readonly #isReadOnly: boolean;
  /** How many groups of this process are written. */
  #groups = 0;
  /** Hashes of texts that are in the store for certain, as long as none were removed. */
  readonly #known = new Set<string>();
  #removals = "";
  /** After an error nothing more is written: it could follow from what is missing. */
  #broken: unknown;

  constructor(connection: PostgresConnection, isReadOnly: boolean) {
    this.#connection = connection;
    this.#isReadOnly = isReadOnly;
  }

  /** How often texts were removed from the store. */
  async readRemovals(): Promise<string> {
    const { rows } = await this.#connection.query("SELECT value FROM meta WHERE key = 'removals'");
    return String(rows[0]?.[0] ?? "");
  }

  /** Writes a group in a transaction of its own; waits for a server that is gone, and tries again. */
  async write(group: GroupData): Promise<string> {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      for (;;) {
        try {
          await this.begin();
          return await this.finish(group);
        } catch (error) {
          await this.rollback();
          if (isLost(error)) await this.#connection.reconnect();
          else if (!isConflict(error)) throw error;
        }
      }
    } catch (error) {
      this.#broken = error;
      throw error;
    }
  }

  /** Begins a transaction. */
  async begin(): Promise<void> {
    if (this.#isReadOnly) throw readOnly();
    const [, , removals] = await Promise.all([
      this.#connection.exec("BEGIN"),
      this.#connection.query(`SELECT pg_advisory_xact_lock_shared(${TEXT_LOCKS}, ${SCHEMA_LOCK})`),
      this.readRemovals(),
    ]);
    if (removals !== this.#removals) this.#known.clear();
    this.#removals = removals;
  }

  /** Writes rows in the transaction that was begun, and commits it. */
  async finish(group: GroupData): Promise<string> {
    await this.#writeRows(group);
    const number = this.#groups + 1;
    try {
      await this.#connection.exec("COMMIT");
    } catch (error) {
      if (!isLost(error)) throw error;
      // Whether it was written is known only by the server.
      await this.#connection.reconnect();
      const { rows } = await this.#connection.query("SELECT groups FROM writer WHERE id = $1", [this.writer]);
      if (rows[0]?.[0] !== number) throw error;
    }
    this.#groups = number;
    for (const [hash] of group.texts) this.#know(hash);
    return this.#removals;
  }

  /** Ends a transaction without writing anything. */
  async rollback(): Promise<void> {
    try {
      await this.#connection.exec("ROLLBACK");
    } catch {
      await this.#connection.drop();
    }
  }

  async #writeRows({ texts, steps }: GroupData): Promise<void> {
    const unknown = texts.filter(([hash]) => !this.#known.has(hash));
    // In one order, so that two processes do not wait for each other.
    unknown.sort(([one], [other]) => (one < other ? -1 : 1));
    const statements = [
      ...(unknown.length === 0
        ? []
        : [{ sql: INSERT_TEXTS, json: JSON.stringify(unknown.map(([hash, value]) => ({ hash, value }))) }]),
      ...steps,
    ];
    const results = await Promise.allSettled([
      ...statements.map(({ sql, json }) => this.#connection.query(sql, [json])),
      this.#connection.query(COUNT_GROUP, [this.writer, this.#groups + 1]),
    ]);
    // The first error; the others follow from it.
    for (const result of results) if (result.status === "rejected") throw result.reason;
    const counted = results.at(-1);
    // Another process has taken over what this one was writing.
    if (counted?.status === "fulfilled" && counted.value.rowCount === 0) throw fenced();
    for (const [index, { expected }] of (statements as GroupData["steps"]).entries()) {
      const result = results[index];
      const changed = result?.status === "fulfilled" ? result.value.rowCount : 0;
      if (expected !== undefined && changed !== expected) throw deleted();
    }
  }

  #know(hash: string): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.add(hash);
  }
}

/** As PostgreSQL says that a row it refers to is missing. */
function deleted(): Error {
  return Object.assign(new Error("The run was deleted."), { code: "23503" });
}

function fenced(): Error {
  return Object.assign(new Error("Another process has taken over."), { code: FENCED });
}

function readOnly(): Error {
  return Object.assign(new Error("The store was opened for reading only."), { code: "25006" });
}
