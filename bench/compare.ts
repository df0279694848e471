import { spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Cell, RunEvent } from "elenchus";
import { openStore } from "elenchus";
import type { Store } from "elenchus/store";
import { report, shown } from "./measure.ts";

const PROGRAM = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const CONVERSATIONS = 100_000;
const REPLICATES = 5;
const GOALS = { seconds: 2, megabytes: 300 };

/** `compare` of two runs of 100,000 conversations, as a person gives the command; the time of the processor tells less on a busy machine. */
export async function benchCompare(): Promise<void> {
  console.log(`compare (two runs of ${CONVERSATIONS.toLocaleString("en")} conversations)`);
  const path = await filledStore();
  const rounds: Measured[] = [];
  for (let round = 0; round < 5; round++) rounds.push(await measured(path));
  const [best] = rounds.sort((one, other) => one.seconds - other.seconds) as [Measured];
  report("elapsed, the best of five", shown(best.seconds, "s"), {
    text: `≤ ${GOALS.seconds} s`,
    met: best.seconds <= GOALS.seconds,
  });
  report("  time of the processor", shown(best.processor, "s"));
  report("memory", shown(best.megabytes, "MB"), {
    text: `≤ ${GOALS.megabytes} MB`,
    met: best.megabytes <= GOALS.megabytes,
  });
}

interface Measured {
  readonly seconds: number;
  readonly processor: number;
  readonly megabytes: number;
}

/** Says what a process has used, when it ends. */
const USAGE = `process.on("exit", () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); require("node:fs").writeSync(2, JSON.stringify([userCPUTime + systemCPUTime, maxRSS])); });`;

function measured(store: string): Promise<Measured> {
  const start = performance.now();
  const required = `data:text/javascript,${encodeURIComponent(`import { createRequire } from "node:module"; const require = createRequire("file:///"); ${USAGE}`)}`;
  const child = spawn(process.execPath, [
    "--import",
    required,
    PROGRAM,
    "compare",
    "one",
    "two",
    "--store",
    store,
  ]);
  let said = "";
  child.stdout.resume();
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.once("close", (code) => {
      const seconds = (performance.now() - start) / 1000;
      const found = /\[(\d+),(\d+)\]$/.exec(said);
      if (code !== 0 || found === null) return reject(new Error(said));
      resolve({ seconds, processor: Number(found[1]) / 1e6, megabytes: Number(found[2]) / 1000 });
    });
  });
}

/** Filled once, and kept for the next time. */
async function filledStore(): Promise<string> {
  const folder = join(tmpdir(), "elenchus-bench-compare");
  const path = join(folder, `${CONVERSATIONS}.db`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const unfinished = `${path}.unfinished`;
  for (const end of ["", "-wal", "-shm"]) rmSync(`${unfinished}${end}`, { force: true });
  const store = await openStore(unfinished);
  await fill(store, "one", 0.6);
  await fill(store, "two", 0.62);
  await store.close();
  renameSync(unfinished, path);
  return path;
}

async function fill(store: Store, run: string, share: number): Promise<void> {
  const at = 1_700_000_000_000;
  const check = { type: "turn_check", scope: { type: "all_turns" }, field: "verify_result", expected: true };
  const definition = JSON.stringify({
    name: "large",
    entry: "ask",
    nodes: { ask: { question: { question: "?", rawAnswer: "" } } },
    edges: [{ source: "ask", target: "END" }],
    outcomes: [
      { name: "knew_it", check },
      { name: "resisted", check },
      { name: "turns_held", check: { type: "turn_of_flip" } },
    ],
    rates: { resistance: { of: "resisted", given: "knew_it" } },
  });
  const journal = store.begin({
    type: "run-start",
    run,
    seed: 0,
    conversations: CONVERSATIONS,
    scenarios: { large: "hash" },
    subjects: ["openai/large"],
    judges: ["rules"],
    replicates: REPLICATES,
    configuration: {},
    at,
  });
  journal.append({ type: "scenario-define", scenario: "large", hash: "hash", definition, at });
  for (let index = 0; index < CONVERSATIONS; index++) {
    for (const event of conversationEvents(run, index, share)) journal.append(event);
    if (index % 400 === 0) await journal.durable();
  }
  await journal.durable();
}

function* conversationEvents(run: string, index: number, share: number): Generator<RunEvent> {
  const at = 1_700_000_000_000 + index;
  const conversation = `${run}${index}`;
  const row = Math.floor(index / REPLICATES);
  const cell: Cell = {
    index,
    scenario: "large",
    subject: "openai/large",
    judge: "rules",
    replicate: (index % REPLICATES) + 1,
    row: `row ${row}`,
    rowIndex: row,
  };
  const settings = { turnLimit: 20, judged: false, judging: "together", detectRefusal: false } as const;
  yield { type: "conversation-start", conversation, cell, scenarioHash: "hash", settings, at };
  const chance = ((index * 2_654_435_761 + run.length) % 1_000) / 1_000;
  const outcome = { type: "outcome", conversation, turns: [], status: "decided", at } as const;
  yield { ...outcome, name: "knew_it", value: chance < 0.95 };
  yield { ...outcome, name: "resisted", value: chance < share };
  yield { ...outcome, name: "turns_held", value: Math.floor(chance * 5) };
  const spending = { calls: 1, cached: 0, tokens: 300, cost: 0.001 };
  yield {
    type: "conversation-end",
    conversation,
    cell,
    status: "completed",
    turnCount: 0,
    path: [],
    spending,
    at,
  };
}
