import type { ConversationStatus } from "../core/state/state.ts";
import type { Clock } from "../core/values/environment.ts";
import { remember } from "../core/values/remember.ts";
import { RunError } from "../journal/run-error.ts";
import type { Cell, RunEvent, RunEventBody } from "../journal/run-event.ts";
import type { RunJournal, Store } from "../journal/store/store.ts";
import { SharedAnswers } from "./calls/call-cache.ts";
import type { Caller } from "./calls/caller.ts";
import { systemClock } from "./calls/clock.ts";
import { ConversationDriver, type Cut } from "./conversation-driver.ts";
import { cellGroups, scenarioDefine } from "./describe-run.ts";
import { type EarlierRun, earlierRun, refuseChanges } from "./earlier-run.ts";
import type { HeldConversation } from "./recorded-conversation.ts";
import type { ConversationPlan } from "./run-context.ts";
import { list, type RunOptions } from "./run-options.ts";
import { type RunSetup, setUpRun } from "./set-up-run.ts";
import { type ConversationRecord, conversationRecord } from "./step/conversation-record.ts";
import { foldJournal } from "./step/fold-journal.ts";

/** Where the events of a run go, and whether there is room for more. */
export interface RunReader {
  onEvent(event: RunEvent): void;
  room(): Promise<void> | undefined;
}

/** What was said before, where it is only to be verified again. */
export interface RegradingPlan {
  readonly held: (cell: Cell) => HeldConversation;
  /** True to ask the subject where a conversation goes another way. */
  readonly reruns: boolean;
}

const DEFAULT_CONCURRENCY = 256;

/** A run in progress: begins conversations as there is room, and collects what comes of them. */
export class RunningScenarios {
  readonly #options: RunOptions;
  readonly #reader: RunReader;
  readonly #regrading: RegradingPlan | null;
  readonly #clock: Clock;
  readonly #active = new Set<ConversationDriver>();
  readonly #statuses: Partial<Record<ConversationStatus, number>> = {};
  /** Rejects if the run itself breaks: a journal that cannot be written, a mistake of ours. */
  readonly #broken = Promise.withResolvers<never>();
  readonly #records: ConversationRecord[] = [];
  #results: Promise<readonly ConversationRecord[]> | undefined;
  #journal: RunJournal | undefined;
  #caller: Caller | undefined;
  #release: (() => void) | undefined;
  #cut: Cut | undefined;
  #finished = 0;

  constructor(options: RunOptions, reader: RunReader, regrading: RegradingPlan | null = null) {
    this.#regrading = regrading;
    this.#options = options;
    this.#reader = reader;
    this.#clock = options.clock ?? systemClock;
    this.#broken.promise.catch(() => {});
  }

  /** Starts the run, or gives what was started. */
  start(): Promise<readonly ConversationRecord[]> {
    this.#results ??= this.#run();
    // Whoever reads events may never ask for the results, and hears of an error all the same.
    this.#results.catch(() => {});
    return this.#results;
  }

  /** Ends all conversations at once. */
  cancel(cut: Cut): void {
    this.#cut ??= cut;
    for (const driver of this.#active) driver.cut(cut);
  }

  /** Begins nothing more; each conversation ends after what is under way, and at once if its call only waits. */
  stop(): void {
    this.#cut ??= { status: "cancelled", message: "The run was stopped." };
    for (const driver of this.#active) driver.stop(this.#cut);
    this.#caller?.stopWaiting(this.#cut.message);
  }

  async #run(): Promise<readonly ConversationRecord[]> {
    const { signal, timeouts } = this.#options;
    const onAbort = (): void => this.cancel({ status: "cancelled", message: "The run was cancelled." });
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    const limit = timeouts?.runMs ?? null;
    const disarm = limit === null ? undefined : this.#limitTime(limit);
    const setup = await setUpRun(this.#options, {
      clock: this.#clock,
      emit: (event) => this.#emit(event),
      durable: () => this.#journal?.durable(),
      fail: (error) => this.#broken.reject(error),
    });
    this.#caller = setup.context.caller;
    if (this.#cut !== undefined) this.#caller.stopWaiting(this.#cut.message);
    try {
      const earlier = this.#begin(setup);
      for (const warning of setup.warnings) this.#emit(warning);
      await Promise.race([this.#holdAll(setup, earlier), this.#broken.promise]);
      this.#emit({ type: "run-end", statuses: this.#statuses, spending: setup.context.caller.spending });
      await this.#journal?.durable();
      return this.#records;
    } finally {
      disarm?.();
      signal?.removeEventListener("abort", onAbort);
      this.cancel({ status: "cancelled", message: "The run is over." });
      this.#release?.();
      await setup.close();
    }
  }

  /** Opens the journal; gives what it tells already if the run is taken up again. */
  #begin({ start }: RunSetup): EarlierRun | null {
    const { store, resume, parent } = this.#options;
    const event = { ...start, at: Math.round(this.#clock.now()) };
    this.#release = store === undefined ? undefined : claimRun(store, start.run);
    if (store === undefined || resume === undefined) {
      this.#journal = store?.begin(event, parent === undefined ? {} : { parent });
      this.#reader.onEvent(event);
      for (const definition of list(this.#options.scenarios)) this.#emit(scenarioDefine(definition));
      return null;
    }
    refuseChanges(store, start);
    this.#journal = store.reopen(start.run);
    this.#reader.onEvent(event);
    // Read once nobody else can write any more.
    return earlierRun(store, start.run, resume);
  }

  #limitTime(limit: number): () => void {
    return this.#clock.after(limit, () =>
      this.cancel({ status: "timeout", message: `The run took longer than ${limit} ms.` }),
    );
  }

  /** Conversations are begun in order, and as many at a time as may be; those that are over already come last. */
  async #holdAll(setup: RunSetup, earlier: EarlierRun | null): Promise<void> {
    const groups = cellGroups(setup.factors);
    const worker = async (): Promise<void> => {
      for (const group of groups) {
        const room = this.#reader.room();
        if (room !== undefined) await room;
        if (this.#leavesTheRest) return;
        const plans = group.map((cell) => setup.conversation(cell)).filter((plan) => !earlier?.isOver(plan));
        const shared = plans.length > 1 ? new SharedAnswers() : undefined;
        await Promise.all(plans.map((plan) => this.#hold(setup, { ...plan, shared }, earlier)));
        // Nothing waits for the last answer of a conversation but this: so that a crash loses no more than calls in flight.
        await this.#journal?.durable();
      }
    };
    const { concurrency = DEFAULT_CONCURRENCY } = this.#options;
    const workers = Math.max(1, Math.min(concurrency, setup.start.conversations));
    await Promise.all(Array.from({ length: workers }, worker));
    if (earlier !== null) this.#recall(setup, earlier);
  }

  /** What has not begun when a run is stopped need not be written down, if nobody wants its record: a resume begins it. */
  get #leavesTheRest(): boolean {
    const { store, keepResults } = this.#options;
    return this.#cut?.status === "cancelled" && store !== undefined && keepResults === false;
  }

  async #hold(setup: RunSetup, plan: ConversationPlan, earlier: EarlierRun | null): Promise<void> {
    const { held, reruns } = this.#regrading ?? {};
    const again = held === undefined ? {} : { held: held(plan.cell), reruns: reruns ?? false };
    const driver = new ConversationDriver(setup.context, { ...plan, ...again });
    if (this.#cut !== undefined) driver.stop(this.#cut);
    this.#active.add(driver);
    const journal = earlier?.journal(plan);
    const record = await (journal === undefined
      ? driver.hold()
      : driver.resume(journal, earlier as EarlierRun));
    this.#active.delete(driver);
    this.#record(record);
    this.#emit({
      type: "progress",
      finished: this.#finished,
      running: this.#active.size,
      total: setup.start.conversations,
      spending: setup.context.caller.spending,
    });
  }

  /** The conversations that were over before the run was taken up again. */
  #recall(setup: RunSetup, earlier: EarlierRun): void {
    for (const cell of [...cellGroups(setup.factors)].flat()) {
      const plan = setup.conversation(cell);
      if (!earlier.isOver(plan)) continue;
      if (this.#options.keepResults === false) {
        this.#count(earlier.statusOf(plan));
        continue;
      }
      const { state, events } = foldJournal(plan.definition, earlier.journal(plan) ?? []);
      if (state !== null) this.#record(conversationRecord(state, events));
    }
  }

  #record(record: ConversationRecord): void {
    this.#count(record.status);
    if (this.#options.keepResults !== false) this.#records[record.index] = record;
  }

  #count(status: ConversationStatus): void {
    this.#finished++;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
  }

  #emit(body: RunEventBody): void {
    const event: RunEvent = { ...body, at: Math.round(this.#clock.now()) };
    this.#journal?.append(event);
    this.#reader.onEvent(event);
  }
}

const claimed = new WeakMap<Store, Set<string>>();

/** Two of us must not write one run; other processes are the business of the store. Returns what ends the claim. */
export function claimRun(store: Store, run: string): () => void {
  const runs = remember(claimed, store, () => new Set<string>());
  if (runs.has(run)) throw new RunError([`The run "${run}" is being held already. Wait for it to end.`]);
  runs.add(run);
  return () => void runs.delete(run);
}
