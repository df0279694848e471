import { DEFAULTS } from "../../../core/defaults.ts";
import { errorMessage } from "../../../core/error-message.ts";
import { expressionSource, functionForm } from "../../../core/source/function-source.ts";
import { loadAcorn } from "./acorn-library.ts";
import type { RealmAnswer, RealmLimits } from "./realm.ts";
import { SandboxThread } from "./sandbox-thread.ts";
import { SOURCES_OFF, type SourceBudget } from "./source-budget.ts";

/**
 * A source string as a function, to be called inside `evaluate` only; arguments and result are copies. `moment` is part of the random
 * seed: where the source stands, and the turn.
 */
export type SandboxFunction = (values: readonly unknown[], moment?: string) => unknown;

/** The limits of a sandbox and its random seed. */
export interface SandboxOptions {
  /** Seeds `Math.random`, together with the conversation, the moment and the source of each call. */
  readonly seed: number | string;
  /** Default 16 MiB; 10 MiB are always there. */
  readonly memoryBytes?: number;
  /** For one call; default 50. */
  readonly timeoutMs?: number;
}

/** What an evaluation belongs to, and what limits it. */
interface EvaluationOptions {
  /** The conversation: part of the random seed. */
  readonly conversation?: string;
  /** What the conversation may still use. */
  readonly budget?: SourceBudget;
  /** Ends the evaluation: it rejects. If it is aborted already, all calls fail at once. */
  readonly signal?: AbortSignal;
}

/** Runs source strings in another thread: they reach nothing outside and keep nothing between calls. */
export interface Sandbox {
  /** Rejects if the text is not the source of one synchronous function. */
  compile(source: string): Promise<SandboxFunction>;
  /**
   * The result of some work that calls functions of this sandbox. The work is done again after each call that is not answered yet,
   * so it must be pure; a promise comes back only if it calls one.
   */
  evaluate<Result>(work: () => Result, options?: EvaluationOptions): Result | Promise<Result>;
  /** Frees everything; functions compiled here then throw. */
  dispose(): void;
}

/** One thread for all sandboxes of the process: realms take turns there, so that none holds up the others by the number of its calls. */
const thread = new SandboxThread();
let openSandboxes = 0;
let lastRealm = 0;

/** How long a thread without sandboxes is kept: the next one often follows at once, and to start a thread takes a tenth of a second. */
const UNUSED_MS = 5_000;

function stopUnused(): void {
  if (openSandboxes === 0) thread.stop();
}

/** Opens a sandbox; the engine is loaded when the first source is compiled. */
export function openSandbox({
  seed,
  memoryBytes = DEFAULTS.sandboxMemoryBytes,
  timeoutMs = DEFAULTS.sandboxTimeoutMs,
}: SandboxOptions): Sandbox {
  return new ThreadSandbox({ seed: String(seed), memoryBytes, timeoutMs });
}

// The engine checks the time now and then, and not at all inside some builtins. This limit ends the thread.
const LEAST_HARD_LIMIT_MS = 1000;
// Compiling runs nothing of a source; only a very busy machine takes long.
const COMPILE_LIMIT_MS = 10_000;

// No function is that long.
const LONGEST_SOURCE = 1_000_000;

interface SandboxCall {
  readonly source: string;
  /** The arguments as JSON. */
  readonly values: string;
  readonly moment: string;
}

/** One pass over the work: calls are answered in their order, up to the first that has no answer yet. */
interface Pass {
  readonly answers: RealmAnswer[];
  position: number;
  missing: SandboxCall | null;
}

class ThreadSandbox implements Sandbox {
  readonly #realm = ++lastRealm;
  readonly #limits: RealmLimits;
  readonly #hardLimit: number;
  readonly #functions = new Map<string, SandboxFunction>();
  #pass: Pass | null = null;
  #isDisposed = false;

  constructor(limits: RealmLimits) {
    this.#limits = limits;
    this.#hardLimit = Math.max(LEAST_HARD_LIMIT_MS, 20 * limits.timeoutMs);
    openSandboxes++;
  }

  async compile(source: string): Promise<SandboxFunction> {
    const known = this.#functions.get(source);
    if (known !== undefined) return known;
    const form =
      source.length > LONGEST_SOURCE ? { problem: "it is too long" } : functionForm(source, loadAcorn());
    if ("problem" in form) throw new Error(`this is not the source of a function: ${form.problem}`);
    // A method in shorthand is no expression, but it is with the word before it.
    const written = form.kind === "method" ? `function ${source}` : source;
    const whole = expressionSource(written, loadAcorn());
    if ("problem" in whole) throw new Error(`this is not the source of a function: ${whole.problem}`);
    const { source: text } = whole;
    if (this.#isDisposed) this.#read(DISPOSED);
    const request = { type: "compile", realm: this.#realm, limits: this.#limits, source: text } as const;
    this.#read((await thread.ask(request, COMPILE_LIMIT_MS)).answer);
    const compiled: SandboxFunction = (values, moment = "") => this.#recall(text, values, moment);
    this.#functions.set(source, compiled);
    return compiled;
  }

  evaluate<Result>(work: () => Result, options: EvaluationOptions = {}): Result | Promise<Result> {
    const answers: RealmAnswer[] = [];
    const first = this.#passOver(work, answers);
    return "result" in first
      ? first.result
      : this.#goOn(work, answers, { ...options, missing: first.missing });
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#functions.clear();
    openSandboxes--;
    void thread.ask({ type: "close", realm: this.#realm }, this.#hardLimit);
    if (openSandboxes === 0) setTimeout(stopUnused, UNUSED_MS).unref();
  }

  #passOver<Result>(
    work: () => Result,
    answers: RealmAnswer[],
  ): { readonly result: Result } | { readonly missing: SandboxCall } {
    const pass: Pass = { answers, position: 0, missing: null };
    const outer = this.#pass;
    this.#pass = pass;
    try {
      const result = work();
      return pass.missing === null ? { result } : { missing: pass.missing };
    } catch (error) {
      // What is thrown after a call without an answer may come from that.
      if (pass.missing === null) throw error;
      return { missing: pass.missing };
    } finally {
      this.#pass = outer;
    }
  }

  async #goOn<Result>(
    work: () => Result,
    answers: RealmAnswer[],
    { conversation = "", budget, signal, missing }: EvaluationOptions & { readonly missing: SandboxCall },
  ): Promise<Result> {
    const wasAborted = signal?.aborted === true;
    for (let next = missing; ; ) {
      const start = performance.now();
      if (wasAborted) answers.push(CANCELLED);
      else if (this.#isDisposed) answers.push(DISPOSED);
      else if (budget?.reason !== undefined) answers.push(`${SOURCES_OFF}${budget.reason}`);
      else {
        const { source, values, moment } = next;
        const call = { type: "call", source, values, seed: [conversation, moment] } as const;
        const request = { ...call, realm: this.#realm, limits: this.#limits };
        const { answer, ms } = await thread.ask(request, this.#hardLimit, signal);
        if (signal?.aborted) throw new SandboxError("cancelled", "was cancelled");
        answers.push(answer);
        budget?.spend(ms);
      }
      const before = performance.now();
      const pass = this.#passOver(work, answers);
      // Work that is done again and again takes time of everybody, too.
      budget?.spend(performance.now() - (wasAborted ? start : before));
      if ("result" in pass) return pass.result;
      next = pass.missing;
    }
  }

  /** The answer to a call if there is one; else the pass over the work ends here. */
  #recall(source: string, values: readonly unknown[], moment: string): unknown {
    if (this.#isDisposed) return this.#read(DISPOSED);
    const pass = this.#pass;
    if (pass === null) throw new SandboxError("broken", "source strings run only within a run");
    if (pass.missing !== null) throw NOT_YET;
    if (pass.position === pass.answers.length) {
      const written = this.#written(values);
      if (!("values" in written)) pass.answers.push(written.answer);
      else {
        pass.missing = { source, values: written.values, moment };
        throw NOT_YET;
      }
    }
    return this.#read(pass.answers[pass.position++] as RealmAnswer);
  }

  /** The arguments as JSON, or the answer to a call that cannot be made. */
  #written(values: readonly unknown[]): { readonly values: string } | { readonly answer: RealmAnswer } {
    try {
      const text = JSON.stringify(values);
      // What goes in takes more room inside than as text.
      return text.length > this.#limits.memoryBytes ? { answer: "m" } : { values: text };
    } catch (error) {
      return { answer: `${UNWRITABLE}${errorMessage(error)}` };
    }
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
      case UNWRITABLE:
        throw new SandboxError("not_data", `was given something that is no plain data: ${text}`);
      case CANCELLED:
        throw new SandboxError("cancelled", "was cancelled");
      case SOURCES_OFF:
        throw new SandboxError("switched_off", text);
      default:
        throw new SandboxError("broken", text || "the sandbox broke down");
    }
  }
}

const DISPOSED = "d";
const CANCELLED = "c";
const UNWRITABLE = "w";

/** Why a call in the sandbox returned no value. */
type SandboxFailure =
  | "threw"
  | "too_long"
  | "too_much_memory"
  | "not_data"
  | "broken"
  | "disposed"
  | "cancelled"
  | "switched_off";

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

/** Ends a pass over some work: the work is done again when the answer is there, so this is never shown. */
const NOT_YET: Error = new SandboxError("broken", "the answer is not there yet");
