import type { Job, Queue, QueueOptions, Worker, WorkerOptions } from "bullmq";
import { errorMessage } from "../../core/error-message.ts";
import { rememberSecrets } from "../../system/secrets/mask-secrets.ts";
import { redactSecrets } from "../../system/secrets/redact-secrets.ts";
import { RunError } from "../journal/failure.ts";
import { isPostgresAddress, postgresAddress } from "../journal/store/postgres/postgres-address.ts";
import { isLost } from "../journal/store/postgres/postgres-connection.ts";

/** The data of a job; everything else is in the store. */
export interface QueuedJob {
  readonly run: string;
  readonly job: string;
}

/** The result of a job: done, handed back for other workers now, or later. */
export type JobResult = "done" | "back" | "later";

/** How jobs are taken. */
interface TakeOptions {
  /** The name of the worker. */
  readonly name: string;
  readonly concurrency: number;
  /** After how long without a sign of life the jobs of a worker are given to others. */
  readonly leaseMs: number;
  /** Must not throw. */
  readonly take: (job: QueuedJob) => Promise<JobResult>;
  readonly onError: (message: string) => void;
}

/** Jobs that are being taken. */
export interface Taking {
  /** Takes no more jobs; current jobs continue. */
  pause(): Promise<void>;
  /** Ends when all jobs are over. */
  close(): Promise<void>;
}

/** How long a worker takes nothing that can do none of its jobs, and when others get such a job. */
const ASIDE_MS = 3_000;
const BACK_MS = 750;

/** The largest priority there is: jobs beyond it come in the order in which they were added. */
const LAST_PRIORITY = 2 ** 21 - 1;

/** How many jobs are added at once. */
const AT_ONCE = 500;

/** The queue of a store's jobs: on a PostgreSQL server, or on a Redis server. */
export class WorkQueue {
  readonly #name: string;
  readonly #address: string;
  readonly #bullmq: typeof import("bullmq");
  readonly #queue: Queue;

  private constructor(name: string, address: string, bullmq: typeof import("bullmq"), queue: Queue) {
    this.#name = name;
    this.#address = address;
    this.#bullmq = bullmq;
    this.#queue = queue;
  }

  /** Opens the queue with a name on a server. */
  static async open(address: string, name: string): Promise<WorkQueue> {
    const bullmq = await loadPeer("bullmq", () => import("bullmq"));
    const options = { connection: await connectionTo(address, { isAdding: true }) } as QueueOptions;
    const queue = new bullmq.Queue(queueName(name), options, backendOf(address, bullmq));
    const failed = Promise.withResolvers<never>();
    // Later, connections that are cut are made again.
    queue.on("error", (error) => failed.reject(error));
    failed.promise.catch(() => {});
    const opened = new WorkQueue(name, address, bullmq, queue);
    try {
      await Promise.race([queue.waitUntilReady(), failed.promise]);
    } catch (error) {
      // A server that refuses the connection does not answer this, either.
      void queue.disconnect().catch(() => {});
      throw new RunError([`The queue cannot be used: ${redactSecrets(errorMessage(error))}`], {
        cause: error,
      });
    }
    return opened;
  }

  /**
   * Adds jobs of a run. Runs take turns: the first of these jobs comes after the first that waits, the second after the second. A
   * job that is in the queue already stays where it is. `before` is how many jobs of the run were added before.
   */
  async add(
    jobs: readonly QueuedJob[],
    { start, before }: { readonly start: number; readonly before: number },
  ): Promise<void> {
    for (let from = 0; from < jobs.length; from += AT_ONCE) {
      const some = jobs.slice(from, from + AT_ONCE).map((data, index) => ({
        name: "conversation",
        data,
        opts: {
          jobId: `${data.run} ${data.job}`.replaceAll(":", "·"),
          priority: Math.min(start + before + from + index, LAST_PRIORITY),
          removeOnComplete: true,
          removeOnFail: true,
        },
      }));
      // A job that was added already has an id that is there.
      await waitForServer(() => this.#queue.addBulk(some));
    }
  }

  /** The priority at which the jobs of another run begin: that of the job that is taken next. */
  async firstPriority(): Promise<number> {
    const [next] = await waitForServer(() => this.#queue.getPrioritized(0, 0));
    return Math.max(1, next?.opts.priority ?? 1);
  }

  /** Takes jobs until it is closed. */
  async take({ name, concurrency, leaseMs, take, onError }: TakeOptions): Promise<Taking> {
    const { Worker, DelayedError } = this.#bullmq;
    const options = {
      connection: await connectionTo(this.#address, { isAdding: false }),
      name,
      concurrency,
      lockDuration: leaseMs,
      stalledInterval: Math.max(500, Math.min(5_000, leaseMs / 2)),
      // How often a job is taken over is counted and limited where its journal is.
      maxStalledCount: 1_000_000,
      runRetryDelay: 1_000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    } as WorkerOptions;
    let inHand = 0;
    let usefulAt = Number.NEGATIVE_INFINITY;
    const process = async (job: Job<QueuedJob>, token?: string): Promise<void> => {
      inHand++;
      const result = await take(job.data).finally(() => inHand--);
      if (result !== "later") usefulAt = performance.now();
      if (result === "done") return;
      const isUseless = result === "later" && performance.now() - usefulAt > ASIDE_MS;
      // A pause also ends the search for jobs of workers that are gone.
      if (isUseless && inHand === 0) stepAside();
      const delayMs = result === "back" ? 0 : isUseless ? BACK_MS : ASIDE_MS;
      const move = (): Promise<unknown> => job.moveToDelayed(Date.now() + delayMs, token);
      // One that could not be moved is given to others when its lease is over; any other error would take it out of the queue.
      await waitForServer(move).catch(() => {});
      throw new DelayedError();
    };
    const worker: Worker<QueuedJob> = new Worker(
      queueName(this.#name),
      process,
      options,
      backendOf(this.#address, this.#bullmq),
    );
    worker.on("error", (error) => onError(redactSecrets(errorMessage(error))));
    // A worker that finds only jobs that it cannot do would take them faster than the workers that can.
    let aside: NodeJS.Timeout | undefined;
    const stepAside = (): void => {
      if (aside !== undefined) return;
      worker.pause(true).catch(() => {});
      aside = setTimeout(() => {
        aside = undefined;
        worker.resume().catch(() => {});
      }, ASIDE_MS);
    };
    return {
      pause: () => {
        clearTimeout(aside);
        return worker.pause(true);
      },
      close: () => {
        clearTimeout(aside);
        return worker.close();
      },
    };
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }
}

function queueName(name: string): string {
  return name.replaceAll(":", "·");
}

/** BullMQ has a backend for PostgreSQL from version 6 on. */
function backendOf(address: string, { createPostgresBackend }: Partial<typeof import("bullmq")>) {
  if (!isPostgresAddress(address)) return undefined;
  if (createPostgresBackend === undefined)
    throw new RunError([
      "A queue on a PostgreSQL server needs bullmq 6. Install it: npm install bullmq@6. Or use a Redis server: --workers redis://…",
    ]);
  return createPostgresBackend as never;
}

async function connectionTo(address: string, { isAdding }: { readonly isAdding: boolean }): Promise<unknown> {
  if (isPostgresAddress(address)) {
    return {
      connectionString: postgresAddress(address).connection,
      max: 2,
      migrate: isAdding,
      // Jobs that are added are on the disk. Which of them are taken or done need not be: after a crash of the server, a job is
      // taken once more at most, and its journal shows what is left of it.
      ...(isAdding ? {} : { options: "-c synchronous_commit=off" }),
      keepAlive: true,
    };
  }
  await loadPeer("ioredis", () => import("ioredis"));
  const { protocol, hostname, port, username, password, pathname } = new URL(address);
  // Whatever is logged from now on does not have it.
  if (password !== "") rememberSecrets([password, decodeURIComponent(password)]);
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || 6379),
    db: Number(pathname.slice(1) || 0),
    ...(username === "" ? {} : { username: decodeURIComponent(username) }),
    ...(password === "" ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === "rediss:" ? { tls: {} } : {}),
    // As BullMQ needs it of connections that wait for jobs.
    maxRetriesPerRequest: null,
  };
}

/** A library that is installed only where runs go beyond one machine; throws `RunError` with the command that installs it. */
async function loadPeer<Library>(name: string, load: () => Promise<Library>): Promise<Library> {
  try {
    return await load();
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown };
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw cause;
    throw new RunError([
      `Running on workers needs the package ${name} here. Install it: npm install ${name}`,
    ]);
  }
}

/** How long to wait for a lost server. */
const WAIT_MS = 300_000;
const PAUSE_MS = 250;

/** Repeats an action after a lost connection, until it works. */
async function waitForServer<Result>(action: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isLost(error) || performance.now() - start > WAIT_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
