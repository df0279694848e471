import { provideLiquid } from "../../core/liquid/liquid-engine.ts";
import type { OutcomeResult } from "../../core/outcomes/evaluate-outcome.ts";
import type { NodesOf, OutcomesOf, ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { NodeEntry } from "../../core/state/node-entry.ts";
import type { UnknownRecord } from "../../core/values/json.ts";
import { RunError } from "../journal/failure.ts";
import type { RunEvent } from "../journal/run-event.ts";
import type { Store } from "../journal/store/store.ts";
import type { FinishedTurn } from "../journal/turn.ts";
import { startedWith } from "./earlier-run.ts";
import { loadLiquid } from "./liquid-library.ts";
import { RunDriver } from "./run-driver.ts";
import { type RunInternals, type RunOptions, validateOptions } from "./run-options.ts";
import type { ConversationRecord } from "./step/conversation-state.ts";

provideLiquid(loadLiquid);

/** A finished turn at one of these nodes; the node says which fields there are. A field that was not read is missing or null. */
type TurnAt<Nodes extends NodeEntry> = Nodes extends unknown
  ? Omit<FinishedTurn, "node" | "parsed"> & {
      readonly node: Nodes["id"];
      readonly parsed: unknown extends Nodes["parsed"] ? UnknownRecord : Readonly<Partial<Nodes["parsed"]>>;
    }
  : never;

/** A finished conversation of a scenario: its outcomes by name, its turns with the fields of their templates. */
type ResultOf<Definition extends ScenarioDefinition> = Definition extends unknown
  ? Omit<ConversationRecord, "outcomes" | "turns"> & {
      readonly outcomes: { readonly [Name in OutcomesOf<Definition>]: OutcomeResult };
      readonly turns: readonly TurnAt<NodesOf<Definition>>[];
    }
  : never;

/** A run: iterate it for its events, or await its results; either starts it. */
export interface Run<Definition extends ScenarioDefinition = ScenarioDefinition>
  extends AsyncIterable<RunEvent> {
  /** All conversations in a stable order: by scenario, row, subject, judge, replicate. */
  readonly results: Promise<readonly ResultOf<Definition>[]>;
  /**
   * Asks nothing new, lets calls in flight finish, and ends the other conversations as `cancelled`. Calls that wait in a queue or
   * for a retry are cancelled.
   */
  stop(): void;
}

/** The scenarios of a run, so that the compiler knows what results hold. */
interface ScenariosOption<Definition extends ScenarioDefinition> {
  readonly scenarios: Definition | readonly Definition[];
}

/**
 * Runs every scenario with every subject, judge and replicate.
 *
 * @example
 * const run = runScenarios({ scenarios: definition, subjects: ["openai/gpt-5-mini", "sim/steadfast"], replicates: 5 });
 * for await (const event of run) if (event.type === "conversation-end") console.log(event.status);
 * for (const { outcomes } of await run.results) console.log(outcomes);
 */
export function runScenarios<const Definition extends ScenarioDefinition>(
  options: RunOptions & ScenariosOption<Definition>,
): Run<Definition> {
  // Results of these scenarios have the outcomes and fields of these scenarios.
  const run: Run = startRun(options);
  return run as Run<Definition>;
}

/** The options to resume a run with: the same as it was started with, except for those that its journal has. */
export interface ResumeOptions extends RunOptions {
  readonly store: Store;
  /** True to retry conversations that ended in an error, from the failed turn on (default false). */
  readonly retryErrors?: boolean;
  /** True to judge again what a judge's answer could not be read of, also in finished conversations (default false). */
  readonly retryUnreadable?: boolean;
}

/**
 * Resumes a run where its journal ends: finished conversations stay, all others continue at the exact turn. If scenarios, models
 * or settings have changed since, so that the run would mix two different things, the error names what changed.
 */
export function resumeRun<const Definition extends ScenarioDefinition>(
  name: string,
  options: ResumeOptions & ScenariosOption<Definition>,
): Run<Definition> {
  // As in `runScenarios`.
  return startResume(name, options) as Run<Definition>;
}

/** `resumeRun` with internals. */
export function startResume(
  name: string,
  options: ResumeOptions,
  internals: RunInternals & { readonly begin?: (options: RunOptions, internals: RunInternals) => Run } = {},
): Run {
  const { retryErrors = false, ...rest } = options;
  const summary = options.store.run(name);
  if (summary === undefined) throw new RunError([`There is no run "${name}" in the store.`]);
  if (summary.start.configuration.recorded === true)
    throw new RunError([
      `The run "${summary.run}" grades records, and cannot be resumed. Grade them again, or regrade the run.`,
    ]);
  const { begin = startRun, ...others } = internals;
  return begin(
    { ...startedWith(summary.start), ...rest, run: summary.run },
    { ...others, resume: { retryErrors, retryUnreadable: options.retryUnreadable ?? false } },
  );
}

/** How many events may wait for a reader before new conversations wait, too. */
const WAITING_EVENTS = 4096;

/** A run, and when it is over. */
interface StartedRun extends Run {
  /** Starts the run. Unlike `results`, it needs no records. */
  readonly ended: Promise<void>;
}

/** `runScenarios` with internals. */
export function startRun(options: RunOptions, internals: RunInternals = {}): StartedRun {
  validateOptions(options);
  let queue: EventQueue<RunEvent> | undefined;
  const reader = { onEvent: (event: RunEvent) => queue?.push(event), room: () => queue?.room() };
  const driver = new RunDriver(options, reader, internals);
  return {
    get results() {
      if (options.keepResults === false)
        throw new TypeError("Expected `keepResults` not to be false where `results` are asked for");
      return driver.start();
    },
    get ended() {
      return driver.start().then(() => {});
    },
    stop: () => driver.stop(),
    [Symbol.asyncIterator]() {
      if (queue !== undefined) throw new TypeError("A run can be iterated once.");
      queue = new EventQueue({
        limit: WAITING_EVENTS,
        onReturn: () => driver.abort({ status: "cancelled", message: "The reader of the run has left." }),
      });
      driver.start().then(
        () => queue?.end(),
        (error) => queue?.fail(error),
      );
      return queue;
    },
  };
}

/**
 * Buffers events for the reader. The driver waits for `room()` before it starts a conversation, so a slow reader slows the run
 * down instead of filling the memory.
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
    // The error is reported once: to the waiting `next()`, else to the next one.
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

  /** The reader has left the loop. */
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
