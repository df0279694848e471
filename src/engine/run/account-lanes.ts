import type { Clock } from "../../core/environment.ts";
import { memoize } from "../../core/lazy.ts";
import { type CellGroup, cellGroups, type Factors } from "./cell-source.ts";

/** What accounts share. */
interface LaneOptions {
  /** How many groups an account may be ahead of others that make progress; infinite if what it does costs the others nothing. */
  readonly lead: number;
  readonly clock: Clock;
}

/** An account that has finished nothing for this time does not hold up others. */
const STUCK_MS = 5_000;
const LOOK_MS = 1_000;

/** The conversations of one account; groups that share their calls are together. */
interface AccountLane {
  readonly groups: AsyncGenerator<CellGroup>;
  started: number;
  progressAt: number;
  isOver: boolean;
}

/** The conversations of each account, in the order of the run. */
export function groupsByAccount(
  factors: Factors,
  accountOf: (subject: string) => string,
): readonly AsyncGenerator<CellGroup>[] {
  const subjects = new Map<string, Set<string>>();
  for (const subject of factors.subjects)
    memoize(subjects, accountOf(subject), () => new Set<string>()).add(subject);
  return [...subjects.values()].map((names) => cellGroups(factors, names));
}

/** Each account has places of its own, so that one whose server stalls does not hold those of the others. */
export class AccountLanes {
  readonly all: readonly AccountLane[];
  readonly #options: LaneOptions;
  #waiting: (() => void)[] = [];

  constructor(accounts: readonly AsyncGenerator<CellGroup>[], options: LaneOptions) {
    this.#options = options;
    const progressAt = options.clock.now();
    this.all = accounts.map((groups) => ({ groups, started: 0, progressAt, isOver: false }));
  }

  /** Runs all groups, with some places for each account; resolves when there are no more, or all have stopped. */
  async run(places: number, runGroup: (group: CellGroup) => Promise<"go on" | "stop">): Promise<void> {
    const work = async (lane: AccountLane): Promise<void> => {
      for (;;) {
        await this.turn(lane);
        const { value: group, done } = await lane.groups.next();
        if (done) lane.isOver = true;
        const isLast = done || (await runGroup(group)) === "stop";
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
