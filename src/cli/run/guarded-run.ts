import type { RunFailure } from "../../journal/failure.ts";
import { RunTally } from "../../journal/fold/run.ts";
import { type JudgeStreak, LASTING } from "../../journal/judge-health.ts";
import type { Run } from "../../run/run-scenarios.ts";

/** How many conversations, or requests to a judge in a row, must fail before the rest is not tried. */
const ENOUGH = 10;

/**
 * A run that stops when nothing works: its first conversations have all failed, or requests to a judge in a row, each in a way that
 * does not pass.
 */
export interface GuardedRun extends Run {
  /** Why it was given up; undefined if it was not. */
  readonly givenUp: RunFailure | undefined;
  /** The judge because of which it was given up; undefined if it was not. */
  readonly brokenJudge: JudgeStreak | undefined;
  /** Unreadable answers of judges that came from the store. */
  readonly unreadableStored: number;
  /** What ended the first conversation that failed. */
  readonly firstFailure: RunFailure | undefined;
}

/** Stops a run whose conversations all fail in the same way, instead of trying hundreds more. */
export function stopIfAllFail(run: Run): GuardedRun {
  const tally = new RunTally();
  let givenUp: RunFailure | undefined;
  let brokenJudge: JudgeStreak | undefined;
  const giveUpOnJudge = (): void => {
    if (givenUp !== undefined || brokenJudge !== undefined) return;
    brokenJudge = tally.judges.longest(ENOUGH);
    if (brokenJudge !== undefined) run.stop();
  };
  const giveUp = (): void => {
    if (givenUp !== undefined || brokenJudge !== undefined || tally.replies > 0 || tally.failures < ENOUGH)
      return;
    const lasting = [...LASTING].reduce((sum, category) => sum + (tally.errors.get(category) ?? 0), 0);
    if (lasting < tally.failures) return;
    givenUp = tally.lastFailure;
    run.stop();
  };
  return {
    get results() {
      return run.results;
    },
    get givenUp() {
      return givenUp;
    },
    get brokenJudge() {
      return brokenJudge;
    },
    get unreadableStored() {
      return tally.judges.unreadableStored;
    },
    get firstFailure() {
      return tally.firstFailure;
    },
    stop: () => run.stop(),
    async *[Symbol.asyncIterator]() {
      for await (const event of run) {
        tally.apply(event);
        giveUp();
        giveUpOnJudge();
        yield event;
      }
    },
  };
}
