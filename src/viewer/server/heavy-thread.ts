import { Worker } from "node:worker_threads";
import type { HeavyRequest } from "./heavy-answer.ts";

// In the sources, workers are TypeScript; in the package, all are built.
const PROGRAM = import.meta.url.endsWith(".ts") ? "./heavy-worker.ts" : "./heavy-worker.js";

/** After so long without a request, the thread ends and frees its memory. */
const IDLE_MS = 3_000;

/** How many answers are remembered. */
const MOST = 100;

interface Reply {
  readonly id: number;
  readonly json?: string;
  readonly problem?: string;
}

/** What was asked for cannot be computed; the message says why. */
export class HeavyError extends Error {
  override readonly name = "HeavyError";
}

/** Computes answers in a thread of its own, and remembers them until the store changes. */
export class HeavyThread {
  readonly #path: string;
  readonly #version: () => number;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #next = 0;
  #seen = -1;
  readonly #waiting = new Map<
    number,
    { readonly resolve: (json: string) => void; readonly reject: (error: Error) => void }
  >();
  readonly #known = new Map<string, Promise<string>>();

  constructor(path: string, version: () => number) {
    this.#path = path;
    this.#version = version;
  }

  /** The answer as JSON. */
  answer(request: HeavyRequest): Promise<string> {
    const version = this.#version();
    if (version !== this.#seen || this.#known.size > MOST) this.#known.clear();
    this.#seen = version;
    const key = JSON.stringify(request);
    const known = this.#known.get(key) ?? this.#ask(request);
    this.#known.set(key, known);
    // What failed may succeed the next time.
    known.catch(() => this.#known.delete(key));
    return known;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #ask(request: HeavyRequest): Promise<string> {
    clearTimeout(this.#idle);
    const worker = this.#started();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, request });
    });
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL(PROGRAM, import.meta.url), { workerData: this.#path });
    worker.on("message", ({ id, json, problem }: Reply) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (json !== undefined) waiting?.resolve(json);
      else waiting?.reject(new HeavyError(problem));
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    });
    worker.on("error", (error: Error) => {
      this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    worker.unref();
    this.#worker = worker;
    return worker;
  }
}
