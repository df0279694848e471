import type { RunEvent } from "../journal/run-event.ts";
import type { Store } from "../journal/store.ts";
import type { ConversationRecord } from "./conversation-record.ts";
import { startedWith } from "./earlier-run.ts";
import { EventQueue } from "./event-queue.ts";
import { RunError } from "./run-error.ts";
import { checkOptions, type RunOptions } from "./run-options.ts";
import { type RegradingPlan, RunningScenarios } from "./running-scenarios.ts";

/** A run: iterate it for its events, or await its results; either starts it. */
export interface Run extends AsyncIterable<RunEvent> {
  /** All conversations in a stable order: by scenario, row, subject, judge, replicate. */
  readonly results: Promise<readonly ConversationRecord[]>;
  /**
   * Asks nothing new, lets calls under way come to their end, and ends the other conversations as `cancelled`. Calls that wait for
   * their turn, or to be made again, are given up.
   */
  stop(): void;
}

/** What a run needs to be taken up again: everything that it was begun with, as far as it is not in its journal. */
export interface ResumeOptions extends RunOptions {
  readonly store: Store;
  /** True to hold conversations again, from the failed turn on, that ended in an error (default false). */
  readonly retryErrors?: boolean;
}

/**
 * Takes up a run where its journal ends: finished conversations stay, all others go on at the exact turn. What has changed
 * since, and would mix two different things under one name, is an error that says what it is.
 */
export function resumeRun(name: string, options: ResumeOptions): Run {
  const { retryErrors = false, ...rest } = options;
  const summary = options.store.run(name);
  if (summary === undefined) throw new RunError([`There is no run "${name}" in the store.`]);
  return runScenarios({ ...startedWith(summary.start), ...rest, run: summary.run, resume: { retryErrors } });
}

/** How many events may wait for a reader before new conversations wait, too. */
const WAITING_EVENTS = 4096;

/**
 * Holds conversations: every scenario with every subject, judge and replicate.
 *
 * @example
 * const run = runScenarios({ scenarios: definition, subjects: ["openai/gpt-5-mini", "sim/steadfast"], replicates: 5 });
 * for await (const event of run) if (event.type === "conversation-end") console.log(event.status);
 * for (const { outcomes } of await run.results) console.log(outcomes);
 */
export function runScenarios(options: RunOptions): Run {
  return startRun(options, null);
}

/** The same, for whoever only verifies again what was said before. */
export function startRun(options: RunOptions, regrading: RegradingPlan | null): Run {
  checkOptions(options);
  let queue: EventQueue<RunEvent> | undefined;
  const reader = { onEvent: (event: RunEvent) => queue?.push(event), room: () => queue?.room() };
  const running = new RunningScenarios(options, reader, regrading);
  const started = (): Promise<readonly ConversationRecord[]> => running.start();
  return {
    get results() {
      if (options.keepResults === false)
        throw new TypeError("Expected `keepResults` not to be false where `results` are asked for");
      return started();
    },
    stop: () => running.stop(),
    [Symbol.asyncIterator]() {
      if (queue !== undefined) throw new TypeError("A run can be iterated once.");
      queue = new EventQueue({
        limit: WAITING_EVENTS,
        onReturn: () => running.cancel({ status: "cancelled", message: "The reader of the run has left." }),
      });
      started().then(
        () => queue?.end(),
        (error) => queue?.fail(error),
      );
      return queue;
    },
  };
}
