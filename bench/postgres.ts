import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, runScenarios } from "elenchus";
import type { Store } from "elenchus/store";
import { startPostgres } from "../test/postgres-server.ts";
import { chain, instant } from "./chain.ts";
import { cpuTime, medianTime, report, shown } from "./measure.ts";
import { fillStore } from "./store-filling.ts";

const CONVERSATIONS = 640;
const AT_ONCE = 64;
const TURNS = 5;
const GOAL_TURN_MS = 1.5;
const MANY = 100_000;
const GOAL_LISTED = 1.5;

export async function benchPostgres(): Promise<void> {
  console.log("postgres (a local server with its usual settings: every group is flushed to the disk)");
  const server = await startPostgres({ fsync: true });
  const folder = mkdtempSync(join(tmpdir(), "elenchus-bench-postgres-"));
  try {
    await benchTurns(server.url("turns"), join(folder, "turns.db"));
    await benchListing(server.url("many"), join(folder, "many.db"));
  } finally {
    rmSync(folder, { recursive: true });
    await server.close();
  }
}

/** A run with instant models, judged: all that is left is the engine, the store and the server. */
async function benchTurns(address: string, file: string): Promise<void> {
  const server: { readonly ms: number; readonly cpu: number }[] = [];
  const inFile: number[] = [];
  for (let round = 0; round < 3; round++) {
    const [there, here] = [await openStore(address), await openStore(file)];
    server.push(await timeOfRun(there, `run ${round}`));
    inFile.push((await timeOfRun(here, `run ${round}`)).ms);
    await there.close();
    await here.close();
  }
  const turns = CONVERSATIONS * TURNS;
  const perTurn = Math.min(...server.map(({ ms }) => ms)) / turns;
  report(`durable turn, ${AT_ONCE} conversations at once`, shown(perTurn, "ms"), {
    text: `≤ ${GOAL_TURN_MS} ms`,
    met: perTurn <= GOAL_TURN_MS,
  });
  report("  of it, CPU of this process", shown(Math.min(...server.map(({ cpu }) => cpu)) / turns, "ms"));
  report("  the same in a file", shown(Math.min(...inFile) / turns, "ms"));
}

async function timeOfRun(store: Store, run: string): Promise<{ readonly ms: number; readonly cpu: number }> {
  const [start, cpu] = [performance.now(), cpuTime()];
  await runScenarios({
    allowUnread: true,
    scenarios: chain(TURNS),
    subjects: instant("subject", `I would say yes, ${run}.`),
    judge: instant("judge", '{"fields":{"right":true}}'),
    replicates: CONVERSATIONS,
    concurrency: AT_ONCE,
    fresh: true,
    store,
    run,
  }).results;
  return { ms: performance.now() - start, cpu: cpuTime() - cpu };
}

async function benchListing(address: string, file: string): Promise<void> {
  const times: Record<"server" | "file", Readonly<Record<string, number>>> = { server: {}, file: {} };
  for (const [place, path] of Object.entries({ server: address, file })) {
    const store = await openStore(path);
    const start = performance.now();
    await fillStore(store, { conversations: MANY, turns: 1 });
    const filled = (performance.now() - start) / 1000;
    if (place === "server")
      report(`${MANY.toLocaleString("en")} conversations, written`, `${filled.toFixed(0)} s`);
    times[place as "server" | "file"] = {
      "runs listed": medianTime(() => store.runs(), { runs: 5, warmUp: 1 }),
      "results by scenario, subject and judge": medianTime(() => store.results("filled"), {
        runs: 5,
        warmUp: 1,
      }),
      "first page of conversations": medianTime(() => firstPage(store), { runs: 5, warmUp: 1 }),
      "all conversations": medianTime(() => countAll(store.conversations("filled")), { runs: 3, warmUp: 1 }),
      "scores of all": medianTime(() => countAll(store.scores("filled")), { runs: 3, warmUp: 1 }),
    };
    await store.close();
  }
  for (const [what, ms] of Object.entries(times.server)) {
    const inFile = times.file[what] ?? 0;
    report(`  ${what}`, `${shown(ms, "ms")} (file ${shown(inFile, "ms")})`, {
      text: `≤ ×${GOAL_LISTED} of a file, or ≤ 10 ms`,
      met: ms <= GOAL_LISTED * inFile || ms <= 10,
    });
  }
}

function firstPage(store: Store): number {
  let count = 0;
  for (const _ of store.conversations("filled")) if (++count === 100) break;
  return count;
}

function countAll(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count++;
  if (count !== MANY) throw new Error(`${count} of ${MANY}`);
  return count;
}
