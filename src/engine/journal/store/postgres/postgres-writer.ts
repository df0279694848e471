import type { GroupHooks, GroupRows, GroupWriter } from "../group.ts";
import { StoreError, storeError } from "../store-error.ts";
import { KnownRows, PostgresRows } from "./postgres-rows.ts";
import { LostTransaction, type PostgresThread } from "./postgres-thread.ts";

/** A group in the making is sent at the latest when it has this many changes. */
const MOST_CHANGES = 5_000;

/** With more groups under way, a loop that never pauses waits: it must not fill the memory. */
const MOST_GROUPS = 4;

/** Sends groups of changes to a server. While one is written, the next is collected. */
export class PostgresWriter implements GroupWriter {
  readonly #thread: PostgresThread;
  readonly #hooks: GroupHooks;
  readonly #known: KnownRows;
  #changes: ((rows: GroupRows) => void)[] = [];
  /** Of the group that is being collected, and of the last one that was sent. */
  #group: PromiseWithResolvers<void> | undefined;
  #sent: Promise<void> | undefined;
  #underWay = 0;
  #scheduled: NodeJS.Immediate | undefined;
  #broken: StoreError | undefined;
  #removals: string;
  /** True while something is done in a transaction of its own. */
  isWithin = false;

  constructor(thread: PostgresThread, hooks: GroupHooks) {
    this.#thread = thread;
    this.#hooks = hooks;
    this.#removals = thread.removals;
    this.#known = new KnownRows(
      () => thread.query("SELECT nextval('conversation_block')", [], false).rows[0]?.[0] as number,
    );
  }

  add(change: (rows: GroupRows) => void): void {
    if (this.#broken !== undefined) return;
    this.#changes.push(change);
    if (this.#changes.length >= MOST_CHANGES) {
      this.#send();
      while (this.#underWay >= MOST_GROUPS && this.#broken === undefined) this.#thread.wait();
    } else if (this.#underWay === 0) this.#scheduled ??= setImmediate(() => this.#send());
  }

  durable(): Promise<void> | undefined {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (this.#changes.length === 0) return this.#sent;
    this.#group ??= silently(Promise.withResolvers<void>());
    return this.#group.promise;
  }

  flush(): void {
    this.#send();
  }

  now<Result>(action: (rows: GroupRows) => Result): Result {
    this.flush();
    // What was sent before may still fail.
    while (this.#underWay > 0) this.#thread.wait();
    if (this.#broken !== undefined) throw this.#broken;
    for (;;) {
      try {
        return this.#transaction(action);
      } catch (error) {
        if (!(error instanceof LostTransaction)) throw storeError(error, this.#thread.shown);
      }
    }
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  break(error: unknown): void {
    if (this.#broken !== undefined) return;
    this.#broken = storeError(error, this.#thread.shown);
    this.#changes = [];
    this.#group?.reject(this.#broken);
    this.#group = undefined;
  }

  forget(): void {
    this.#known.forget();
  }

  finish(): StoreError | undefined {
    const before = this.#broken;
    this.flush();
    while (this.#underWay > 0) this.#thread.wait();
    const problem = before === undefined ? this.#broken : undefined;
    const { shown: path } = this.#thread;
    this.#broken = new StoreError("closed", `The store ${path} is closed.`, { path });
    return problem;
  }

  #transaction<Result>(action: (rows: GroupRows) => Result): Result {
    this.#thread.begin();
    let result: Result;
    const rows = new PostgresRows(this.#known);
    this.isWithin = true;
    try {
      result = action(rows);
      this.#hooks.beforeCommit(rows);
    } catch (error) {
      this.#thread.rollback();
      throw error;
    } finally {
      this.isWithin = false;
    }
    this.#notice(this.#thread.commit(rows.data()));
    rows.settle();
    return result;
  }

  #send(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    if (this.#changes.length === 0 || this.#broken !== undefined) return;
    const changes = this.#changes;
    const group = this.#group ?? silently(Promise.withResolvers<void>());
    this.#changes = [];
    this.#group = undefined;
    try {
      const rows = new PostgresRows(this.#known);
      for (const change of changes) change(rows);
      this.#hooks.beforeCommit(rows);
      this.#underWay++;
      this.#sent = group.promise;
      this.#thread.write(rows.data(), (result) => {
        if (typeof result === "string") {
          rows.settle();
          this.#written(group, result);
        } else this.#failed(group, result);
      });
    } catch (error) {
      this.break(error);
      group.reject(this.#broken);
    }
  }

  #written(group: PromiseWithResolvers<void>, removals: string): void {
    this.#underWay--;
    this.#notice(removals);
    if (this.#sent === group.promise) this.#sent = undefined;
    group.resolve();
    // What was added meanwhile goes together.
    if (this.#underWay === 0 && this.#changes.length > 0)
      this.#scheduled ??= setImmediate(() => this.#send());
  }

  #failed(group: PromiseWithResolvers<void>, error: unknown): void {
    this.#underWay--;
    this.break(error);
    group.reject(this.#broken);
  }

  /** Another process has removed texts, settings and messages. */
  #notice(removals: string): void {
    if (removals === this.#removals) return;
    this.#removals = removals;
    this.#known.forget();
    this.#hooks.onForeignChange();
  }
}

/** A rejection that is not awaited is no crash. */
function silently(group: PromiseWithResolvers<void>): PromiseWithResolvers<void> {
  group.promise.catch(() => {});
  return group;
}
