import { RunError } from "../journal/failure.ts";
import type { RunEvent, RunEventBody } from "../journal/run-event.ts";
import type { RunJournal, RunSummary, Store } from "../journal/store/store.ts";
import { systemClock } from "../run/calls/clock.ts";
import { cellGroups } from "../run/cell-source.ts";
import { scenarioDefine } from "../run/describe-run.ts";
import { type EarlierRun, earlierRun, refuseChangedRows, refuseChanges } from "../run/earlier-run.ts";
import { hasForks } from "../run/group-runner.ts";
import { claimRun } from "../run/run-driver.ts";
import { list, type RunInternals, type RunOptions, validateOptions } from "../run/run-options.ts";
import { EventQueue, type Run } from "../run/run-scenarios.ts";
import { type RunSetup, setUpRun } from "../run/set-up-run.ts";
import type { WorkQueue } from "./work-queue.ts";
import { workSheet } from "./work-sheet.ts";
import type { WorkJob, WorkTables } from "./work-tables.ts";

/** What a run on workers needs beside its options. */
interface Coordination {
  readonly tables: WorkTables;
  readonly queue: WorkQueue;
  /** The hash of the project file, which workers need if the run has code. */
  readonly project?: string | undefined;
  /** The command that starts a worker, without passwords. */
  readonly command: string;
  /** How often conversations that no worker holds are put in the queue again (default 20,000). */
  readonly requeueMs?: number;
}

const POLL_MS = 200;
/** How many events may wait for a reader. */
const WAITING_EVENTS = 4096;
const PORTION = 500;
/** Jobs that end at the same time may be seen a little later than others that ended after them. */
const LOOK_BACK = 1_000;
/** How long a stopped run waits for workers that do not respond. */
const LONGEST_STOP_MS = 30_000;
const WORKERS_EVERY = 10;
const REQUEUE_MS = 20_000;
/** How many conversations are put in the queue again at once. */
const REQUEUED = 1_000;

/**
 * A run whose conversations are run by workers. This process starts it, puts its conversations in the queue, shows the events of
 * the shared journal, and ends it. If this process dies, workers continue, and a resume takes its place.
 */
export function coordinateRun(options: RunOptions, internals: RunInternals, coordination: Coordination): Run {
  validateOptions(options);
  if (options.shard !== undefined)
    throw new RunError(["A shard is run in one process. Leave out --shard, or --workers."]);
  const { store } = options;
  if (store === undefined) throw new TypeError("Expected `store` to be that of the workers, got undefined");
  const coordinator = new Coordinator({ ...options, store }, internals, coordination);
  return {
    get results(): Run["results"] {
      throw new TypeError("The results of a run on workers are in its store.");
    },
    stop: () => coordinator.stop("stopping"),
    [Symbol.asyncIterator]: () => coordinator.events(),
  };
}

class Coordinator {
  readonly #options: RunOptions & { readonly store: Store };
  readonly #internals: RunInternals;
  readonly #coordination: Coordination;
  readonly #queue: EventQueue<RunEvent>;
  readonly #seen = new Set<string>();
  readonly #warned = new Set<string>();
  #journal: RunJournal | undefined;
  #run = "";
  #wanted: "stopping" | "aborting" | undefined;
  #stoppedAt: number | undefined;
  /** Jobs that were done before this process began are not shown. */
  #firstOrder = 0;
  #lastOrder = 0;
  #finished = 0;

  constructor(
    options: RunOptions & { readonly store: Store },
    internals: RunInternals,
    coordination: Coordination,
  ) {
    this.#options = options;
    this.#internals = internals;
    this.#coordination = coordination;
    this.#queue = new EventQueue({ limit: WAITING_EVENTS, onReturn: () => this.stop("aborting") });
  }

  events(): AsyncIterator<RunEvent> {
    const { signal } = this.#options;
    const abort = (): void => this.stop("aborting");
    signal?.addEventListener("abort", abort, { once: true });
    this.#coordinate()
      .then(
        () => this.#queue.end(),
        (error) => this.#queue.fail(error),
      )
      .finally(() => signal?.removeEventListener("abort", abort));
    return this.#queue;
  }

  /** Stops the run on all workers. */
  stop(state: "stopping" | "aborting"): void {
    if (this.#wanted === "aborting") return;
    this.#wanted = state;
    this.#stoppedAt = performance.now();
  }

  async #coordinate(): Promise<void> {
    const { tables, project } = this.#coordination;
    const { store, timeouts, budget = {} } = this.#options;
    const { resume, origin } = this.#internals;
    const setup = await setUpRun({ ...this.#options, keyless: true } as RunOptions, {
      clock: systemClock,
      isResumed: resume !== undefined,
      emit: () => {},
      durable: () => undefined,
      fail: (error) => this.#queue.fail(error),
      origin,
    });
    await setup.close();
    const { subjects, judges, run } = setup.start;
    const sheet = workSheet(this.#options, { names: { subjects, judges }, project });
    this.#run = run;
    const release = claimRun(store, run);
    try {
      const earlier = await this.#begin(setup);
      await this.#journal?.durable();
      this.#firstOrder = await tables.lastDone(run);
      const limitMs = timeouts?.runMs ?? null;
      await tables.openRun(run, {
        sheet: resume === undefined ? sheet : { ...sheet, resume },
        budget,
        limitMs,
      });
      await Promise.all([this.#addJobs(setup, earlier), this.#watch()]);
      await this.#end();
    } finally {
      release();
    }
  }

  async #begin(setup: RunSetup): Promise<EarlierRun | null> {
    const { start, warnings } = setup;
    const { store, scenarios } = this.#options;
    const { resume } = this.#internals;
    const event = { ...start, at: Math.round(systemClock.now()) };
    if (resume === undefined) {
      this.#journal = store.begin(event);
      this.#queue.push(event);
      for (const definition of list(scenarios)) this.#emit(scenarioDefine(definition));
      for (const warning of warnings) this.#emit(warning);
      return null;
    }
    refuseChanges(store, start);
    await refuseChangedRows(store, setup);
    this.#journal = store.reopen(start.run);
    this.#queue.push(event);
    return earlierRun(store, start.run, resume);
  }

  /** Puts all open conversations in the queue; workers start at once. */
  async #addJobs(setup: RunSetup, earlier: EarlierRun | null): Promise<void> {
    const { tables, queue } = this.#coordination;
    const start = await queue.firstPriority();
    let before = 0;
    let portion: WorkJob[] = [];
    const send = async (): Promise<void> => {
      await tables.addJobs(this.#run, portion, earlier !== null);
      await queue.add(
        portion.map(({ job }) => ({ run: this.#run, job })),
        { start, before },
      );
      before += portion.length;
      portion = [];
    };
    for await (const group of cellGroups(setup.factors)) {
      const plans = group.cells.map((cell) => setup.conversation(cell, group.row));
      const isLeft = plans.some((plan) => !earlier?.isFinished(plan) || hasForks(plan.definition));
      const [first] = plans;
      if (!isLeft || first === undefined) continue;
      portion.push({ job: first.conversation, group });
      if (portion.length === PORTION) await send();
      if (this.#wanted !== undefined) break;
    }
    if (portion.length > 0) await send();
    this.#isAdded = true;
  }

  #isAdded = false;

  /** Shows what workers have done, until nothing is left. */
  async #watch(): Promise<void> {
    const { tables } = this.#coordination;
    let sentState: string | undefined;
    let requeuedAt = performance.now();
    for (let round = 0; ; round++) {
      const wasAdded = this.#isAdded;
      if (this.#wanted !== undefined) {
        if (sentState !== this.#wanted) await tables.setState(this.#run, this.#wanted);
        sentState = this.#wanted;
        if (wasAdded) await tables.dropUnclaimed(this.#run);
      }
      const { open, claimed, state } = await tables.progress(this.#run);
      await this.#showFinished(claimed);
      if (state !== "running" && this.#stoppedAt === undefined) this.#stoppedAt = performance.now();
      if (state === "stopping" || state === "aborting") this.#wanted ??= state;
      if (wasAdded && open === 0) return;
      if (wasAdded && performance.now() - requeuedAt > (this.#coordination.requeueMs ?? REQUEUE_MS)) {
        await this.#requeue();
        requeuedAt = performance.now();
      }
      if (round % WORKERS_EVERY === WORKERS_EVERY - 1 && (await this.#checkWorkers(claimed)) === "give up")
        return;
      await systemClock.sleep(POLL_MS, NEVER);
    }
  }

  /** A queue may lose jobs with its server. What is still in it stays where it is. */
  async #requeue(): Promise<void> {
    const { tables, queue } = this.#coordination;
    const jobs = await tables.unheld(this.#run, REQUEUED);
    const start = await queue.firstPriority();
    await queue.add(
      jobs.map((job) => ({ run: this.#run, job })),
      { start, before: 0 },
    );
  }

  /** Passes on the events of conversations that are over. */
  async #showFinished(running: number): Promise<void> {
    const { store } = this.#options;
    const done = await this.#coordination.tables.doneAfter(
      this.#run,
      Math.max(this.#firstOrder, this.#lastOrder - LOOK_BACK),
    );
    if (done.some(({ job }) => !this.#seen.has(job))) await store.pull?.([this.#run]);
    for (const { job, order, conversations } of done) {
      this.#lastOrder = Math.max(this.#lastOrder, order);
      if (this.#seen.has(job)) continue;
      this.#seen.add(job);
      for (const conversation of conversations) {
        for (const event of store.events(this.#run, conversation)) this.#queue.push(event);
        this.#finished++;
        await this.#queue.room();
      }
    }
    if (done.length === 0) return;
    const { start, arms = 0, spending } = this.#summary();
    const total = start.conversations + arms;
    this.#queue.push({
      type: "progress",
      finished: this.#finished,
      running,
      total,
      spending,
      at: Date.now(),
    });
  }

  /** Prints problems of workers; gives up a stopped run if no worker is left. */
  async #checkWorkers(claimed: number): Promise<"give up" | "continue"> {
    const workers = await this.#coordination.tables.workers();
    for (const { name, problems } of workers) {
      const problem = problems[this.#run];
      if (problem !== undefined)
        this.#warnOnce(`The worker ${name} takes no conversations of this run. ${problem}`);
    }
    if (workers.length === 0)
      this.#warnOnce(`No worker takes conversations now. Start one: ${this.#coordination.command}`);
    const waited = performance.now() - (this.#stoppedAt ?? performance.now());
    return (workers.length === 0 && waited > 0 && claimed === 0) || waited > LONGEST_STOP_MS
      ? "give up"
      : "continue";
  }

  /** Emits a warning once; it is not part of the journal. */
  #warnOnce(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#queue.push({ type: "warning", code: "worker", message, at: Date.now() });
  }

  #summary(): RunSummary {
    const summary = this.#options.store.run(this.#run);
    if (summary === undefined)
      throw new RunError([`The run "${this.#run}" was deleted while it was running.`]);
    return summary;
  }

  async #end(): Promise<void> {
    await this.#showFinished(0);
    await this.#options.store.pull?.([this.#run]);
    await this.#coordination.tables.setState(this.#run, "over");
    const { statuses, spending, judges } = this.#summary();
    this.#emit({ type: "run-end", statuses, spending, ...(judges.length === 0 ? {} : { judges }) });
    await this.#journal?.durable();
  }

  #emit(body: RunEventBody): void {
    const event: RunEvent = { ...body, at: Math.round(systemClock.now()) };
    this.#journal?.append(event);
    this.#queue.push(event);
  }
}

const NEVER = new AbortController().signal;
