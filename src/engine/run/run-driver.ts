import { DEFAULTS } from "../../core/defaults.ts";
import type { Clock } from "../../core/environment.ts";
import { errorMessage } from "../../core/error-message.ts";
import { memoize } from "../../core/lazy.ts";
import type { ConversationStatus } from "../../core/state/state.ts";
import { RunError } from "../journal/failure.ts";
import { judgeHealth } from "../journal/judge-health.ts";
import type { Cell, RunEvent, RunEventBody, RunObserver } from "../journal/run-event.ts";
import type { RunJournal, Store } from "../journal/store/store.ts";
import { AccountLanes, groupsByAccount } from "./account-lanes.ts";
import type { Caller } from "./calls/caller.ts";
import { systemClock } from "./calls/clock.ts";
import { type CellGroup, cellGroups, givenGroups } from "./cell-source.ts";
import type { StopReason } from "./conversation-driver.ts";
import { scenarioDefine } from "./describe-run.ts";
import { type EarlierRun, earlierRun, refuseChangedRows, refuseChanges } from "./earlier-run.ts";
import { GroupRunner } from "./group-runner.ts";
import { silentModel } from "./records/known-replies.ts";
import { type GivenSurvey, list, type RunInternals, type RunOptions } from "./run-options.ts";
import { type RunSetup, setUpRun } from "./set-up-run.ts";
import type { ConversationRecord } from "./step/conversation-state.ts";

/** Receives the events of a run, and says when it is full. */
interface RunReader {
  onEvent(event: RunEvent): void;
  /** Undefined if there is room for more events, else a promise of it. */
  room(): Promise<void> | undefined;
}

/** Runs all conversations of a run, `concurrency` at a time, and collects their records. */
export class RunDriver {
  readonly #options: RunOptions;
  readonly #internals: RunInternals;
  readonly #reader: RunReader;
  #observer: RunObserver | undefined;
  readonly #clock: Clock;
  /** Rejects if the run itself fails: the store cannot be used, or there is a bug in the engine. */
  readonly #failure = Promise.withResolvers<never>();
  #results: Promise<readonly ConversationRecord[]> | undefined;
  readonly #ended: EndedConversations;
  #journal: RunJournal | undefined;
  #caller: Caller | undefined;
  #groups: GroupRunner | undefined;
  #stopReason: StopReason | undefined;

  constructor(options: RunOptions, reader: RunReader, internals: RunInternals = {}) {
    this.#options = options;
    this.#internals = internals;
    this.#reader = reader;
    this.#observer = options.observer;
    this.#clock = internals.clock ?? systemClock;
    this.#ended = new EndedConversations(options.keepResults !== false);
    // It may reject before anything waits for it.
    this.#failure.promise.catch(() => {});
  }

  /** Starts the run on the first call; later calls return the same promise. */
  start(): Promise<readonly ConversationRecord[]> {
    this.#results ??= this.#run();
    // A reader of events sees the error there, and may never ask for the results.
    this.#results.catch(() => {});
    return this.#results;
  }

  /** Ends all conversations at once. */
  abort(reason: StopReason): void {
    this.#stopReason ??= reason;
    this.#groups?.abort(reason);
  }

  /** Asks nothing new. A conversation ends when its calls in flight have finished; calls that only wait are cancelled. */
  stop(): void {
    this.#stopReason ??= { status: "cancelled", message: "The run was stopped." };
    this.#groups?.stop(this.#stopReason);
    this.#caller?.stopWaiting(this.#stopReason.message);
  }

  async #run(): Promise<readonly ConversationRecord[]> {
    const { signal, timeouts } = this.#options;
    const onAbort = (): void => this.abort({ status: "cancelled", message: "The run was cancelled." });
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    const limit = timeouts?.runMs ?? null;
    const cancelTimer = limit === null ? undefined : this.#limitTime(limit);
    try {
      return await this.#runWith(await this.#setUp());
    } finally {
      cancelTimer?.();
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async #setUp(): Promise<RunSetup> {
    const survey = await this.#internals.given?.survey();
    return setUpRun(survey === undefined ? this.#options : withSurvey(this.#options, survey), {
      given: survey?.count,
      clock: this.#clock,
      origin: this.#internals.origin,
      parent: this.#internals.parent,
      isResumed: this.#internals.resume !== undefined,
      emit: (event) => this.#emit(event),
      durable: () => this.#journal?.durable(),
      fail: (error) => this.#failure.reject(error),
    });
  }

  async #runWith(setup: RunSetup): Promise<readonly ConversationRecord[]> {
    this.#caller = setup.caller;
    if (this.#stopReason !== undefined) this.#caller.stopWaiting(this.#stopReason.message);
    let release: (() => void) | undefined;
    try {
      const { store } = this.#options;
      release = store === undefined ? undefined : claimRun(store, setup.start.run);
      const earlier = await this.#begin(setup);
      for (const warning of setup.warnings) this.#emit(warning);
      await Promise.race([this.#runAll(setup, earlier), this.#failure.promise]);
      const { judging } = setup.context;
      const judges = judging.counts.map(judgeHealth);
      this.#emit({
        type: "run-end",
        statuses: this.#ended.statuses,
        spending: setup.caller.spending,
        ...(judges.length === 0 ? {} : { judges }),
      });
      await this.#journal?.durable();
      return this.#ended.records.sort((one, other) => one.index - other.index);
    } finally {
      this.abort({ status: "cancelled", message: "The run is over." });
      release?.();
      await setup.close();
    }
  }

  /** Opens the journal; returns what it says already if the run is resumed. */
  async #begin(setup: RunSetup): Promise<EarlierRun | null> {
    const { start } = setup;
    const { store } = this.#options;
    const { resume, parent } = this.#internals;
    const event = { ...start, at: Math.round(this.#clock.now()) };
    if (store === undefined || resume === undefined) {
      this.#journal = store?.begin(event, parent === undefined ? {} : { parent });
      this.#reader.onEvent(event);
      if (this.#observer !== undefined) this.#observe(event, this.#observer);
      for (const definition of list(this.#options.scenarios)) this.#emit(scenarioDefine(definition));
      return null;
    }
    refuseChanges(store, start);
    await refuseChangedRows(store, setup);
    this.#journal = store.reopen(start.run);
    this.#reader.onEvent(event);
    // Read only now: no other process can write to the run any more.
    return earlierRun(store, start.run, resume);
  }

  #limitTime(limit: number): () => void {
    return this.#clock.after(limit, () =>
      this.abort({ status: "timeout", message: `The run took longer than ${limit} ms.` }),
    );
  }

  async #runAll(setup: RunSetup, earlier: EarlierRun | null): Promise<void> {
    const { given, recorded } = this.#internals;
    const groups = new GroupRunner({
      setup,
      earlier,
      recorded,
      onRecord: (record, cell) => this.#ended.add(record, cell),
      onRun: () => this.#sayProgress(setup),
      onArms: (count) => {
        this.#ended.arms += count;
      },
    });
    this.#groups = groups;
    if (this.#stopReason !== undefined) groups.stop(this.#stopReason);
    const runGroup = async (group: CellGroup): Promise<"go on" | "stop"> => {
      const room = this.#reader.room();
      if (room !== undefined) await room;
      if (this.#skipsTheRest) return "stop";
      await groups.run(group);
      // No effect waits for the last event of a conversation, so a crash could lose more than the calls in flight.
      await this.#journal?.durable();
      return "go on";
    };
    const { concurrency = DEFAULTS.concurrency, budget } = this.#options;
    const workers = Math.max(1, Math.min(concurrency, setup.start.conversations));
    const accountOf = (subject: string): string => setup.context.subjects.get(subject)?.model.account ?? "";
    const lanes = new AccountLanes(
      given === undefined
        ? groupsByAccount(setup.factors, accountOf)
        : [givenGroups(given.conversations(), setup.factors)],
      // What is spent is spent on all alike, so that a run that stops early is balanced.
      { lead: budget === undefined ? Number.POSITIVE_INFINITY : concurrency, clock: this.#clock },
    );
    await lanes.run(workers, runGroup);
    if (earlier !== null) await this.#recordFinished(setup, { earlier, groups });
  }

  /** After a stop, conversations that have not started need no events if their records are not kept: a resume starts them. */
  get #skipsTheRest(): boolean {
    const { store, keepResults } = this.#options;
    return this.#stopReason?.status === "cancelled" && store !== undefined && keepResults === false;
  }

  #sayProgress({ start, caller }: RunSetup): void {
    this.#emit({
      type: "progress",
      finished: this.#ended.count,
      running: this.#groups?.active ?? 0,
      total: start.conversations + this.#ended.arms,
      spending: caller.spending,
    });
  }

  /** Adds the conversations that were finished before the run was resumed. */
  async #recordFinished(
    setup: RunSetup,
    { earlier, groups }: { readonly earlier: EarlierRun; readonly groups: GroupRunner },
  ): Promise<void> {
    for await (const { cells, row } of cellGroups(setup.factors)) {
      for (const cell of cells) {
        const plan = setup.conversation(cell, row);
        if (!earlier.isFinished(plan)) continue;
        if (this.#options.keepResults === false) {
          this.#ended.note(earlier.statusOf(plan));
          continue;
        }
        const record = await groups.finished(plan);
        if (record !== null) this.#ended.add(record, cell);
      }
    }
  }

  /** Wherever an event comes from, one that cannot be written makes the run fail. */
  #emit(body: RunEventBody): void {
    const event: RunEvent = { ...body, at: Math.round(this.#clock.now()) };
    try {
      this.#journal?.append(event);
      this.#reader.onEvent(event);
    } catch (error) {
      this.#failure.reject(error);
      throw error;
    }
    if (this.#observer !== undefined) this.#observe(event, this.#observer);
  }

  /** An observer that throws must not break the run. */
  #observe(event: RunEvent, observer: RunObserver): void {
    try {
      observer.onEvent(event);
    } catch (error) {
      this.#observer = undefined;
      const message = `The observer of the run failed, and sees no more of it: ${errorMessage(error)}`;
      this.#emit({ type: "warning", code: "observer", message });
    }
  }
}

/** What has come of the conversations of a run so far. */
class EndedConversations {
  readonly statuses: Partial<Record<ConversationStatus, number>> = {};
  readonly records: ConversationRecord[] = [];
  count = 0;
  /** How many arms of forks have begun. */
  arms = 0;
  readonly #keepsRecords: boolean;

  constructor(keepsRecords: boolean) {
    this.#keepsRecords = keepsRecords;
  }

  /** Where a conversation stands is what the run says now: rows may have been inserted since it began. */
  add(record: ConversationRecord, { index, rowIndex }: Cell): void {
    this.note(record.status);
    if (this.#keepsRecords)
      this.records.push({ ...record, index, ...(rowIndex === undefined ? {} : { rowIndex }) });
  }

  note(status: ConversationStatus): void {
    this.count++;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }
}

/** The options of a run whose conversations exist already: their subjects are not asked. */
function withSurvey(options: RunOptions, { subjects, replicates, needsReading }: GivenSurvey): RunOptions {
  return {
    ...options,
    subjects: subjects.map(silentModel),
    replicates,
    ...(needsReading ? {} : { allowUnread: true }),
  };
}

/** The runs that drivers of this process write. A store guards them only against other processes. */
const claimed = new WeakMap<Store, Set<string>>();

/** Throws `RunError` if this process writes the run already; returns what ends the claim. */
export function claimRun(store: Store, run: string): () => void {
  const runs = memoize(claimed, store, () => new Set<string>());
  if (runs.has(run)) throw new RunError([`The run "${run}" is in progress already. Wait for it to finish.`]);
  runs.add(run);
  return () => void runs.delete(run);
}
