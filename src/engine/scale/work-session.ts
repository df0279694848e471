import { errorMessage } from "../../core/error-message.ts";
import { memoize } from "../../core/lazy.ts";
import { RunError } from "../journal/failure.ts";
import { ServerStore } from "../journal/store/postgres/server-store.ts";
import { StoreError } from "../journal/store/store-error.ts";
import { HostedRun } from "./hosted-run.ts";
import { type JobResult, type QueuedJob, type Taking, WorkQueue } from "./work-queue.ts";
import { type OwnParts, WORK_FORMAT } from "./work-sheet.ts";
import { type WorkerReport, WorkTables } from "./work-tables.ts";

/** One line of the log of a worker. */
export interface WorkerEvent {
  readonly event:
    | "ready"
    | "run-open"
    | "run-refused"
    | "run-close"
    | "run-stopped"
    | "take-over"
    | "job-failed"
    | "clock-skew"
    | "connection"
    | "draining"
    | "lost"
    | "ended";
  readonly message: string;
  readonly run?: string;
}

/** What a worker is started with. */
export interface WorkSessionOptions {
  /** The address of the store. */
  readonly store: string;
  /** The address of the queue, if it is on another server. */
  readonly queue?: string | undefined;
  readonly own: OwnParts;
  readonly name: string;
  /** The release. */
  readonly version: string;
  /** How many jobs it takes at the same time. */
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly log: (event: WorkerEvent) => void;
  /** The clock of this machine. */
  readonly now?: () => number;
  /** How often it sends its report, and reads the states of its runs. */
  readonly reportMs?: number;
}

const REPORT_MS = 2_000;
/** A run that has had no job for this time is closed. */
const IDLE_MS = 60_000;
const MOST_SKEW_MS = 5_000;
/** A run that it cannot take is looked at again after this time. */
const REFUSED_MS = 5_000;

interface Hosted {
  readonly opened: Promise<HostedRun>;
  jobs: number;
  usedAt: number;
}

/** A worker from its start until it is drained or loses its lease: takes jobs, and runs their conversations. */
export class WorkSession {
  readonly #options: WorkSessionOptions;
  readonly #store: ServerStore;
  readonly #tables: WorkTables;
  readonly #queue: WorkQueue;
  readonly #hosted = new Map<string, Hosted>();
  /** The accounts that each of its runs asks. */
  readonly #accounts = new Map<string, readonly string[]>();
  readonly #running = new Map<string, Promise<JobResult>>();
  /** Why it takes no conversations of a run. */
  readonly #problems = new Map<string, { readonly message: string; readonly at: number }>();
  readonly #lost = Promise.withResolvers<unknown>();
  readonly #finishes: number[] = [];
  #taking: Taking | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reporting: Promise<void> | undefined;
  #seenAt = 0;
  #finished = 0;
  #errors = 0;
  #isDraining = false;
  #hasLoggedProblem = false;

  private constructor(
    options: WorkSessionOptions,
    parts: { store: ServerStore; tables: WorkTables; queue: WorkQueue },
  ) {
    this.#options = options;
    this.#store = parts.store;
    this.#tables = parts.tables;
    this.#queue = parts.queue;
  }

  /** Connects, and begins to take jobs. Throws what is wrong with the store or the queue. */
  static async start(options: WorkSessionOptions): Promise<WorkSession> {
    const store = await ServerStore.open(options.store, { runs: [] });
    let tables: WorkTables | undefined;
    let queue: WorkQueue | undefined;
    try {
      tables = await WorkTables.open(options.store);
      queue = await WorkQueue.open(options.queue ?? options.store, tables.queueName);
      const session = new WorkSession(options, { store, tables, queue });
      await session.#begin();
      return session;
    } catch (error) {
      await queue?.close();
      await tables?.close();
      await store.close();
      throw error;
    }
  }

  /** Resolves with the error if the worker cannot continue. */
  get lost(): Promise<unknown> {
    return this.#lost.promise;
  }

  /** True if it has reached the server recently, and takes jobs. */
  get isReady(): boolean {
    return !this.#isDraining && performance.now() - this.#seenAt < 5 * REPORT_MS;
  }

  get report(): WorkerReport {
    const { name, version, concurrency } = this.#options;
    const minute = performance.now() - 60_000;
    while ((this.#finishes[0] ?? Number.POSITIVE_INFINITY) < minute) this.#finishes.shift();
    return {
      name,
      version,
      format: WORK_FORMAT,
      concurrency,
      running: this.#running.size,
      finished: this.#finished,
      errors: this.#errors,
      perMinute: this.#finishes.length,
      runs: [...this.#hosted].filter(([, { jobs }]) => jobs > 0).map(([run]) => run),
      accounts: [...new Set([...this.#hosted.keys()].flatMap((run) => this.#accounts.get(run) ?? []))],
      problems: Object.fromEntries([...this.#problems].map(([run, { message }]) => [run, message])),
      isDraining: this.#isDraining,
    };
  }

  /** Takes no more jobs, finishes turns under way, and hands the rest back. */
  async drain(): Promise<void> {
    if (!this.#isDraining) {
      this.#isDraining = true;
      this.#log("draining", `${this.#running.size} jobs are handed back after the turns under way.`);
      await this.#taking?.pause();
      for (const { opened } of this.#hosted.values())
        opened.then(
          (hosted) => hosted.suspend(),
          () => {},
        );
      while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
    }
    await this.#close();
  }

  /** Closes without writing: other workers have taken over. */
  async abandon(): Promise<void> {
    this.#isDraining = true;
    await this.#close();
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#reporting;
    // A queue that cannot be reached has nothing to close.
    const patience = new Promise((resolve) => setTimeout(resolve, 5_000).unref());
    await Promise.race([this.#taking?.close(), patience]).catch(() => {});
    for (const { opened } of this.#hosted.values())
      await opened.then((hosted) => hosted.close()).catch(() => {});
    await Promise.race([this.#tables.leave(this.#store.writer), patience]).catch(() => {});
    await Promise.race([this.#queue.close(), patience]).catch(() => {});
    await this.#tables.close().catch(() => {});
    try {
      await this.#store.close();
    } catch (error) {
      // What was not written has been taken over by others.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  async #begin(): Promise<void> {
    const { name, concurrency, leaseMs, queue, now = Date.now } = this.#options;
    const skew = await this.#tables.clockSkew(now);
    const skewText = `The clock of this machine is ${(Math.abs(skew) / 1000).toFixed(0)} s ${skew > 0 ? "ahead of" : "behind"} the server's.`;
    // On PostgreSQL, the queue compares times of workers: one that is ahead would take the conversations of all others.
    if (queue === undefined && Math.abs(skew) > leaseMs / 4)
      throw new RunError([
        `${skewText} Workers must agree on the time to a quarter of their lease (${leaseMs / 1000} s). Set the clock, and start the worker again.`,
      ]);
    if (Math.abs(skew) > MOST_SKEW_MS)
      this.#log(
        "clock-skew",
        `${skewText} Times in the journal are off by that; nothing else depends on it.`,
      );
    await this.#sendReport();
    this.#taking = await this.#queue.take({
      name,
      concurrency,
      leaseMs,
      take: (job) => this.#takeOnce(job),
      onError: (message) => this.#logProblem(message),
    });
    this.#log("ready", `Takes up to ${concurrency} jobs at a time.`);
    this.#scheduleReport();
  }

  /** The queue may deliver a job again that this process is still running: it is the same job. */
  #takeOnce(job: QueuedJob): Promise<JobResult> {
    const key = `${job.run} ${job.job}`;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const taken = this.#take(job).finally(() => this.#running.delete(key));
    this.#running.set(key, taken);
    return taken;
  }

  async #take({ run, job }: QueuedJob): Promise<JobResult> {
    if (this.#isDraining) return "back";
    if (performance.now() - (this.#problems.get(run)?.at ?? Number.NEGATIVE_INFINITY) < REFUSED_MS)
      return "later";
    let hosted: Hosted | undefined;
    try {
      hosted = memoize(this.#hosted, run, () => ({ opened: this.#open(run), jobs: 0, usedAt: 0 }));
      hosted.jobs++;
      let opened = await hosted.opened;
      const claimed = await this.#tables.claim(run, job, this.#store.writer);
      if (claimed === undefined) return "done";
      const { group, isNew, isTakenOver, takeovers, state, sheetHash } = claimed;
      if (state === "running" && opened.isOutdated(sheetHash)) {
        hosted = this.#openAgain(run, hosted);
        opened = await hosted.opened;
      }
      if (isTakenOver) this.#log("take-over", `Goes on with ${job}, which another worker has left.`, run);
      opened.follow(state);
      const isLate = state === "stopping" || state === "aborting" || state === "over";
      const { isOver, conversations, errors } =
        isLate && isNew
          ? { isOver: true, conversations: [], errors: 0 }
          : await opened.runJob(group, { isNew, takeovers });
      if (!isOver) {
        await this.#tables.release(run, job, this.#store.writer);
        return "back";
      }
      const isFlushed = this.#options.queue !== undefined;
      await this.#tables.finish(run, job, { writer: this.#store.writer, conversations, isFlushed });
      this.#finished += conversations.length;
      this.#errors += errors;
      for (const _ of conversations) this.#finishes.push(performance.now());
      return "done";
    } catch (error) {
      return this.#handleFailure(error, run);
    } finally {
      if (hosted !== undefined) {
        hosted.jobs--;
        hosted.usedAt = performance.now();
      }
    }
  }

  /** What this worker cannot do, another one may. */
  #handleFailure(error: unknown, run: string): JobResult {
    if (error instanceof StoreError) this.#lost.resolve(error);
    const isKnown = this.#problems.has(run);
    if (error instanceof RunError) {
      this.#hosted.delete(run);
      const message = error.problems.join(" ");
      this.#problems.set(run, { message, at: performance.now() });
      if (!isKnown) this.#log("run-refused", message, run);
    } else if (!(error instanceof StoreError)) {
      this.#errors++;
      this.#log("job-failed", errorMessage(error), run);
    }
    return "later";
  }

  /** Opens a run again that was stopped and resumed. */
  #openAgain(run: string, outdated: Hosted): Hosted {
    if (this.#hosted.get(run) === outdated) this.#hosted.delete(run);
    outdated.jobs--;
    if (outdated.jobs === 0) void outdated.opened.then((hosted) => hosted.close()).catch(() => {});
    const hosted = memoize(this.#hosted, run, () => ({ opened: this.#open(run), jobs: 0, usedAt: 0 }));
    hosted.jobs++;
    return hosted;
  }

  async #open(run: string): Promise<HostedRun> {
    const found = await this.#tables.run(run);
    if (found === undefined) throw new RunError([`There is no run "${run}" for workers in the store.`]);
    const { sheet, sheetHash } = found;
    if (sheet.format !== WORK_FORMAT)
      throw new RunError([
        `The run was begun by another release (format ${String(sheet.format)}; this worker has format ${WORK_FORMAT}). Use the same release for the run and its workers.`,
      ]);
    const hosted = await HostedRun.open({
      run,
      sheet,
      sheetHash,
      store: this.#store,
      tables: this.#tables,
      own: this.#options.own,
      fail: (error) => this.#lost.resolve(error),
    });
    this.#problems.delete(run);
    this.#accounts.set(run, hosted.accounts);
    // Those who ask the same account share its caps from now on.
    hosted.share(await this.#tables.report(this.#store.writer, this.report));
    this.#log("run-open", "Takes conversations of this run.", run);
    return hosted;
  }

  #scheduleReport(): void {
    this.#timer = setTimeout(() => {
      this.#reporting = this.#sendReport()
        .catch((error) => this.#logProblem(errorMessage(error)))
        .finally(() => {
          if (!this.#isDraining) this.#scheduleReport();
        });
    }, this.#options.reportMs ?? REPORT_MS);
  }

  /** Sends the report of this worker, and applies the states of its runs and the shares of caps. */
  async #sendReport(): Promise<void> {
    const workers = await this.#tables.report(this.#store.writer, this.report);
    this.#seenAt = performance.now();
    this.#hasLoggedProblem = false;
    const states = await this.#tables.states([...this.#hosted.keys()]);
    for (const [run, hosted] of this.#hosted) {
      // One that cannot be opened is not among them.
      const opened = await hosted.opened.catch(() => undefined);
      opened?.share(workers);
      const state = states.get(run) ?? "over";
      if (opened?.follow(state) === true) this.#log("run-stopped", `The run is ${state}.`, run);
      if (hosted.jobs > 0 || performance.now() - hosted.usedAt < IDLE_MS) continue;
      this.#hosted.delete(run);
      this.#accounts.delete(run);
      await opened?.close();
      this.#log("run-close", "Has had no conversations of this run for a minute.", run);
    }
  }

  /** Logged once, until the connection works again. */
  #logProblem(message: string): void {
    if (this.#hasLoggedProblem || this.#isDraining) return;
    this.#hasLoggedProblem = true;
    this.#log("connection", `${message} It is tried again.`);
  }

  #log(event: WorkerEvent["event"], message: string, run?: string): void {
    this.#options.log({ event, message, ...(run === undefined ? {} : { run }) });
  }
}
