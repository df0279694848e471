import type { Worker } from "node:worker_threads";
import { errorMessage } from "../../core/error-message.ts";
import { channelMemory, TextChannel } from "./text-channel.ts";

/** The thread that all sandboxes of the process share: started with the first sandbox, ended with the last. */
export class SandboxHost {
  #thread: SandboxThread | undefined;
  #users = 0;

  /** Waits until the thread runs, and keeps it running until `leave`. */
  async enter(): Promise<void> {
    this.#users++;
    try {
      await this.#running().ready;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** The answer, or null if there was none in time. A thread that fails to answer is replaced by the next question. */
  ask(question: string, milliseconds: number): string | null {
    const answer = this.#running().ask(question, milliseconds);
    if (answer === null) this.#stop();
    return answer;
  }

  /** Like `ask`, but does nothing if the thread does not run. */
  notify(message: string, milliseconds: number): void {
    if (this.#thread !== undefined && !this.#thread.isOver) this.ask(message, milliseconds);
  }

  /** Releases the thread, which ends with its last user. */
  leave(): void {
    this.#users--;
    if (this.#users === 0) this.#stop();
  }

  #running(): SandboxThread {
    if (this.#thread === undefined || this.#thread.isOver) this.#thread = new SandboxThread();
    return this.#thread;
  }

  #stop(): void {
    this.#thread?.stop();
    this.#thread = undefined;
  }
}

// Beside the sources there is the compiled package, where the program of the thread is a file of its own as well.
const PROGRAM = import.meta.url.endsWith(".ts") ? "./sandbox-worker.ts" : "./sandbox-worker.js";

// Loading takes a tenth of a second; a machine may be very busy.
const START_MS = 30_000;

/** A thread that answers questions synchronously. */
export class SandboxThread {
  readonly #start: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #worker: Worker;
  readonly #channel: TextChannel;
  #hasAnswered = false;
  #isOver = false;

  constructor() {
    // Not imported, so that loading the library does not load threads.
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const memory = channelMemory();
    this.#channel = new TextChannel(memory, "caller");
    this.#worker = new Worker(new URL(PROGRAM, import.meta.url), {
      workerData: memory,
      name: "elenchus sandbox",
      // Nothing of the program around it is needed there.
      env: {},
      execArgv: [],
      // An engine that crashes writes to stderr; the error says it already.
      stdout: true,
      stderr: true,
    });
    this.#worker.once("message", () => {
      // The thread must not keep a finished program alive.
      this.#worker.unref();
      this.#start.resolve();
    });
    this.#worker.once("error", (error) => this.#end(errorMessage(error)));
    this.#worker.once("exit", () => this.#end("its thread ended"));
    // After a restart nothing awaits `ready`; a failure then shows as a missing answer.
    this.ready.catch(() => {});
  }

  /** Fulfilled when the thread runs, or has been stopped on purpose. */
  get ready(): Promise<void> {
    return this.#start.promise;
  }

  /** True if the thread is known to have ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The answer, or null if none came in time; then the thread must be stopped. */
  ask(question: string, milliseconds: number): string | null {
    const limit = this.#hasAnswered ? milliseconds : milliseconds + START_MS;
    const answer = this.#channel.send(question, limit) ? this.#channel.receive(limit) : null;
    this.#hasAnswered ||= answer !== null;
    return answer;
  }

  /** Ends the thread, whatever it is doing. */
  stop(): void {
    this.#isOver = true;
    this.#start.resolve();
    this.#worker.unref();
    this.#worker.terminate().catch(() => {});
  }

  #end(reason: string): void {
    this.#isOver = true;
    this.#start.reject(new Error(`The sandbox for source strings cannot start: ${reason}`));
  }
}
