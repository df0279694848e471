import { retryWhileBusy, type SqliteDatabase } from "./sqlite-database.ts";
import { isBusy, StoreError, storeError } from "./store-error.ts";

/** A group in the making is written at the latest when it has this many changes: a loop that never pauses must not fill the memory. */
const MOST_CHANGES = 20_000;

const RETRY_MS = 10;

/** How much a power cut may lose. */
const FLUSH_MS = 1000;

/**
 * Writes changes in groups, one transaction each: all that is added until the event loop comes round is written together, so
 * many conversations share one commit. Once a group cannot be written, nothing is any more.
 */
export class SqliteWriter {
  readonly #database: SqliteDatabase;
  /** Called within each transaction, after its changes. */
  readonly #beforeCommit: () => void;
  #changes: (() => void)[] = [];
  #group: PromiseWithResolvers<void> | undefined;
  #scheduled: NodeJS.Immediate | NodeJS.Timeout | undefined;
  #busySince: number | undefined;
  #broken: StoreError | undefined;
  #flushing: NodeJS.Timeout | undefined;

  constructor(database: SqliteDatabase, beforeCommit: () => void) {
    this.#database = database;
    this.#beforeCommit = beforeCommit;
  }

  /** Adds a change to the group that is written next. */
  add(change: () => void): void {
    if (this.#broken !== undefined) return;
    this.#changes.push(change);
    if (this.#changes.length >= MOST_CHANGES) this.flush();
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
    if (this.#changes.length === 0) return;
    this.#unschedule();
    try {
      this.#begin();
    } catch (error) {
      this.break(error);
      return;
    }
    this.#writeGroup();
  }

  /** Does something in a transaction of its own, after all that was added; throws `StoreError`. */
  now<Result>(action: () => Result): Result {
    this.flush();
    if (this.#broken !== undefined) throw this.#broken;
    this.#begin();
    return this.#database.guarded(() => this.#transaction(action));
  }

  /** True if nothing is taken any more. */
  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** Nothing can be written any more, because of an error. */
  break(error: unknown): void {
    this.#unschedule();
    this.#broken = storeError(error, this.#database.path);
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
    const { path } = this.#database;
    this.#broken = new StoreError("closed", `The store ${path} is closed.`, { path });
    return problem;
  }

  #begin(): void {
    retryWhileBusy(this.#database.lockTimeoutMs, () => this.#database.run("BEGIN IMMEDIATE"));
  }

  #onTime(): void {
    this.#scheduled = undefined;
    if (this.#changes.length === 0) return;
    try {
      this.#database.run("BEGIN IMMEDIATE");
    } catch (error) {
      const now = performance.now();
      this.#busySince ??= now;
      if (!isBusy(error) || now - this.#busySince > this.#database.lockTimeoutMs) this.break(error);
      else this.#scheduled = setTimeout(() => this.#onTime(), RETRY_MS);
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
        for (const change of changes) change();
      });
    } catch (error) {
      this.break(error);
      return;
    }
    this.#changes = [];
    this.#group = undefined;
    group?.resolve();
  }

  #transaction<Result>(action: () => Result): Result {
    try {
      const result = action();
      this.#beforeCommit();
      this.#database.run("COMMIT");
      this.#flushSoon();
      return result;
    } catch (error) {
      // After some errors SQLite has rolled back by itself.
      if (this.#database.connection.inTransaction) this.#database.run("ROLLBACK");
      throw error;
    }
  }

  /** Once a second, what was committed is flushed to the disk, without waiting for it: a power cut loses no more. */
  #flushSoon(): void {
    if (this.#database.isDurable || this.#flushing !== undefined) return;
    this.#flushing = setTimeout(() => {
      this.#flushing = undefined;
      flushLog(`${this.#database.path}-wal`);
    }, FLUSH_MS);
    this.#flushing.unref();
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
export function silently(group: PromiseWithResolvers<void>): PromiseWithResolvers<void> {
  group.promise.catch(() => {});
  return group;
}
