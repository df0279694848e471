import type { RunFailure } from "../../journal/failure.ts";
import type { RunEvent } from "../../journal/run-event.ts";
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

/** A run that gives up when nothing works: its first conversations have all failed, each in a way that does not pass. */
export interface HopefulRun extends Run {
  /** Why it was given up; undefined if it was not. */
  readonly givenUp: RunFailure | undefined;
  /** What ended the first conversation that could not be held. */
  readonly firstFailure: RunFailure | undefined;
}

/** Stops a run that is hopeless, so that nobody waits for hundreds of conversations to fail in the same way. */
export function stopIfHopeless(run: Run): HopefulRun {
  let failed = 0;
  let isHopeful = false;
  let givenUp: RunFailure | undefined;
  let firstFailure: RunFailure | undefined;
  const look = (event: RunEvent): void => {
    if (event.type === "conversation-end") firstFailure ??= event.failure;
    if (event.type === "turn-reply") isHopeful = true;
    if (isHopeful || event.type !== "conversation-end" || event.failure === undefined) return;
    if (!LASTING.has(event.failure.category)) {
      isHopeful = true;
      return;
    }
    failed++;
    if (failed !== ENOUGH) return;
    givenUp = event.failure;
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
      return firstFailure;
    },
    stop: () => run.stop(),
    async *[Symbol.asyncIterator]() {
      for await (const event of run) {
        look(event);
        yield event;
      }
    },
  };
}
