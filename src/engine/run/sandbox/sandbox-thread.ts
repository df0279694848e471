import type { Worker } from "node:worker_threads";
import { errorMessage } from "../../../core/error-message.ts";
import { onAbort } from "../calls/clock.ts";
import type { SandboxReply, SandboxRequest } from "./sandbox-request.ts";

// Beside the sources there is the compiled package, where the program of the thread is a file of its own as well.
const PROGRAM = import.meta.url.endsWith(".ts") ? "./sandbox-worker.ts" : "./sandbox-worker.js";

// Loading takes a tenth of a second; a machine may be very busy.
const START_MS = 30_000;

/** Why there is no answer: it took too long, or the thread cannot start. */
type NoReply = { readonly isLate: true } | { readonly error: Error };

/** A thread that answers one request at a time, and is stopped if it takes too long. */
class SandboxThread {
  readonly #worker: Worker;
  readonly #ready: PromiseWithResolvers<void> = Promise.withResolvers();
  #pending: ((reply: SandboxReply | NoReply) => void) | undefined;

  constructor() {
    // Not imported, so that loading the library does not load threads.
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    this.#worker = new Worker(new URL(PROGRAM, import.meta.url), {
      name: "elenchus sandbox",
      // Nothing of the program around it is needed there.
      env: {},
      execArgv: [],
      // An engine that crashes writes to stderr; the error says it already.
      stdout: true,
      stderr: true,
    });
    this.#worker.once("message", () => {
      this.#ready.resolve();
      this.#worker.on("message", (reply: SandboxReply) => this.#settle(reply));
    });
    const end = (reason: string): void => {
      const error = new Error(`The sandbox for source strings cannot start: ${reason}`);
      this.#ready.reject(error);
      this.#settle({ error });
    };
    this.#worker.once("error", (error) => end(errorMessage(error)));
    this.#worker.once("exit", () => end("its thread ended"));
    this.#ready.promise.catch(() => {});
  }

  /** Waits until the thread runs, at most for a long time. */
  async start(): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("it did not start in time")), START_MS);
    try {
      await Promise.race([this.#ready.promise, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  ask(request: SandboxRequest, milliseconds: number): Promise<SandboxReply | NoReply> {
    return new Promise((resolve) => {
      // A thread that works keeps the program alive, one that waits does not.
      this.#worker.ref();
      const timer = setTimeout(
        // An answer that came while this thread was busy is taken first.
        () => setImmediate(() => setImmediate(() => this.#settle({ isLate: true }))),
        milliseconds,
      );
      this.#pending = (reply) => {
        clearTimeout(timer);
        this.#worker.unref();
        resolve(reply);
      };
      this.#worker.postMessage(request);
    });
  }

  /** Ends the thread, whatever it is doing. */
  stop(): void {
    this.#worker.unref();
    this.#worker.terminate().catch(() => {});
  }

  #settle(reply: SandboxReply | NoReply): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.(reply);
  }
}

interface Waiting {
  readonly request: SandboxRequest;
  readonly milliseconds: number;
  readonly resolve: (reply: SandboxReply | NoReply) => void;
}

/**
 * A thread that several realms share: they take turns, so that one with many requests does not hold up the others. A thread that
 * does not answer in time is replaced.
 */
export class SandboxLane {
  /** Requests by realm; a realm that has had its turn goes to the end. */
  readonly #queues = new Map<number, Waiting[]>();
  #thread: SandboxThread | undefined;
  #isBusy = false;

  /** The answer; never rejects. A request that is aborted while it waits is late. */
  ask(request: SandboxRequest, milliseconds: number, signal?: AbortSignal): Promise<SandboxReply | NoReply> {
    return new Promise((resolve) => {
      const forget = signal === undefined ? undefined : onAbort(signal, () => this.#forget(waiting));
      const waiting: Waiting = {
        request,
        milliseconds,
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
    this.#thread?.stop();
    this.#thread = undefined;
    for (const queue of this.#queues.values()) for (const { resolve } of queue) resolve({ isLate: true });
    this.#queues.clear();
  }

  #forget(waiting: Waiting): void {
    const queue = this.#queues.get(waiting.request.realm);
    const place = queue?.indexOf(waiting) ?? -1;
    if (place < 0) return;
    queue?.splice(place, 1);
    waiting.resolve({ isLate: true });
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
      const reply = await this.#askThread(waiting);
      if (!("answer" in reply)) this.#drop();
      waiting.resolve(reply);
    }
    this.#isBusy = false;
  }

  async #askThread({ request, milliseconds }: Waiting): Promise<SandboxReply | NoReply> {
    try {
      if (this.#thread === undefined) {
        this.#thread = new SandboxThread();
        await this.#thread.start();
      }
      return await this.#thread.ask(request, milliseconds);
    } catch (error) {
      return { error: error as Error };
    }
  }

  #drop(): void {
    this.#thread?.stop();
    this.#thread = undefined;
  }
}
