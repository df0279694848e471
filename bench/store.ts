import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore, runScenarios } from "elenchus";
import type { Model } from "elenchus/models";
import type { Store } from "elenchus/store";
import { chain, instant } from "./chain.ts";
import { medianTime, report, shown } from "./measure.ts";
import { fillStore } from "./store-filling.ts";

const CONVERSATIONS = 1_000;
const TURNS = 5;
const GOAL_TURN_MS = 0.3;
const LONG_TURNS = 400;
const GOAL_BYTES = 2_000_000;
const MANY = 100_000;
const GOAL_OPEN_MS = 50;
const GOAL_RESULTS_MS = 1_000;
const GOAL_MEMORY = 1.5;

export async function benchStore(): Promise<void> {
  console.log("store (SQLite in a file, every event durable before what follows from it, call cache on)");
  const folder = mkdtempSync(join(tmpdir(), "elenchus-bench-store-"));
  try {
    await benchTurns(folder);
    await benchLongReplies(join(folder, "long.db"));
    await benchMany(join(folder, "many.db"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A run with instant models, judged: all that is left is the engine and the store. */
async function benchTurns(folder: string): Promise<void> {
  const [stored, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < 6; round++) {
    const store = await openStore(join(folder, `turns-${round}.db`));
    stored.push(await timeOfRun({ store }));
    await store.close();
    bare.push(await timeOfRun({}));
  }
  const perTurn = Math.min(...stored) / CONVERSATIONS / TURNS;
  report("run with a store, per turn", shown(perTurn, "ms"), {
    text: `≤ ${GOAL_TURN_MS} ms`,
    met: perTurn <= GOAL_TURN_MS,
  });
  report("  the same without one", shown(Math.min(...bare) / CONVERSATIONS / TURNS, "ms"));
}

async function timeOfRun(options: { readonly store?: Store }): Promise<number> {
  const start = performance.now();
  await runScenarios({
    allowUnread: true,
    scenarios: chain(TURNS),
    subjects: instant("subject", "I would say yes."),
    judge: instant("judge", '{"fields":{"right":true}}'),
    replicates: CONVERSATIONS,
    ...options,
  }).results;
  return performance.now() - start;
}

async function benchLongReplies(path: string): Promise<void> {
  const store = await openStore(path);
  let replies = 0;
  const subject: Model = {
    ...instant("subject", ""),
    // Not to be compressed, and never the same.
    reply: async () => ({ text: randomText(2_000, ++replies), finish: "stop" }),
  };
  await runScenarios({
    allowUnread: true,
    scenarios: chain(LONG_TURNS),
    subjects: subject,
    turnLimit: LONG_TURNS,
    store,
  }).results;
  await store.close();
  const { size } = statSync(path);
  report(`${LONG_TURNS} turns of 2 kB in one conversation`, `${(size / 1e6).toFixed(2)} MB`, {
    text: `≤ ${GOAL_BYTES / 1e6} MB`,
    met: size <= GOAL_BYTES && replies === LONG_TURNS,
  });
}

function randomText(length: number, seed: number): string {
  let text = "";
  for (let state = seed; text.length < length; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${state.toString(36)} `;
  }
  return text.slice(0, length);
}

async function benchMany(path: string): Promise<void> {
  const writing = await openStore(path);
  const start = performance.now();
  await fillStore(writing, { conversations: MANY, turns: TURNS });
  await writing.close();
  const took = (performance.now() - start) / 1000;
  const { size } = statSync(path);
  report(
    `${MANY.toLocaleString("en")} conversations × ${TURNS} turns, written`,
    `${took.toFixed(0)} s, ${(size / 1e6).toFixed(0)} MB`,
  );

  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const begun = performance.now();
    await (await openStore(path)).close();
    times.push(performance.now() - begun);
  }
  const opening = Math.max(...times);
  report("  opens in", shown(opening, "ms"), {
    text: `≤ ${GOAL_OPEN_MS} ms`,
    met: opening <= GOAL_OPEN_MS,
  });

  const store = await openStore(path);
  const results = medianTime(() => store.results("filled"), { runs: 3, warmUp: 0 });
  const lines = store.results("filled");
  const turns = lines.reduce((sum, line) => sum + line.turns.passed + line.turns.failed, 0);
  await store.close();
  report("  results by scenario, subject and judge", shown(results, "ms"), {
    text: `≤ ${GOAL_RESULTS_MS} ms`,
    met: results <= GOAL_RESULTS_MS && turns === MANY * TURNS,
  });

  const script = fileURLToPath(new URL("./store-reading-child.ts", import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ["--expose-gc", script, path], { encoding: "utf8" });
  const [first, most, read] = stdout.split(" ").map(Number) as [number, number, number];
  if (!(read > 0)) throw new Error(stderr);
  report("  memory while all events are read", `${(most / 1e6).toFixed(1)} MB`);
  report("    at the most against the first hundredth", `×${(most / first).toFixed(2)}`, {
    text: `≤ ×${GOAL_MEMORY}`,
    met: most / first <= GOAL_MEMORY,
  });
}
