import type { RunFailure } from "../../../engine/journal/failure.ts";
import { RunTally } from "../../../engine/journal/fold/run.ts";
import { type JudgeStreak, LASTING } from "../../../engine/journal/judge-health.ts";
import type { Run } from "../../../engine/run/run-scenarios.ts";

/** How many conversations, or consecutive requests to a judge, must fail before a run is stopped. */
const ENOUGH = 10;

/**
 * A run that stops when nothing works: all of its first conversations failed, or many consecutive requests to a judge, with errors that a
 * retry does not fix.
 */
export interface GuardedRun extends Run {
  /** Why the run was stopped; undefined if it was not. */
  readonly givenUp: RunFailure | undefined;
  /** The judge that made the run stop; undefined if none did. */
  readonly brokenJudge: JudgeStreak | undefined;
  /** Unreadable answers of judges that came from the store. */
  readonly unreadableStored: number;
  /** The failure of the first conversation that failed. */
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
