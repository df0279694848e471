import { isRecord } from "../../../../core/values/json.ts";
import { untilAborted } from "../../../models/until-aborted.ts";
import type { GroupHooks, GroupWriter } from "../group.ts";
import { thisWriter } from "../run-writer.ts";
import {
  REFERRING,
  type ServerCalls,
  type SqlDatabase,
  type SqlDialect,
  type SqlValue,
  type StoredReply,
} from "../sql-database.ts";
import type { StoreOptions } from "../store.ts";
import { postgresAddress } from "./postgres-address.ts";
import { isAlive, SCHEMA_LOCK, TEXT_LOCKS } from "./postgres-connection.ts";
import { PostgresThread } from "./postgres-thread.ts";
import { PostgresWriter } from "./postgres-writer.ts";
import type { FoundReply } from "./thread-messages.ts";

const DIALECT: SqlDialect = {
  same: (one, other) => `${one} IS NOT DISTINCT FROM ${other}`,
  joined: (text, order) => `string_agg(${text}, '' ORDER BY ${order})`,
  identityKey: (identity) => identity.replaceAll("\0", "\ufffd"),
};

/** A store on a PostgreSQL server as a database. Reading blocks until the server has answered. */
export class PostgresDatabase implements SqlDatabase {
  readonly dialect: SqlDialect = DIALECT;
  // A question takes as long as many rows.
  readonly portions: SqlDatabase["portions"] = { first: 128, most: 4096 };
  readonly path: string;
  readonly #thread: PostgresThread;
  readonly calls: ServerCalls;
  readonly #numbered = new Map<string, string>();
  #writer: PostgresWriter | undefined;

  constructor(thread: PostgresThread) {
    this.#thread = thread;
    this.path = thread.shown;
    this.calls = {
      find: async (identity, run) => stored(await thread.find(DIALECT.identityKey(identity) as string, run)),
      claim: async (identity, signal) => {
        const key = DIALECT.identityKey(identity) as string;
        try {
          return stored(await untilAborted(signal, thread.claim(key), () => signal.reason));
        } catch (error) {
          thread.release(key);
          throw error;
        }
      },
      release: (identity) => {
        const release = (): void => thread.release(DIALECT.identityKey(identity) as string);
        // The answer must be there for others before they may make the call.
        const kept = this.#writer?.durable();
        if (kept === undefined) release();
        else kept.then(release, release);
      },
    };
  }

  all<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    const { columns, rows } = this.#query(sql, values);
    // Copies of one object have one shape: to add the columns one by one takes five times as long.
    const empty = Object.fromEntries(columns.map((name) => [name, null]));
    return rows.map((row) => {
      const named: Record<string, unknown> = { ...empty };
      for (let index = 0; index < columns.length; index++) named[columns[index] as string] = row[index];
      // The names of the columns are in the statement.
      return named as Row;
    });
  }

  ahead(sql: string, ...values: readonly SqlValue[]): void {
    this.#thread.ahead(this.#numberedSql(sql), values);
  }

  raw<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    return this.#query(sql, values).rows as readonly Row[];
  }

  value<Value>(sql: string, ...values: readonly SqlValue[]): Value | undefined {
    return this.#query(sql, values).rows[0]?.[0] as Value | undefined;
  }

  run(sql: string, ...values: readonly SqlValue[]): number {
    return this.#query(sql, values).changed;
  }

  writer(hooks: GroupHooks): GroupWriter {
    this.#writer = new PostgresWriter(this.#thread, hooks);
    return this.#writer;
  }

  thisWriter(): string {
    return JSON.stringify({ ...(JSON.parse(thisWriter()) as object), writer: this.#thread.writer });
  }

  otherWriter(written: string | null): string | null {
    const noted: unknown = written === null ? null : JSON.parse(written);
    if (!isRecord(noted) || typeof noted.writer !== "number" || noted.writer === this.#thread.writer)
      return null;
    // A process that is gone no longer holds its lock.
    if (this.value(`SELECT 1 WHERE ${isAlive("?")}`, noted.writer) === undefined) return null;
    return `process ${String(noted.pid)} on ${String(noted.host)}`;
  }

  isThisWriter(written: string): boolean {
    const noted: unknown = JSON.parse(written);
    return isRecord(noted) && noted.writer === this.#thread.writer;
  }

  version(): number {
    return this.value<number>("SELECT coalesce(sum(groups), 0) FROM writer") ?? 0;
  }

  bytes(): number {
    const sql = `SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0) FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`;
    return this.value<number>(sql) ?? 0;
  }

  beginRemoval(): void {
    // Alone: who writes a group relies on texts that are there.
    this.run(`SELECT pg_advisory_xact_lock(${TEXT_LOCKS}, ${SCHEMA_LOCK})`);
    this.run(`INSERT INTO meta (key, value) VALUES ('removals', '1')
      ON CONFLICT (key) DO UPDATE SET value = (meta.value::bigint + 1)::text`);
  }

  removeUnusedTexts(): void {
    this.run(`${USED} DELETE FROM text WHERE NOT EXISTS (SELECT 1 FROM used WHERE used.hash = text.hash)`);
  }

  countUnusedTexts(): number {
    const sql = `${USED} SELECT count(*) FROM text WHERE NOT EXISTS (SELECT 1 FROM used WHERE used.hash = text.hash)`;
    return this.value<number>(sql) ?? 0;
  }

  vacuum(): void {
    this.run(
      `VACUUM ${[...REFERRING.map(([table]) => table), "text", "conversation", "turn", "tally"].join(", ")}`,
    );
  }

  get isOpen(): boolean {
    return this.#thread.isOpen;
  }

  close(): void {
    this.#thread.close();
  }

  #query(sql: string, values: readonly SqlValue[]) {
    return this.#thread.query(this.#numberedSql(sql), values, this.#writer?.isWithin ?? false);
  }

  #numberedSql(sql: string): string {
    let numbered = this.#numbered.get(sql);
    if (numbered === undefined) {
      let count = 0;
      numbered = sql.replaceAll("?", () => `$${++count}`);
      this.#numbered.set(sql, numbered);
    }
    return numbered;
  }
}

function stored(found: FoundReply | undefined): StoredReply | undefined {
  return found === undefined ? undefined : { json: found.json, texts: new Map(found.texts) };
}

/** The texts that something refers to. What begins a string comes after a bracket, a comma or a colon. */
const USED = `WITH used AS (SELECT DISTINCT found[2] AS hash FROM (
  ${REFERRING.map(([table, column]) => `SELECT ${column} AS data FROM ${table}`).join(" UNION ALL ")}) AS referring,
  regexp_matches(data, '(^|[[,:])"~([A-Za-z0-9_-]{32})"', 'g') AS found)`;

/** Opens the store at an address. */
export async function openPostgres(
  address: string,
  { readOnly = false }: StoreOptions = {},
): Promise<PostgresDatabase> {
  return new PostgresDatabase(await PostgresThread.start(postgresAddress(address), readOnly));
}
