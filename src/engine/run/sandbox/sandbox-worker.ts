import { parentPort } from "node:worker_threads";
import { loadEngine, Realm, type RealmAnswer, type RealmLimits, threadMilliseconds } from "./realm.ts";

/**
 * What can be asked of the thread. A request has all that is needed to answer it, so that it does not matter which thread gets it: one
 * that was replaced opens the realm again.
 */
export type SandboxRequest = { readonly realm: number } & (
  | { readonly type: "compile"; readonly limits: RealmLimits; readonly source: string }
  | {
      readonly type: "call";
      readonly limits: RealmLimits;
      readonly source: string;
      /** The arguments as a JSON array. */
      readonly values: string;
      /** What its random numbers depend on besides the realm and the source. */
      readonly seed: readonly string[];
    }
  | { readonly type: "close" }
);

/** What the thread answers, and how long it took. */
export interface SandboxReply {
  readonly answer: RealmAnswer;
  readonly ms: number;
}

const realms = new Map<number, Realm>();

async function answerTo(request: SandboxRequest): Promise<RealmAnswer> {
  const { realm: number } = request;
  try {
    let realm = realms.get(number);
    if (request.type === "close") {
      realm?.dispose();
      realms.delete(number);
      return "u";
    }
    if (realm === undefined) {
      const { limits } = request;
      const engine = await newEngine(limits.memoryBytes).catch(() => null);
      if (engine === null) return "xthe sandbox cannot be opened";
      realm = new Realm(engine, limits);
      realms.set(number, realm);
    }
    if (request.type === "compile") return realm.compile(request.source);
    return realm.call(request.source, request.values, request.seed);
  } catch (error) {
    // An engine that threw may be in any state.
    realms.delete(number);
    return `x${error instanceof RangeError ? "stack overflow" : "the sandbox broke down"}`;
  }
}

/** Time in which the thread did not run, on a busy machine, does not count where Node can tell. */
function milliseconds(): number {
  return threadMilliseconds() ?? performance.now();
}

const newEngine = await loadEngine();
parentPort?.on("message", async (request: SandboxRequest) => {
  const start = milliseconds();
  const answer = await answerTo(request);
  parentPort?.postMessage({ answer, ms: milliseconds() - start } satisfies SandboxReply);
});
parentPort?.postMessage("ready");
