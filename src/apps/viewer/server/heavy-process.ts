import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { HeavyRequest } from "./heavy-answer.ts";

// In the sources, the program is TypeScript; in the package, all is built.
const PROGRAM = import.meta.url.endsWith(".ts") ? "./heavy-program.ts" : "./heavy-program.js";

/** Most objects live briefly: a young generation that does not grow takes a third less memory. */
const FLAGS: readonly string[] = ["--semi-space-growth-factor=1"];

/** How many answers are cached. */
const MOST = 100;

/** What the program answers. */
export type HeavyReply = { readonly json: string } | { readonly problem: string };

/** What was asked for cannot be computed; the message says why. */
export class HeavyError extends Error {
  override readonly name = "HeavyError";
}

/**
 * Computes answers one after the other, each in a process of its own, and caches them until the store changes. So the server stays
 * responsive, and the memory is freed afterwards.
 */
export class HeavyProcess {
  readonly #path: string;
  readonly #version: () => number;
  #seen = -1;
  readonly #known = new Map<string, Promise<string>>();
  #last: Promise<unknown> = Promise.resolve();
  #child: ChildProcess | undefined;

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
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const answer = this.#last.then(() => this.#compute(request));
    this.#known.set(key, answer);
    // What failed may succeed the next time.
    this.#last = answer.catch(() => this.#known.delete(key));
    return answer;
  }

  close(): void {
    this.#child?.kill();
  }

  #compute(request: HeavyRequest): Promise<string> {
    const child = fork(fileURLToPath(new URL(PROGRAM, import.meta.url)), [], {
      execArgv: [...FLAGS],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#child = child;
    return new Promise((resolve, reject) => {
      child.once("message", (reply: HeavyReply) => {
        if ("json" in reply) resolve(reply.json);
        else reject(new HeavyError(reply.problem));
      });
      child.once("error", reject);
      child.once("exit", () => reject(new Error("The process that computes this has ended. Try again.")));
      // In a message, not in the arguments, which all users of the machine can read: an address may have a password.
      child.send({ path: this.#path, request });
    });
  }
}
