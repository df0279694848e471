import { parentPort } from "node:worker_threads";
import { loadEngine, Realm, type RealmAnswer, threadMilliseconds } from "./realm.ts";
import { BROKEN, type SandboxReply, type SandboxRequest, UNKNOWN } from "./sandbox-request.ts";

interface OpenRealm {
  readonly realm: Realm;
  readonly sources: Map<number, string>;
}

const realms = new Map<number, OpenRealm>();

function manage(request: Exclude<SandboxRequest, { type: "open" }>): RealmAnswer {
  const { realm: number } = request;
  const open = realms.get(number);
  if (open === undefined) return UNKNOWN;
  if (request.type === "call") {
    const source = open.sources.get(request.fn);
    return source === undefined
      ? UNKNOWN
      : inRealm(number, (realm) => realm.call(source, request.values, request.seed));
  }
  if (request.type === "compile") {
    open.sources.set(request.fn, request.source);
    return inRealm(number, (realm) => realm.compile(request.source));
  }
  const answer = inRealm(number, (realm) => {
    realm.dispose();
    return "u";
  });
  realms.delete(number);
  return answer;
}

async function open(
  { realm: number, limits }: Extract<SandboxRequest, { type: "open" }>,
  newEngine: Awaited<ReturnType<typeof loadEngine>>,
): Promise<RealmAnswer> {
  // Several calls may have found that a new thread does not know the realm.
  if (realms.has(number)) return "u";
  try {
    const realm = new Realm(await newEngine(limits.memoryBytes), limits);
    realms.set(number, { realm, sources: new Map() });
    return "u";
  } catch {
    return `${BROKEN}the sandbox cannot be opened`;
  }
}

/** An engine that threw may be in any state, so its realm is dropped. */
function inRealm(number: number, work: (realm: Realm) => RealmAnswer): RealmAnswer {
  try {
    const open = realms.get(number);
    return open === undefined ? UNKNOWN : work(open.realm);
  } catch (error) {
    realms.delete(number);
    return `${BROKEN}${error instanceof RangeError ? "stack overflow" : "the sandbox broke down"}`;
  }
}

/** Time in which the thread did not run, on a busy machine, does not count where Node can tell. */
function milliseconds(): number {
  return threadMilliseconds() ?? performance.now();
}

const newEngine = await loadEngine();
parentPort?.on("message", async (request: SandboxRequest) => {
  const start = milliseconds();
  const answer = request.type === "open" ? await open(request, newEngine) : manage(request);
  const reply: SandboxReply = { answer, ms: milliseconds() - start };
  parentPort?.postMessage(reply);
});
parentPort?.postMessage("ready");
