import type { Worker } from "node:worker_threads";
import { errorMessage } from "../../../core/error-message.ts";
import { onAbort } from "../calls/clock.ts";
import type { SandboxReply, SandboxRequest } from "./sandbox-worker.ts";

// Beside the sources there is the compiled package, where the program of the thread is a file of its own as well.
const PROGRAM = import.meta.url.endsWith(".ts") ? "./sandbox-worker.ts" : "./sandbox-worker.js";

// Loading takes a tenth of a second; a machine may be very busy.
const START_MS = 30_000;

interface Waiting {
  readonly request: SandboxRequest;
  readonly limitMs: number;
  readonly resolve: (reply: SandboxReply) => void;
}

/**
 * A thread that several realms share: they take turns, so that one with many requests does not hold up the others. It answers one
 * request at a time, and is replaced if that takes too long.
 */
export class SandboxThread {
  /** Requests by realm; a realm that has had its turn goes to the end. */
  readonly #queues = new Map<number, Waiting[]>();
  #worker: Worker | undefined;
  #isBusy = false;

  /** The answer; never rejects. `l` if it takes too long, or is aborted while it waits. */
  ask(request: SandboxRequest, limitMs: number, signal?: AbortSignal): Promise<SandboxReply> {
    return new Promise((resolve) => {
      const forget = signal === undefined ? undefined : onAbort(signal, () => this.#forget(waiting));
      const waiting: Waiting = {
        request,
        limitMs,
        resolve: (reply) => {
          forget?.();
          resolve(reply);
        },
      };
      const queue = this.#queues.get(request.realm);
      if (queue === undefined) this.#queues.set(request.realm, [waiting]);
      else queue.push(waiting);
      void this.#work();
    });
  }

  /** Ends the thread. What waits is late. */
  stop(): void {
    this.#drop();
    for (const waiting of [...this.#queues.values()].flat()) waiting.resolve(late(waiting));
    this.#queues.clear();
  }

  #forget(waiting: Waiting): void {
    const queue = this.#queues.get(waiting.request.realm);
    const place = queue?.indexOf(waiting) ?? -1;
    if (place < 0) return;
    queue?.splice(place, 1);
    waiting.resolve(late(waiting));
  }

  #next(): Waiting | undefined {
    for (const [realm, queue] of this.#queues) {
      this.#queues.delete(realm);
      const waiting = queue.shift();
      if (queue.length > 0) this.#queues.set(realm, queue);
      if (waiting !== undefined) return waiting;
    }
    return undefined;
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let waiting = this.#next(); waiting !== undefined; waiting = this.#next()) {
      if (waiting.request.type === "close" && this.#worker === undefined) {
        waiting.resolve({ answer: "u", ms: 0 });
        continue;
      }
      try {
        this.#worker ??= await startWorker();
        const reply = await askWorker(this.#worker, waiting);
        if (reply === null) this.#drop();
        waiting.resolve(reply ?? late(waiting));
      } catch (error) {
        this.#drop();
        const answer = `xThe sandbox for source strings cannot start: ${errorMessage(error)}`;
        waiting.resolve({ answer, ms: waiting.limitMs });
      }
    }
    this.#isBusy = false;
  }

  #drop(): void {
    this.#worker?.terminate().catch(() => {});
    this.#worker = undefined;
  }
}

function late({ limitMs }: Waiting): SandboxReply {
  return { answer: "l", ms: limitMs };
}

/** Waits until the thread runs, at most for a long time. */
async function startWorker(): Promise<Worker> {
  // Not imported, so that loading the library does not load threads.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const worker = new Worker(new URL(PROGRAM, import.meta.url), {
    name: "elenchus sandbox",
    // Nothing of the program around it is needed there.
    env: {},
    execArgv: [],
    // An engine that crashes writes to stderr; the error says it already.
    stdout: true,
    stderr: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error("it did not start in time")), START_MS);
  worker.once("message", () => resolve());
  worker.on("error", reject);
  worker.once("exit", () => reject(new Error("its thread ended")));
  try {
    await promise;
    return worker;
  } catch (error) {
    worker.terminate().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The reply; null if it takes too long. Rejects if the thread ends. */
function askWorker(worker: Worker, { request, limitMs }: Waiting): Promise<SandboxReply | null> {
  // A thread that works keeps the program alive, one that waits does not.
  worker.ref();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      // An answer that came while this thread was busy is taken first.
      () => setImmediate(() => setImmediate(() => end(null))),
      limitMs,
    );
    const rest = (): void => {
      clearTimeout(timer);
      worker.off("message", end);
      worker.off("exit", fail);
      worker.unref();
    };
    const end = (reply: SandboxReply | null): void => {
      rest();
      resolve(reply);
    };
    const fail = (): void => {
      rest();
      reject(new Error("its thread ended"));
    };
    worker.once("message", end);
    worker.once("exit", fail);
    worker.postMessage(request);
  });
}
