import type BetterSqlite3 from "better-sqlite3";
import { memoize } from "../../../core/lazy.ts";
import type { Column } from "./conversation-columns.ts";
import { isBusy } from "./store-error.ts";
import { textsIn } from "./text-codec.ts";

type Statement<Result = unknown> = BetterSqlite3.Statement<unknown[], Result>;

/** What a statement takes. */
export type SqlValue = Column | Uint8Array;

/** An open file. */
export interface OpenDatabase {
  readonly connection: BetterSqlite3.Database;
  readonly path: string;
  /** True if every group is flushed to the disk. */
  readonly isDurable: boolean;
  /** How long to wait for other processes. */
  readonly lockTimeoutMs: number;
}

/** A store's file as a database. Statements are prepared once. */
export class SqliteDatabase implements OpenDatabase {
  readonly connection: BetterSqlite3.Database;
  readonly path: string;
  readonly isDurable: boolean;
  readonly lockTimeoutMs: number;
  readonly #all = new Map<string, Statement>();
  readonly #raw = new Map<string, Statement>();
  readonly #value = new Map<string, Statement>();

  constructor({ connection, path, isDurable, lockTimeoutMs }: OpenDatabase) {
    this.connection = connection;
    this.path = path;
    this.isDurable = isDurable;
    this.lockTimeoutMs = lockTimeoutMs;
  }

  prepare<Result>(sql: string): Statement<Result> {
    return this.connection.prepare<unknown[], Result>(sql);
  }

  /** The rows of a query. */
  all<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    const statement = memoize(this.#all, sql, () => this.prepare(sql));
    return statement.all(...values) as readonly Row[];
  }

  /** The same as lists of values, which are quicker to read. */
  raw<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    const statement = memoize(this.#raw, sql, () => this.prepare(sql).raw());
    return statement.all(...values) as readonly Row[];
  }

  /** The first value of the first row. */
  value<Value>(sql: string, ...values: readonly SqlValue[]): Value | undefined {
    const statement = memoize(this.#value, sql, () => this.prepare(sql).pluck());
    return statement.get(...values) as Value | undefined;
  }

  /** Changes something; gives how many rows. */
  run(sql: string, ...values: readonly SqlValue[]): number {
    return this.prepare(sql).run(...values).changes;
  }

  /** Changes with everything that is written by another connection. */
  version(): number {
    return this.connection.pragma("data_version", { simple: true }) as number;
  }

  bytes(): number {
    const { statSync } = process.getBuiltinModule("node:fs");
    return [this.path, `${this.path}-wal`].reduce(
      (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  /** Removes texts that nothing refers to, within a transaction. */
  removeUnusedTexts(): void {
    this.#collectUsed();
    this.connection.exec(
      "DELETE FROM text WHERE hash NOT IN (SELECT hash FROM temp.used); DROP TABLE temp.used;",
    );
  }

  countUnusedTexts(): number {
    this.#collectUsed();
    const count = this.prepare<number>(
      "SELECT count(*) FROM text WHERE hash NOT IN (SELECT hash FROM temp.used)",
    );
    const found = count.pluck().get();
    this.connection.exec("DROP TABLE temp.used");
    return found ?? 0;
  }

  /** Gives free space back. */
  vacuum(): void {
    retryWhileBusy(this.lockTimeoutMs, () => this.connection.exec("VACUUM"));
    this.connection.pragma("wal_checkpoint(TRUNCATE)");
  }

  get isOpen(): boolean {
    return this.connection.open;
  }

  close(): void {
    this.connection.close();
  }

  /** A temporary table of the texts that are referred to, so that a store of any size fits in memory. */
  #collectUsed(): void {
    this.connection.exec("CREATE TEMP TABLE used (hash TEXT PRIMARY KEY) WITHOUT ROWID");
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

/** Where texts are referred to. */
const REFERRING: readonly (readonly [table: string, column: string])[] = [
  ["event", "data"],
  ["message", "data"],
  ["call", "reply"],
  ["setting", "data"],
  ["run", "start"],
];

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/** Does something again for as long as another process is in the way. */
export function retryWhileBusy<Result>(limitMs: number, action: () => Result): Result {
  const start = performance.now();
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() - start > limitMs) throw error;
      Atomics.wait(PAUSE, 0, 0, 5);
    }
  }
}
