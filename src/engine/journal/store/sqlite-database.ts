import type BetterSqlite3 from "better-sqlite3";
import type { Column } from "./conversation-columns.ts";
import { isBusy, storeError } from "./store-error.ts";

type Statement = BetterSqlite3.Statement<unknown[], unknown>;

/** What a statement takes. */
export type SqlValue = Column | Uint8Array;

/** Values by the names of their columns. */
type Row = Readonly<Record<string, SqlValue>>;

/** A store's file as a database. Statements are prepared once; all that fails is a `StoreError`. */
export class SqliteDatabase {
  readonly connection: BetterSqlite3.Database;
  readonly path: string;
  /** True if every group is flushed to the disk. */
  readonly isDurable: boolean;
  /** How long to wait for other processes. */
  readonly lockTimeoutMs: number;
  /** Apart by what they give. */
  readonly #statements = {
    rows: new Map<string, Statement>(),
    lists: new Map<string, Statement>(),
    value: new Map<string, Statement>(),
  };

  constructor(
    connection: BetterSqlite3.Database,
    {
      path,
      isDurable,
      lockTimeoutMs,
    }: Readonly<Pick<SqliteDatabase, "path" | "isDurable" | "lockTimeoutMs">>,
  ) {
    this.connection = connection;
    this.path = path;
    this.isDurable = isDurable;
    this.lockTimeoutMs = lockTimeoutMs;
  }

  /** The rows of a query. */
  all<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    return this.guarded(() => this.#prepared("rows", sql).all(...values) as readonly Row[]);
  }

  /** The same as lists of values, which are quicker to read. */
  raw<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    return this.guarded(() => this.#prepared("lists", sql).all(...values) as readonly Row[]);
  }

  /** The first value of the first row. */
  value<Value>(sql: string, ...values: readonly SqlValue[]): Value | undefined {
    return this.guarded(() => this.#prepared("value", sql).get(...values) as Value | undefined);
  }

  /** Changes something; gives how many rows, and the id of the last one that is new. */
  run(sql: string, ...values: readonly SqlValue[]): BetterSqlite3.RunResult {
    return this.guarded(() => this.#prepared("rows", sql).run(...values));
  }

  /** Adds a row; gives its id. */
  insert(table: string, row: Row): number {
    return Number(this.run(`INSERT INTO ${placesOf(table, row)}`, ...Object.values(row)).lastInsertRowid);
  }

  /** Adds a row in place of the one with the same key. */
  replace(table: string, row: Row): void {
    this.run(`INSERT OR REPLACE INTO ${placesOf(table, row)}`, ...Object.values(row));
  }

  /** Changes some columns of a row; gives the number of rows, 0 or 1. */
  update(table: string, id: number, columns: Row): number {
    const set = Object.keys(columns).map((name) => `${name} = ?`);
    return this.run(`UPDATE ${table} SET ${set.join(", ")} WHERE id = ?`, ...Object.values(columns), id)
      .changes;
  }

  /** Whatever an action throws is a `StoreError` of this store. */
  guarded<Result>(action: () => Result): Result {
    try {
      return action();
    } catch (error) {
      throw storeError(error, this.path);
    }
  }

  /** Changes with everything that is written by another connection. */
  version(): number {
    return this.guarded(() => this.connection.pragma("data_version", { simple: true }) as number);
  }

  /** Gives free space back. */
  vacuum(): void {
    this.guarded(() => {
      retryWhileBusy(this.lockTimeoutMs, () => this.connection.exec("VACUUM"));
      this.connection.pragma("wal_checkpoint(TRUNCATE)");
    });
  }

  close(): void {
    this.guarded(() => this.connection.close());
  }

  #prepared(kind: "rows" | "lists" | "value", sql: string): Statement {
    const known = this.#statements[kind].get(sql);
    if (known !== undefined) return known;
    const statement = this.connection.prepare<unknown[], unknown>(sql);
    if (kind === "lists") statement.raw();
    if (kind === "value") statement.pluck();
    this.#statements[kind].set(sql, statement);
    return statement;
  }
}

function placesOf(table: string, row: Row): string {
  const names = Object.keys(row);
  return `${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
}

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
