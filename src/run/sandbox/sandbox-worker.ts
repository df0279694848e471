import { parentPort, workerData } from "node:worker_threads";
import { loadEngine, Realm, type RealmAnswer } from "./realm.ts";
import { BROKEN, type SandboxRequest, TextChannel, UNKNOWN } from "./text-channel.ts";

interface OpenRealm {
  readonly realm: Realm;
  readonly sources: Map<number, string>;
}

const realms = new Map<number, OpenRealm>();

function call(request: string): RealmAnswer {
  const first = request.indexOf(" ");
  const second = request.indexOf(" ", first + 1);
  const number = Number(request.slice(0, first));
  const source = realms.get(number)?.sources.get(Number(request.slice(first + 1, second)));
  if (source === undefined) return UNKNOWN;
  return inRealm(number, (realm) => realm.call(source, request.slice(second + 1)));
}

function manage(request: Exclude<SandboxRequest, { type: "open" }>): RealmAnswer {
  const { realm: number } = request;
  const open = realms.get(number);
  if (open === undefined) return UNKNOWN;
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

/** Answers until the thread is ended, which works whatever the engine is doing. */
async function serve(memory: SharedArrayBuffer): Promise<void> {
  const channel = new TextChannel(memory, "answerer");
  const newEngine = await loadEngine();
  parentPort?.postMessage("ready");
  for (;;) {
    const text = channel.receive() ?? "";
    if (!text.startsWith("{")) {
      channel.send(call(text));
      continue;
    }
    // Only our own code writes to the channel.
    const request = JSON.parse(text) as SandboxRequest;
    channel.send(request.type === "open" ? await open(request, newEngine) : manage(request));
  }
}

await serve(workerData);
