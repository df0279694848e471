import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { HeavyRequest } from "./heavy-answer.ts";

// In the sources, the program is TypeScript; in the package, all is built.
const PROGRAM = import.meta.url.endsWith(".ts") ? "./heavy-program.ts" : "./heavy-program.js";

/** Most objects live briefly: a young generation that does not grow takes a third less memory. */
const FLAGS: readonly string[] = ["--semi-space-growth-factor=1"];

/** The process ends after this time without a request. */
const IDLE_MS = 3_000;

/** How many answers are cached. */
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

/**
 * Computes answers in a process of its own, and caches them until the store changes. So the server stays responsive, and the memory is
 * freed afterwards.
 */
export class HeavyProcess {
  readonly #path: string;
  readonly #version: () => number;
  #child: ChildProcess | undefined;
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

  close(): void {
    clearTimeout(this.#idle);
    this.#child?.kill();
    this.#child = undefined;
  }

  #ask(request: HeavyRequest): Promise<string> {
    clearTimeout(this.#idle);
    const child = this.#started();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      child.send({ id, request });
    });
  }

  #started(): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    const child = fork(fileURLToPath(new URL(PROGRAM, import.meta.url)), [], {
      execArgv: [...FLAGS],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    child.on("message", ({ id, json, problem }: Reply) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (json !== undefined) waiting?.resolve(json);
      else waiting?.reject(new HeavyError(problem));
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
    });
    child.on("error", (error: Error) => this.#lose(child, error));
    child.on("exit", () =>
      this.#lose(child, new Error("The process that computes this has ended. Try again.")),
    );
    // In a message, not in the arguments, which all users of the machine can read: an address may have a password.
    child.send({ path: this.#path });
    child.unref();
    child.channel?.unref();
    this.#child = child;
    return child;
  }

  /** A process that has ended is not waited for. */
  #lose(child: ChildProcess, error: Error): void {
    // It was closed before, and another one has begun.
    if (this.#child !== child) return;
    this.#child = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
