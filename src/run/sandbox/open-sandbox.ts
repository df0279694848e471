import { DEFAULTS } from "../../core/defaults.ts";
import { errorMessage } from "../../core/error-message.ts";
import { expressionSource, functionForm } from "../../core/source/function-source.ts";
import { loadAcorn } from "./acorn-library.ts";
import type { RealmAnswer, RealmLimits } from "./realm.ts";
import { SandboxHost } from "./sandbox-host.ts";
import { type SandboxRequest, UNKNOWN } from "./text-channel.ts";

/** A source string as a function. It is synchronous; arguments and result are copies. */
export type SandboxFunction = (...values: readonly unknown[]) => unknown;

/** The limits of a sandbox and its random seed. */
export interface SandboxOptions {
  /** Seeds `Math.random`, together with the source and the arguments of each call. */
  readonly seed: number | string;
  /** Default 16 MiB; 10 MiB are always there. */
  readonly memoryBytes?: number;
  /** For one call; default 50. */
  readonly timeoutMs?: number;
}

/** Runs source strings: they reach nothing outside and keep nothing between calls. */
export interface Sandbox {
  /** Throws if the text is not the source of one synchronous function. */
  compile(source: string): SandboxFunction;
  /** Frees everything; functions compiled here then throw. */
  dispose(): void;
}

const host = new SandboxHost();
let lastRealm = 0;

/** Opens a sandbox; the engine is loaded when the first one is opened. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { seed, memoryBytes = DEFAULTS.sandboxMemoryBytes, timeoutMs = DEFAULTS.sandboxTimeoutMs } = options;
  await host.enter();
  return new ThreadSandbox({ seed: String(seed), memoryBytes, timeoutMs });
}

// The engine checks the time now and then, and not at all inside some builtins. This limit ends the thread.
const LEAST_HARD_LIMIT_MS = 1000;

// No function is that long.
const LONGEST_SOURCE = 1_000_000;

class ThreadSandbox implements Sandbox {
  readonly #realm = ++lastRealm;
  readonly #limits: RealmLimits;
  readonly #hardLimit: number;
  readonly #functions = new Map<string, SandboxFunction>();
  #isDisposed = false;

  constructor(limits: RealmLimits) {
    this.#limits = limits;
    this.#hardLimit = Math.max(LEAST_HARD_LIMIT_MS, 20 * limits.timeoutMs);
  }

  compile(source: string): SandboxFunction {
    const known = this.#functions.get(source);
    if (known !== undefined) return known;
    const form =
      source.length > LONGEST_SOURCE ? { problem: "it is too long" } : functionForm(source, loadAcorn());
    if ("problem" in form) throw new Error(`this is not the source of a function: ${form.problem}`);
    // A method in shorthand is no expression, but it is with the word before it.
    const written = form.kind === "method" ? `function ${source}` : source;
    const whole = expressionSource(written, loadAcorn());
    if ("problem" in whole) throw new Error(`this is not the source of a function: ${whole.problem}`);
    const { source: expression } = whole;
    const number = this.#functions.size;
    this.#read(this.#compile(number, expression));
    const compiled: SandboxFunction = (...values) => this.#call(number, expression, values);
    this.#functions.set(source, compiled);
    return compiled;
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#functions.clear();
    const request: SandboxRequest = { type: "close", realm: this.#realm };
    host.notify(JSON.stringify(request), this.#hardLimit);
    host.leave();
  }

  #call(number: number, source: string, values: readonly unknown[]): unknown {
    const text = writtenValues(values);
    // What goes in takes more room inside than as text.
    if (text.length > this.#limits.memoryBytes) return this.#read("m");
    const request = `${this.#realm} ${number} ${text}`;
    const answer = this.#ask(request);
    if (answer !== UNKNOWN) return this.#read(answer);
    this.#read(this.#compile(number, source));
    return this.#read(this.#ask(request));
  }

  /** Opens the realm too if the thread does not know it. */
  #compile(fn: number, source: string): RealmAnswer {
    const request: SandboxRequest = { type: "compile", realm: this.#realm, fn, source };
    const answer = this.#send(request);
    if (answer !== UNKNOWN) return answer;
    this.#read(this.#send({ type: "open", realm: this.#realm, limits: this.#limits }));
    return this.#send(request);
  }

  #send(request: SandboxRequest): RealmAnswer {
    return this.#ask(JSON.stringify(request));
  }

  #ask(request: string): RealmAnswer {
    return this.#isDisposed ? DISPOSED : (host.ask(request, this.#hardLimit) ?? "l");
  }

  #read(answer: RealmAnswer): unknown {
    const { timeoutMs, memoryBytes } = this.#limits;
    const text = answer.slice(1);
    switch (answer[0]) {
      case "u":
        return undefined;
      case "v":
        return JSON.parse(text);
      case "t":
        throw new SandboxError("threw", `threw: ${text}`);
      case "r":
        throw new SandboxError("not_data", `its result is ${text}, not plain data`);
      case "l":
        throw new SandboxError("too_long", `ran longer than ${timeoutMs} ms`);
      case "m":
        throw new SandboxError("too_much_memory", `used more than ${Math.round(memoryBytes / 2 ** 20)} MB`);
      case "s":
        throw new Error(`this is not the source of a function: ${text}`);
      case "n":
        throw new Error("this is not the source of one function: something stands beside it");
      case DISPOSED:
        throw new SandboxError("disposed", "the sandbox has been disposed of");
      default:
        throw new SandboxError("broken", text || "the sandbox broke down");
    }
  }
}

const DISPOSED = "d";

function writtenValues(values: readonly unknown[]): string {
  try {
    return JSON.stringify(values);
  } catch (error) {
    throw new SandboxError("not_data", `was given something that is no plain data: ${errorMessage(error)}`);
  }
}

/** Why a call in the sandbox returned no value. */
export type SandboxFailure = "threw" | "too_long" | "too_much_memory" | "not_data" | "broken" | "disposed";

/** Thrown where a source string returned no value. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly kind: SandboxFailure;

  constructor(kind: SandboxFailure, message: string) {
    super(message);
    this.kind = kind;
    // Where in our code it was noticed says nothing about the source string.
    this.stack = `${this.name}: ${message}`;
  }
}
