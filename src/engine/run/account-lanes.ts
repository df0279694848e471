import type { Clock } from "../../core/environment.ts";
import { memoize } from "../../core/lazy.ts";
import { type CellGroup, CellSource, type Factors } from "./cell-source.ts";

/** What accounts share. */
export interface LaneOptions {
  readonly factors: Factors;
  /** The account of a subject. */
  readonly accountOf: (subject: string) => string;
  /** How many groups an account may be ahead of others that make progress; infinite if what it does costs the others nothing. */
  readonly lead: number;
  readonly clock: Clock;
}

/** Runs a group of conversations. `park` gives up their place until the function that it returns is called. */
export type RunGroup = (group: CellGroup, park: Park) => Promise<"go on" | "stop">;

/** Gives up a place; returns what takes it back. */
export type Park = () => () => void;

/** An account that has finished nothing for this time does not hold up others. */
const STUCK_MS = 5_000;
const LOOK_MS = 1_000;
/** Conversations that have given up their places take memory all the same. */
const MOST_PARKED = 1_024;

/**
 * The conversations of each account in the order of the run. Each account has places of its own, so that one whose server stalls
 * does not hold those of the others.
 */
export class AccountLanes {
  readonly all: readonly AccountLane[];
  readonly #options: LaneOptions;
  #waiting: (() => void)[] = [];

  constructor(options: LaneOptions) {
    this.#options = options;
    const subjects = new Map<string, Set<string>>();
    for (const subject of options.factors.subjects)
      memoize(subjects, options.accountOf(subject), () => new Set<string>()).add(subject);
    this.all = [...subjects.values()].map((names) => new AccountLane(options, names));
  }

  /** Runs all groups, with some places for each account; resolves when there are no more, or all have stopped. */
  run(places: number, runGroup: RunGroup): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let running = 0;
    const start = (lane: AccountLane): void => {
      running++;
      lane.workers++;
      work(lane).then(() => {
        lane.workers--;
        if (--running === 0) resolve();
      }, reject);
    };
    const work = async (lane: AccountLane): Promise<void> => {
      // A conversation that has its place back does not wait for it: another one ends instead.
      while (lane.workers - lane.parked <= places) {
        const turn = this.turn(lane);
        if (turn !== undefined) await turn;
        const next = lane.next();
        const group = next instanceof Promise ? await next : next;
        const isLast = group === undefined || (await runGroup(group, () => park(lane))) === "stop";
        this.progress(lane);
        if (isLast) return;
      }
    };
    const park = (lane: AccountLane): (() => void) => {
      if (lane.parked >= Math.max(MOST_PARKED, places) || lane.isOver) return () => {};
      lane.parked++;
      start(lane);
      return () => lane.parked--;
    };
    // All accounts start alike: a budget may end the run before the last one would begin.
    for (let place = 0; place < places; place++) this.all.forEach(start);
    return promise;
  }

  /** Undefined if an account may start its next group now, else a promise of that. */
  turn(lane: AccountLane): Promise<void> | undefined {
    if (this.#isAhead(lane)) return this.#wait(lane);
    lane.started++;
    return undefined;
  }

  async #wait(lane: AccountLane): Promise<void> {
    while (this.#isAhead(lane)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      const cancel = this.#options.clock.after(LOOK_MS, resolve);
      await promise;
      cancel();
    }
    lane.started++;
  }

  /** An account has finished a group, or has no more of them. */
  progress(lane: AccountLane): void {
    lane.progressAt = this.#options.clock.now();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #isAhead(lane: AccountLane): boolean {
    const { lead, clock } = this.#options;
    if (lead === Number.POSITIVE_INFINITY) return false;
    const moving = this.all.filter(
      (other) => other !== lane && !other.isOver && clock.now() - other.progressAt < STUCK_MS,
    );
    return moving.some((other) => lane.started - other.started >= lead);
  }
}

/** The conversations of one account; groups that share their calls are together. */
export class AccountLane {
  started = 0;
  workers = 0;
  /** Conversations that wait for something that is not their account, and have given up their place. */
  parked = 0;
  progressAt: number;
  isOver = false;
  readonly #source: CellSource;

  constructor({ factors, clock }: LaneOptions, subjects: ReadonlySet<string>) {
    this.#source = new CellSource(factors, subjects);
    this.progressAt = clock.now();
  }

  /** The next group, or a promise of it if rows must be read; undefined if there is none. */
  next(): CellGroup | undefined | Promise<CellGroup | undefined> {
    const group = this.#source.next();
    return group instanceof Promise ? group.then((found) => this.#noted(found)) : this.#noted(group);
  }

  #noted(group: CellGroup | undefined): CellGroup | undefined {
    if (group === undefined) this.isOver = true;
    return group;
  }
}
