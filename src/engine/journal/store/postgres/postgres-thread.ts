import type { MessagePort, Worker } from "node:worker_threads";
import type { SqlValue } from "../sql-database.ts";
import { StoreError, type StoreErrorCode, storeError } from "../store-error.ts";
import type { PostgresAddress } from "./postgres-address.ts";
import type {
  FoundReply,
  GroupData,
  ThreadData,
  ThreadProblem,
  ThreadReply,
  ThreadRequest,
  ThreadStart,
} from "./thread-messages.ts";

// In the sources, workers are TypeScript; in the package, all are built.
const PROGRAM = import.meta.url.endsWith(".ts") ? "./postgres-worker.ts" : "./postgres-worker.js";

/** Longer than the thread waits for a server. */
const ANSWER_MS = 400_000;

/** The connection was lost within a transaction, which may be tried again. */
export class LostTransaction extends Error {
  override readonly name = "LostTransaction";
}

/** The rows of an answer. */
export interface QueryAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly changed: number;
}

type Question = ThreadRequest extends infer Kind
  ? Kind extends ThreadRequest
    ? Omit<Kind, "id">
    : never
  : never;

/** A question that was asked before its answer is needed. */
interface AskedAhead {
  readonly key: string;
  reply?: ThreadReply;
}

/** The thread that owns the connection of a store. A question blocks until it is answered; groups are written in the background. */
export class PostgresThread {
  readonly shown: string;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #signal: Int32Array;
  readonly #waiting = new Map<number, (reply: ThreadReply) => void>();
  #next = 1;
  #isOpen = true;
  #ahead: AskedAhead | undefined;
  /** The number of this process among all that write; 0 if it only reads. */
  writer = 0;
  /** How often texts were removed from the store, when it was opened. */
  removals = "";

  private constructor({ connection, schema, shown }: PostgresAddress, isReadOnly: boolean) {
    // Not imported, so that loading the library does not load threads.
    const { MessageChannel, Worker } = process.getBuiltinModule("node:worker_threads");
    const { port1, port2 } = new MessageChannel();
    const signal = new SharedArrayBuffer(4);
    const workerData: ThreadData = { connection, schema, shown, isReadOnly, port: port2, signal };
    this.shown = shown;
    this.#signal = new Int32Array(signal);
    this.#port = port1;
    this.#worker = new Worker(new URL(PROGRAM, import.meta.url), {
      name: "elenchus postgres",
      workerData,
      transferList: [port2],
      execArgv: [],
    });
    this.#port.on("message", (reply: ThreadReply) => this.#settle(reply));
    this.#rest();
  }

  /** Starts the thread, and connects. */
  static async start(address: PostgresAddress, isReadOnly: boolean): Promise<PostgresThread> {
    const thread = new PostgresThread(address, isReadOnly);
    const started = await thread.#started();
    if ("writer" in started) {
      thread.writer = started.writer;
      thread.removals = started.removals;
      return thread;
    }
    thread.#end();
    if ("problem" in started) throw thread.#error(started.problem);
    const { code, message } = started.error;
    // Of a `StoreError` in the thread.
    throw new StoreError(code as StoreErrorCode, message, { path: address.shown });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Asks the server; blocks until it has answered. */
  query(sql: string, values: readonly SqlValue[], isWithin: boolean): QueryAnswer {
    const reply = this.#askedAhead(sql, values) ?? this.#ask({ kind: "query", sql, values, isWithin });
    const { columns = [], json, changed = 0 } = reply;
    // Written by the thread, from rows.
    const rows = json === undefined ? (reply.rows ?? []) : (JSON.parse(json) as QueryAnswer["rows"]);
    return { columns, rows, changed };
  }

  /** Asks a question before its answer is needed. */
  ahead(sql: string, values: readonly SqlValue[]): void {
    const asked: AskedAhead = { key: JSON.stringify([sql, values]) };
    this.#send({ kind: "query", sql, values, isWithin: false }, (reply) => {
      asked.reply = reply;
    });
    this.#ahead = asked;
  }

  #askedAhead(sql: string, values: readonly SqlValue[]): ThreadReply | undefined {
    const asked = this.#ahead;
    this.#ahead = undefined;
    if (asked?.key !== JSON.stringify([sql, values])) return undefined;
    while (asked.reply === undefined) this.#take(ANSWER_MS);
    return this.#checked(asked.reply);
  }

  /** Looks for an answered call without blocking. */
  async find(identity: string, run: number | null): Promise<FoundReply | undefined> {
    return this.#checked(await this.#post({ kind: "find", identity, run })).found;
  }

  /** Waits without blocking until this process may make a call, or another one has answered it. */
  async claim(identity: string): Promise<FoundReply | undefined> {
    return this.#checked(await this.#post({ kind: "claim", identity })).found;
  }

  /** Ends a claim in the background. */
  release(identity: string): void {
    if (this.#isOpen) this.#send({ kind: "release", identity }, () => {});
  }

  begin(): void {
    this.#ask({ kind: "begin" });
  }

  commit(group: GroupData): string {
    return this.#ask({ kind: "commit", ...group }).removals ?? "";
  }

  rollback(): void {
    this.#ask({ kind: "rollback" });
  }

  /** Writes a group in the background; `settle` gets an error, or how often texts were removed from the store. */
  write(group: GroupData, settle: (result: string | StoreError) => void): void {
    this.#send({ kind: "group", ...group }, ({ problem, removals = "" }) =>
      settle(problem === undefined ? removals : this.#error(problem)),
    );
  }

  /** Blocks until one of the groups that are being written is. */
  wait(): void {
    this.#take(ANSWER_MS);
  }

  /** Waits for what is under way, and ends the thread. */
  close(): void {
    if (!this.#isOpen) return;
    try {
      this.#ask({ kind: "close" });
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#isOpen = false;
    this.#port.close();
    this.#worker.unref();
  }

  #started(): Promise<ThreadStart> {
    return new Promise((resolve) => {
      const fail = (error: unknown): void =>
        resolve({ problem: { code: "", message: error instanceof Error ? error.message : String(error) } });
      this.#worker.once("error", (error) => {
        fail(error);
        this.#fail(String(error));
      });
      this.#worker.once("exit", () => {
        fail("its thread ended");
        this.#fail("its thread ended");
      });
      // The first message says how it started.
      this.#waiting.set(0, (reply) => resolve(reply as unknown as ThreadStart));
      this.#port.ref();
    });
  }

  #fail(message: string): void {
    for (const [id, settle] of this.#waiting) settle({ id, problem: { code: "", message } });
    this.#waiting.clear();
    this.#isOpen = false;
  }

  #post(request: Question): Promise<ThreadReply> {
    return new Promise((resolve) => this.#send(request, resolve));
  }

  #send(request: Question, settle: (reply: ThreadReply) => void): void {
    if (!this.#isOpen)
      throw new StoreError("closed", `The store ${this.shown} is closed.`, { path: this.shown });
    // What is written may change the answer.
    if (request.kind === "group" || request.kind === "begin") this.#ahead = undefined;
    const id = this.#next++;
    this.#waiting.set(id, settle);
    // While something is under way, the program goes on.
    this.#port.ref();
    this.#port.postMessage({ ...request, id });
  }

  #ask(request: Question): ThreadReply {
    let answer: ThreadReply | undefined;
    this.#send(request, (reply) => {
      answer = reply;
    });
    while (answer === undefined) this.#take(ANSWER_MS);
    return this.#checked(answer);
  }

  /** Takes the next message of the thread, or waits for it. */
  #take(limitMs: number): void {
    const { receiveMessageOnPort } = process.getBuiltinModule("node:worker_threads");
    for (;;) {
      const seen = Atomics.load(this.#signal, 0);
      const received = receiveMessageOnPort(this.#port);
      if (received !== undefined) {
        this.#settle(received.message as ThreadReply);
        return;
      }
      if (Atomics.wait(this.#signal, 0, seen, limitMs) === "timed-out")
        throw this.#error({ code: "ETIMEDOUT", message: "the server does not answer" });
    }
  }

  #settle(reply: ThreadReply): void {
    const id = reply.id ?? 0;
    const settle = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#rest();
    settle?.(reply);
  }

  /** A thread that has nothing to do does not keep the program alive. */
  #rest(): void {
    if (this.#waiting.size > 0) return;
    this.#port.unref();
    this.#worker.unref();
  }

  #checked(reply: ThreadReply): ThreadReply {
    if (reply.problem === undefined) return reply;
    if (reply.problem.isLost === true) throw new LostTransaction(reply.problem.message);
    throw this.#error(reply.problem);
  }

  #error({ code, message }: ThreadProblem): StoreError {
    return storeError(Object.assign(new Error(message), { code }), this.shown);
  }
}
