import { RunError } from "../journal/run-error.ts";
import type { RunEvent } from "../journal/run-event.ts";
import type { Store } from "../journal/store/store.ts";
import { startedWith } from "./earlier-run.ts";
import { type RegradingPlan, RunningScenarios } from "./run-driver.ts";
import { checkOptions, type RunOptions } from "./run-options.ts";
import type { ConversationRecord } from "./step/conversation-record.ts";

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

/**
 * Events on their way to the one who iterates. Who produces them asks `room()` before starting something new, so that a slow
 * reader holds the run back instead of filling the memory.
 */
export class EventQueue<Event> implements AsyncIterator<Event> {
  readonly #onReturn: () => void;
  readonly #limit: number;
  #events: Event[] = [];
  #head = 0;
  #reader: PromiseWithResolvers<IteratorResult<Event>> | undefined;
  #waiting: (() => void)[] = [];
  #state: "open" | "ended" | { readonly error: unknown } = "open";

  constructor(options: { readonly limit: number; readonly onReturn: () => void }) {
    this.#limit = options.limit;
    this.#onReturn = options.onReturn;
  }

  push(event: Event): void {
    if (this.#state !== "open") return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#events.push(event);
    else reader.resolve({ done: false, value: event });
  }

  end(): void {
    if (this.#state === "open") this.#state = "ended";
    this.#reader?.resolve({ done: true, value: undefined });
    this.#reader = undefined;
  }

  fail(error: unknown): void {
    if (this.#state !== "open") return;
    // An error is told once: to a reader who waits, else to the next who asks.
    this.#state = this.#reader === undefined ? { error } : "ended";
    this.#reader?.reject(error);
    this.#reader = undefined;
  }

  /** Undefined if there is room, else a promise of it. */
  room(): Promise<void> | undefined {
    if (this.#state !== "open" || this.#events.length - this.#head < this.#limit) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  next(): Promise<IteratorResult<Event>> {
    if (this.#head < this.#events.length) {
      const value = this.#events[this.#head++] as Event;
      if (this.#head === this.#events.length) {
        this.#events = [];
        this.#head = 0;
        this.#wake();
      }
      return Promise.resolve({ done: false, value });
    }
    const state = this.#state;
    if (state === "ended") return Promise.resolve({ done: true, value: undefined });
    if (state !== "open") {
      this.#state = "ended";
      return Promise.reject(state.error);
    }
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }

  /** The reader has enough. */
  return(): Promise<IteratorResult<Event>> {
    const wasOpen = this.#state === "open";
    this.#state = "ended";
    this.#events = [];
    this.#head = 0;
    this.#wake();
    if (wasOpen) this.#onReturn();
    return Promise.resolve({ done: true, value: undefined });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
