import type { RunFailure } from "../../journal/failure.ts";
import { RunTally } from "../../journal/fold/run.ts";
import type { ErrorCategory } from "../../models/model-error.ts";
import type { Run } from "../../run/run-scenarios.ts";

/** Failures that the next conversation will meet, too: a wrong key, an unknown model, a server that is not there. */
const LASTING: ReadonlySet<ErrorCategory> = new Set([
  "authentication",
  "permission",
  "not_found",
  "bad_request",
  "connection",
]);

/** How many conversations must fail before the rest is not tried. */
const ENOUGH = 10;

/** A run that stops when nothing works: its first conversations have all failed, each in a way that does not pass. */
export interface GuardedRun extends Run {
  /** Why it was given up; undefined if it was not. */
  readonly givenUp: RunFailure | undefined;
  /** What ended the first conversation that failed. */
  readonly firstFailure: RunFailure | undefined;
}

/** Stops a run whose conversations all fail in the same way, instead of trying hundreds more. */
export function stopIfAllFail(run: Run): GuardedRun {
  const tally = new RunTally();
  let givenUp: RunFailure | undefined;
  const giveUp = (): void => {
    if (givenUp !== undefined || tally.replies > 0 || tally.failures < ENOUGH) return;
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
    get firstFailure() {
      return tally.firstFailure;
    },
    stop: () => run.stop(),
    async *[Symbol.asyncIterator]() {
      for await (const event of run) {
        tally.apply(event);
        giveUp();
        yield event;
      }
    },
  };
}
