import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { spaceEnd } from "../../../core/source/function-source.ts";
import { REALM_PROGRAM } from "./realm-program.ts";

/** The limits of a realm and its random seed. */
export interface RealmLimits {
  readonly seed: string;
  readonly memoryBytes: number;
  readonly timeoutMs: number;
}

/** An answer of a realm: a letter for its kind, then text. See `realm-program.ts`. */
export type RealmAnswer = string;

// What is missing here cannot be reached from inside: typed arrays, proxies, weak references.
const INTRINSICS = {
  BaseObjects: true,
  Date: true,
  Eval: true,
  StringNormalize: true,
  RegExp: true,
  RegExpCompiler: true,
  JSON: true,
  MapSet: true,
  Promise: true,
};

// Enough for a thousand calls within calls, and far from where the stack of the thread ends.
const STACK_BYTES = 256 * 1024;

interface World {
  readonly runtime: QuickJSRuntime;
  readonly context: QuickJSContext;
  readonly call: QuickJSHandle;
  readonly admit: QuickJSHandle;
  readonly functions: Map<string, QuickJSHandle>;
}

/** A separate JavaScript world inside WebAssembly. It is replaced whenever a call may have changed it. */
export class Realm {
  readonly #module: QuickJSWASMModule;
  readonly #limits: RealmLimits;
  readonly #clock: CallClock;
  #world: World | undefined;

  constructor(module: QuickJSWASMModule, limits: RealmLimits) {
    this.#module = module;
    this.#limits = limits;
    this.#clock = new CallClock(limits.timeoutMs);
  }

  /** Says why a text is not the source of one function (`s`, a syntax error; `n`, something else), or `u` if it is. */
  compile(source: string): RealmAnswer {
    return this.#guarded((world) => {
      const compiled = this.#compile(world, source);
      return typeof compiled === "string" ? compiled : "u";
    });
  }

  /** Calls the function with arguments given as a JSON array; the same seed gives the same random numbers. */
  call(source: string, values: string, seed: readonly string[]): RealmAnswer {
    // There must be room for the text and for what is made of it.
    if (2 * Buffer.byteLength(values) > this.#limits.memoryBytes) return "m";
    return this.#guarded((world) => {
      const fn = this.#compile(world, source);
      if (typeof fn === "string") return fn;
      const numbers = randomSeed(this.#limits.seed, source, ...seed);
      const text = world.context.newString(`[[${numbers}]${values === "[]" ? "" : ","}${values.slice(1)}`);
      const result = world.context.callFunction(world.call, world.context.undefined, fn, text);
      text.dispose();
      const answer = readText(world.context, result);
      // Without room for the error, the engine throws null; and without room for the text of an answer it gives none.
      const isOutOfRoom = answer === "" || (answer === "tnull" && !source.includes("throw"));
      return isOutOfRoom ? "m" : answer;
    });
  }

  dispose(): void {
    const world = this.#world;
    this.#world = undefined;
    if (world === undefined) return;
    for (const fn of world.functions.values()) fn.dispose();
    world.call.dispose();
    world.admit.dispose();
    world.context.dispose();
    world.runtime.dispose();
  }

  /** Replaces the world after a failure, and if promise jobs are left that would run in another call. */
  #guarded(work: (world: World) => RealmAnswer): RealmAnswer {
    this.#world ??= this.#open();
    const { runtime } = this.#world;
    this.#clock.start();
    const answer = work(this.#world);
    const isTainted = answer.startsWith("m") || answer.startsWith("l") || runtime.hasPendingJob();
    if (isTainted) this.dispose();
    return answer;
  }

  #compile({ context, admit, functions }: World, source: string): QuickJSHandle | RealmAnswer {
    const known = functions.get(source);
    if (known !== undefined) return known;
    // What parses in both kinds of brackets closes neither, so that it is an expression.
    const probe = context.evalCode(`[${source}\n]`, "source", { strict: true, compileOnly: true });
    if (probe.error) return syntaxProblem(context, probe.error);
    probe.value.dispose();
    const value = context.evalCode(`(${source}\n)`, "source", { strict: true });
    if (value.error) return syntaxProblem(context, value.error);
    const text = readText(context, context.callFunction(admit, context.undefined, value.value));
    if (standsAlone(text, source)) {
      functions.set(source, value.value);
      return value.value;
    }
    value.value.dispose();
    return text === "m" || text === "l" ? text : "n";
  }

  #open(): World {
    const runtime = this.#module.newRuntime({ memoryLimitBytes: this.#limits.memoryBytes });
    runtime.setMaxStackSize(STACK_BYTES);
    const context = runtime.newContext({ intrinsics: INTRINSICS });
    const parts = context.unwrapResult(context.evalCode(REALM_PROGRAM, "sandbox", { strict: true }));
    const call = context.getProp(parts, 0);
    const admit = context.getProp(parts, 1);
    parts.dispose();
    runtime.setInterruptHandler(() => this.#clock.isOver());
    return { runtime, context, call, admit, functions: new Map() };
  }
}

/** The text that our own program answered with, or what the engine says where even that failed. */
function readText(context: QuickJSContext, result: ReturnType<QuickJSContext["callFunction"]>): RealmAnswer {
  if (result.error) return engineFailure(context, result.error);
  const text = context.getString(result.value);
  result.value.dispose();
  return text;
}

/** An error that our program did not catch comes from the engine: `l` for too long, `m` for too much memory, else `t`. */
function engineFailure(context: QuickJSContext, error: QuickJSHandle): RealmAnswer {
  const message = errorText(context, error);
  error.dispose();
  if (message === "interrupted") return "l";
  return message === "stack overflow" ? `t${message}` : "m";
}

function syntaxProblem(context: QuickJSContext, error: QuickJSHandle): RealmAnswer {
  const message = errorText(context, error);
  const line = /source:(\d+)/.exec(errorText(context, error, "stack"))?.[1];
  error.dispose();
  if (message === "interrupted") return "l";
  if (message === "out of memory" || message === "") return "m";
  // The brackets are ours.
  const problem = /^expecting '[\])]'$/.test(message)
    ? "it is not closed, or something stands after it"
    : message;
  return line === undefined ? `s${problem}` : `s${problem} (line ${line})`;
}

function errorText(context: QuickJSContext, error: QuickJSHandle, key = "message"): string {
  if (context.typeof(error) !== "object") return "";
  const handle = context.getProp(error, key);
  const text = context.typeof(handle) === "string" ? context.getString(handle).slice(0, 500) : "";
  handle.dispose();
  return text;
}

/** The random seed of one call: four integers made from all the texts. */
export function randomSeed(...texts: readonly string[]): readonly [number, number, number, number] {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0xdeadbeef];
  for (const text of texts) {
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      a = Math.imul(a ^ code, 0x85ebca6b) ^ (d >>> 15);
      b = Math.imul(b ^ code, 0xc2b2ae35) ^ (a >>> 13);
      c = Math.imul(c ^ code, 0x27d4eb2f) ^ (b >>> 14);
      d = Math.imul(d ^ code, 0x165667b1) ^ (c >>> 16);
    }
    // Where one text ends and the next begins makes a difference.
    a = Math.imul(a ^ text.length ^ 0x10000, 0x9e3779b1);
  }
  return [a | 0, b | 0, c | 0, d | 0];
}

/** True if `source` is nothing but the text of a function, with space and comments around it. */
export function standsAlone(functionText: string, source: string): boolean {
  if (functionText === "") return false;
  const start = spaceEnd(source, 0);
  return (
    source.startsWith(functionText, start) && spaceEnd(source, start + functionText.length) === source.length
  );
}

/** The time limit of a call. Time in which the thread did not run, on a busy machine, does not count. */
export class CallClock {
  readonly #limit: number;
  #start = 0;
  #cpuStart: number | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  start(): void {
    this.#start = performance.now();
    this.#cpuStart = undefined;
  }

  /** Asked now and then while a call runs. */
  isOver(): boolean {
    this.#cpuStart ??= threadMilliseconds();
    if (performance.now() - this.#start <= this.#limit) return false;
    return this.#cpuStart === undefined || (threadMilliseconds() ?? 0) - this.#cpuStart > this.#limit;
  }
}

/** CPU time of this thread; undefined where Node cannot tell. */
export function threadMilliseconds(): number | undefined {
  // Not in every Node that we support.
  const usage = process.threadCpuUsage?.();
  return usage === undefined ? undefined : (usage.user + usage.system) / 1000;
}

const PAGE_BYTES = 65_536;

// What the engine is built for, and what its stack and its constants take of it.
const FIRST_PAGES = 256;

const FIXED_BYTES = 6 * 1024 * 1024;

/** What we need of WebAssembly, which is in every Node, but declared only for browsers. */
interface WebAssemblyApi {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => object;
}

/** Makes engines, each with memory of its own, from code that is compiled once. */
export async function loadEngine(): Promise<(memoryBytes: number) => Promise<QuickJSWASMModule>> {
  const { readFile } = await import("node:fs/promises");
  const core = await import("quickjs-emscripten-core");
  const library = await import("@jitl/quickjs-wasmfile-release-sync");
  // The declarations of the library are those of its other format, which has one more `default`.
  const variant = library.default as unknown as QuickJSSyncVariant;
  // See the interface.
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyApi };
  const file = new URL(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
  const wasmModule = await WebAssembly.compile(await readFile(file));
  return async (memoryBytes) => {
    // The engine's own limit does not count how large its allocations are; that of its memory cannot be passed.
    const maximum = Math.max(FIRST_PAGES, Math.ceil((memoryBytes + FIXED_BYTES) / PAGE_BYTES));
    const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum });
    return core.newQuickJSWASMModuleFromVariant(core.newVariant(variant, { wasmModule, wasmMemory }));
  };
}
