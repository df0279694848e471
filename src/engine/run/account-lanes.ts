import type { Clock } from "../../core/environment.ts";
import { memoize } from "../../core/lazy.ts";
import { type CellGroup, CellSource, type Factors } from "./cell-source.ts";

/** What accounts share. */
interface LaneOptions {
  readonly factors: Factors;
  /** The account of a subject. */
  readonly accountOf: (subject: string) => string;
  /** How many groups an account may be ahead of others that make progress; infinite if what it does costs the others nothing. */
  readonly lead: number;
  readonly clock: Clock;
}

/** An account that has finished nothing for this time does not hold up others. */
const STUCK_MS = 5_000;
const LOOK_MS = 1_000;

/** The conversations of one account; groups that share their calls are together. */
interface AccountLane {
  readonly source: CellSource;
  started: number;
  progressAt: number;
  isOver: boolean;
}

/**
 * The conversations of each account in the order of the run. Each account has places of its own, so that one whose server stalls
 * does not hold those of the others.
 */
export class AccountLanes {
  readonly all: readonly AccountLane[];
  readonly #lead: number;
  readonly #clock: Clock;
  #waiting: (() => void)[] = [];

  constructor({ factors, accountOf, lead, clock }: LaneOptions) {
    this.#lead = lead;
    this.#clock = clock;
    const subjects = new Map<string, Set<string>>();
    for (const subject of factors.subjects)
      memoize(subjects, accountOf(subject), () => new Set<string>()).add(subject);
    this.all = [...subjects.values()].map((names) => ({
      source: new CellSource(factors, names),
      started: 0,
      progressAt: clock.now(),
      isOver: false,
    }));
  }

  /** Runs all groups, with some places for each account; resolves when there are no more, or all have stopped. */
  async run(places: number, runGroup: (group: CellGroup) => Promise<"go on" | "stop">): Promise<void> {
    const work = async (lane: AccountLane): Promise<void> => {
      for (;;) {
        await this.turn(lane);
        const group = await lane.source.next();
        if (group === undefined) lane.isOver = true;
        const isLast = group === undefined || (await runGroup(group)) === "stop";
        this.progress(lane);
        if (isLast) return;
      }
    };
    // All accounts start alike: a budget may end the run before the last one would begin.
    await Promise.all(Array.from({ length: places }, () => this.all.map(work)).flat());
  }

  /** Resolves when an account may start its next group. */
  async turn(lane: AccountLane): Promise<void> {
    while (this.#isAhead(lane)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      const cancel = this.#clock.after(LOOK_MS, resolve);
      await promise;
      cancel();
    }
    lane.started++;
  }

  /** An account has finished a group, or has no more of them. */
  progress(lane: AccountLane): void {
    lane.progressAt = this.#clock.now();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #isAhead(lane: AccountLane): boolean {
    if (this.#lead === Number.POSITIVE_INFINITY) return false;
    const moving = this.all.filter(
      (other) => other !== lane && !other.isOver && this.#clock.now() - other.progressAt < STUCK_MS,
    );
    return moving.some((other) => lane.started - other.started >= this.#lead);
  }
}
