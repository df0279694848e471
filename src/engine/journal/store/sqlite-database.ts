import type BetterSqlite3 from "better-sqlite3";
import { memoize } from "../../../core/lazy.ts";
import type { GroupHooks, GroupWriter } from "./group.ts";
import { otherWriter, thisWriter } from "./run-writer.ts";
import { REFERRING, type SqlDatabase, type SqlDialect, type SqlValue } from "./sql-database.ts";
import { type PreparingDatabase, SqliteRows } from "./sqlite-rows.ts";
import { type OpenDatabase, retryWhileBusy, SqliteWriter } from "./sqlite-writer.ts";
import { textsIn } from "./text-codec.ts";

type Statement<Result = unknown> = BetterSqlite3.Statement<unknown[], Result>;

const DIALECT: SqlDialect = {
  same: (one, other) => `${one} IS ${other}`,
  // Groups come in the order of a key, and with an ORDER BY each would be sorted again.
  joined: (text) => `group_concat(${text}, '')`,
  // A hash takes half the space as bytes.
  identityKey: (identity) => (/^[0-9a-f]{64}$/.test(identity) ? Buffer.from(identity, "hex") : identity),
};

/** A store's file as a database. */
export class SqliteDatabase implements PreparingDatabase {
  readonly dialect: SqlDialect = DIALECT;
  readonly portions: SqlDatabase["portions"] = { first: 256, most: 256 };
  readonly path: string;
  readonly file?: string;
  readonly #open: OpenDatabase;
  readonly #database: BetterSqlite3.Database;
  readonly #all = new Map<string, Statement>();
  readonly #raw = new Map<string, Statement>();
  readonly #value = new Map<string, Statement>();

  constructor(open: OpenDatabase) {
    this.#open = open;
    this.#database = open.database;
    this.path = open.path;
    // One that is only read may be a copy, which has no name any more.
    if (!open.isReadOnly) this.file = open.path;
  }

  prepare<Result>(sql: string): Statement<Result> {
    return this.#database.prepare<unknown[], Result>(sql);
  }

  all<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    const statement = memoize(this.#all, sql, () => this.prepare(sql));
    return statement.all(...values) as readonly Row[];
  }

  raw<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    const statement = memoize(this.#raw, sql, () => this.prepare(sql).raw());
    return statement.all(...values) as readonly Row[];
  }

  value<Value>(sql: string, ...values: readonly SqlValue[]): Value | undefined {
    const statement = memoize(this.#value, sql, () => this.prepare(sql).pluck());
    return statement.get(...values) as Value | undefined;
  }

  together<Result>(read: () => Result): Result {
    if (this.#database.inTransaction) return read();
    this.#database.exec("BEGIN");
    try {
      return read();
    } finally {
      // Nothing was written. In a damaged file a commit would fail and hide why; after some errors SQLite has ended it by itself.
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
    }
  }

  run(sql: string, ...values: readonly SqlValue[]): number {
    return this.prepare(sql).run(...values).changes;
  }

  /** An index of events by run would be one more for each event that is written, and the events of a whole run are seldom read. */
  eventIds(run: number): Float64Array {
    const ids = this.prepare<number>(EVENT_IDS).pluck().all(run, run);
    return Float64Array.from(ids).sort();
  }

  writer(hooks: GroupHooks): GroupWriter {
    return new SqliteWriter(this.#open, new SqliteRows(this), hooks);
  }

  thisWriter(): string {
    return thisWriter();
  }

  otherWriter(written: string | null): string | null {
    const pid = otherWriter(written);
    return pid === null ? null : `process ${pid}`;
  }

  isThisWriter(written: string): boolean {
    return written.includes(`"pid":${process.pid},`);
  }

  version(): number {
    return this.#database.pragma("data_version", { simple: true }) as number;
  }

  bytes(): number {
    const { statSync } = process.getBuiltinModule("node:fs");
    return [this.path, `${this.path}-wal`].reduce(
      (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  beginRemoval(): void {
    // A file has one writer at a time, and each notices what another has changed.
  }

  removeUnusedTexts(): void {
    this.#collectUsed();
    this.#database.exec(
      "DELETE FROM text WHERE hash NOT IN (SELECT hash FROM temp.used); DROP TABLE temp.used;",
    );
  }

  countUnusedTexts(): number {
    this.#collectUsed();
    const count = this.prepare<number>(
      "SELECT count(*) FROM text WHERE hash NOT IN (SELECT hash FROM temp.used)",
    );
    const found = count.pluck().get();
    this.#database.exec("DROP TABLE temp.used");
    return found ?? 0;
  }

  vacuum(): void {
    retryWhileBusy(this.#open.lockTimeoutMs, () => this.#database.exec("VACUUM"));
    this.#database.pragma("wal_checkpoint(TRUNCATE)");
  }

  get isOpen(): boolean {
    return this.#database.open;
  }

  close(): void {
    this.#database.close();
  }

  /** A temporary table of the texts that are referred to, so that a store of any size fits in memory. */
  #collectUsed(): void {
    this.#database.exec("CREATE TEMP TABLE used (hash TEXT PRIMARY KEY) WITHOUT ROWID");
    const use = this.prepare("INSERT INTO temp.used VALUES (?) ON CONFLICT DO NOTHING");
    for (const [table, column] of REFERRING) {
      const page = this.prepare<{ readonly id: number; readonly data: string }>(
        `SELECT id, ${column} AS data FROM ${table} WHERE id > ? ORDER BY id LIMIT ${PORTION}`,
      );
      for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? 0))
        for (const { data } of rows) for (const hash of textsIn(data)) use.run(hash);
    }
  }
}

const PORTION = 1000;

const EVENT_IDS = `SELECT id FROM event WHERE run = ? AND conversation IS NULL
  UNION ALL SELECT event.id FROM conversation JOIN event ON event.conversation = conversation.id WHERE conversation.run = ?`;
