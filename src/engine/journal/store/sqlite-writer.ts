import { type OpenDatabase, retryWhileBusy } from "./sqlite-database.ts";
import type { SqliteRows } from "./sqlite-rows.ts";
import { isBusy, StoreError, storeError } from "./store-error.ts";

/** A group in the making is written at the latest when it has this many changes: a loop that never pauses must not fill the memory. */
const MOST_CHANGES = 20_000;

const RETRY_MS = 10;

/** How much a power cut may lose. */
const FLUSH_MS = 1000;

/** What happens around the changes of a group, within its transaction. */
interface GroupHooks {
  /** Another process has changed the store since the last group. */
  readonly onForeignChange: () => void;
  readonly beforeCommit: (rows: SqliteRows) => void;
}

/**
 * Writes changes in groups, one transaction each: all that is added until the event loop comes round is written together, so
 * many conversations share one commit. Once a group cannot be written, nothing is any more.
 */
export class SqliteWriter {
  readonly #open: OpenDatabase;
  readonly #hooks: GroupHooks;
  readonly #statements: Readonly<Record<"begin" | "commit" | "rollback", { run(): unknown }>>;
  readonly #dataVersion: { get(): unknown };
  readonly #rows: SqliteRows;
  #changes: ((rows: SqliteRows) => void)[] = [];
  #group: PromiseWithResolvers<void> | undefined;
  #scheduled: NodeJS.Immediate | NodeJS.Timeout | undefined;
  #busySince: number | undefined;
  #seenVersion: unknown;
  #broken: StoreError | undefined;
  #flushing: NodeJS.Timeout | undefined;

  constructor(open: OpenDatabase, rows: SqliteRows, hooks: GroupHooks) {
    this.#open = open;
    this.#rows = rows;
    this.#hooks = hooks;
    const { connection } = open;
    this.#statements = {
      begin: connection.prepare("BEGIN IMMEDIATE"),
      commit: connection.prepare("COMMIT"),
      rollback: connection.prepare("ROLLBACK"),
    };
    this.#dataVersion = connection.prepare("PRAGMA data_version").pluck();
    this.#seenVersion = this.#dataVersion.get();
  }

  /** Adds a change to the group that is written next. */
  add(change: (rows: SqliteRows) => void): void {
    if (this.#broken !== undefined) return;
    this.#changes.push(change);
    if (this.#changes.length >= MOST_CHANGES) this.#tryFlush();
    else this.#scheduled ??= setImmediate(() => this.#onTime());
  }

  /** Resolves when all that was added is committed; undefined if it is already. */
  durable(): Promise<void> | undefined {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (this.#changes.length === 0) return undefined;
    this.#group ??= silently(Promise.withResolvers<void>());
    return this.#group.promise;
  }

  /** Sees to it that what was added can be read; an error is reported by `durable`. */
  flush(): void {
    if (this.#changes.length > 0) this.#tryFlush();
  }

  /** Does something in a transaction of its own, after all that was added; throws `StoreError`. */
  now<Result>(action: (rows: SqliteRows) => Result): Result {
    this.flush();
    if (this.#broken !== undefined) throw this.#broken;
    try {
      retryWhileBusy(this.#open.lockTimeoutMs, () => this.#statements.begin.run());
      return this.#transaction(() => action(this.#rows));
    } catch (error) {
      throw storeError(error, this.#open.path);
    }
  }

  /** True if nothing is taken any more. */
  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** Nothing is certain to be there any more. */
  forget(): void {
    this.#rows.forget();
  }

  /** Nothing can be written any more, because of an error. */
  break(error: unknown): void {
    this.#unschedule();
    this.#broken = storeError(error, this.#open.path);
    this.#changes = [];
    this.#group?.reject(this.#broken);
    this.#group = undefined;
  }

  /** Writes what was added, and takes nothing more; returns the error if that fails and was not reported before. */
  finish(): StoreError | undefined {
    const before = this.#broken;
    this.flush();
    // Closing the file flushes it.
    clearTimeout(this.#flushing);
    const problem = before === undefined ? this.#broken : undefined;
    const { path } = this.#open;
    this.#broken = new StoreError("closed", `The store ${path} is closed.`, { path });
    return problem;
  }

  #onTime(): void {
    this.#scheduled = undefined;
    if (this.#changes.length === 0) return;
    try {
      this.#statements.begin.run();
    } catch (error) {
      const now = performance.now();
      this.#busySince ??= now;
      if (!isBusy(error) || now - this.#busySince > this.#open.lockTimeoutMs) this.break(error);
      else this.#scheduled = setTimeout(() => this.#onTime(), RETRY_MS);
      return;
    }
    this.#writeGroup();
  }

  #tryFlush(): void {
    this.#unschedule();
    try {
      retryWhileBusy(this.#open.lockTimeoutMs, () => this.#statements.begin.run());
    } catch (error) {
      this.break(error);
      return;
    }
    this.#writeGroup();
  }

  /** Called within a transaction that has begun. */
  #writeGroup(): void {
    this.#busySince = undefined;
    const changes = this.#changes;
    const group = this.#group;
    try {
      this.#transaction(() => {
        for (const change of changes) change(this.#rows);
      });
    } catch (error) {
      this.break(error);
      return;
    }
    this.#changes = [];
    this.#group = undefined;
    group?.resolve();
  }

  /** Once a second, what was committed is flushed to the disk, without waiting for it: a power cut loses no more. */
  #flushSoon(): void {
    if (this.#open.isDurable || this.#flushing !== undefined) return;
    this.#flushing = setTimeout(() => {
      this.#flushing = undefined;
      flushLog(`${this.#open.path}-wal`);
    }, FLUSH_MS);
    this.#flushing.unref();
  }

  #transaction<Result>(action: () => Result): Result {
    try {
      const version = this.#dataVersion.get();
      if (version !== this.#seenVersion) {
        this.#rows.forget();
        this.#hooks.onForeignChange();
      }
      this.#seenVersion = version;
      const result = action();
      this.#hooks.beforeCommit(this.#rows);
      this.#statements.commit.run();
      this.#flushSoon();
      return result;
    } catch (error) {
      // After some errors SQLite has rolled back by itself.
      if (this.#open.connection.inTransaction) this.#statements.rollback.run();
      // What was taken for written is not.
      this.#rows.forget();
      throw error;
    }
  }

  #unschedule(): void {
    // One of the two; each ignores what belongs to the other.
    clearImmediate(this.#scheduled as NodeJS.Immediate);
    clearTimeout(this.#scheduled as NodeJS.Timeout);
    this.#scheduled = undefined;
  }
}

/** Flushes a file in the background. The log has no locks that closing it could lose; one that is gone is in the store already. */
function flushLog(path: string): void {
  const fs = process.getBuiltinModule("node:fs");
  fs.open(path, "r+", (missing, file) => {
    if (missing) return;
    fs.fsync(file, () => fs.close(file, () => {}));
  });
}

/** A rejection that is not awaited is no crash. */
function silently(group: PromiseWithResolvers<void>): PromiseWithResolvers<void> {
  group.promise.catch(() => {});
  return group;
}
