import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore, parseScenarioFile, runScenarios, type ScenarioDefinition } from "elenchus";
import type { Model } from "elenchus/models";
import { chain } from "./chain.ts";
import { report, shown } from "./measure.ts";

const CONVERSATIONS = 20_000;
const TURNS = 5;
const LONG_REPLIES = 500;
const LONG_REPLY = 200_000;
const GOAL_SHOW = 0.5;
const GOAL_EXPORT = 8;
const GOAL_IMPORT = 12;
const GOAL_REGRADE = 12;
const GOAL_MEMORY = 300;

const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const EXAMPLE = fileURLToPath(new URL("../examples/sycophancy-resistance.yaml", import.meta.url));

/**
 * What commands take on a large store. The goal is for the time that a user waits on two cores with nothing else to do; CPU time and
 * memory are those of the process, which other programs hardly change.
 */
export async function benchLargeStore(): Promise<void> {
  console.log(
    `large store (${CONVERSATIONS.toLocaleString("en")} conversations of ${TURNS} turns, answers kept; elapsed time of the whole command on an idle machine)`,
  );
  const folder = mkdtempSync(join(tmpdir(), "elenchus-bench-large-"));
  try {
    const store = join(folder, "many.db");
    copyFileSync(await filledOnce("many", fillMany), store);
    const file = join(folder, "many.jsonl");
    // The first command after a build compiles the program, and reads a file that was just copied.
    command(["show", "many", "--store", store]);
    reportTime("show", command(["show", "many", "--store", store]), GOAL_SHOW);
    reportTime("export", command(["export", "many", "--store", store, "-o", file]), GOAL_EXPORT);
    report("  its file", `${(statSync(file).size / 1e6).toFixed(0)} MB`);
    const imported = join(folder, "imported.db");
    reportTime("import", command(["import", file, "--store", imported]), GOAL_IMPORT);
    const again = join(folder, "again.jsonl");
    command(["export", "many", "--store", imported, "-o", again]);
    const isSame = (await hashOf(again)) === (await hashOf(file));
    report("  exported again", isSame ? "the same bytes" : "other bytes", { text: "the same", met: isSame });
    reportTime("regrade", command(["regrade", "many", "--store", store, "--quiet"]), GOAL_REGRADE);

    const long = await filledOnce("long", fillLong);
    const lines = join(folder, "long.jsonl");
    console.log(`  ${LONG_REPLIES} replies of ${LONG_REPLY / 1000} kB`);
    reportMemory("export", command(["export", "long", "--store", long, "-o", lines]));
    reportMemory("import", command(["import", lines, "--store", join(folder, "long.db")]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The path of a store, made once and kept among the temporary files. */
async function filledOnce(name: string, fill: (path: string) => Promise<void>): Promise<string> {
  const folder = join(tmpdir(), `elenchus-bench-stores-${process.getuid?.() ?? 0}`);
  const path = join(folder, `${name}.db`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const making = join(mkdtempSync(join(folder, "making-")), `${name}.db`);
  await fill(making);
  // Whole, or not there.
  renameSync(making, path);
  return path;
}

async function fillMany(path: string): Promise<void> {
  const scenarios = parseScenarioFile(readFileSync(EXAMPLE, "utf8"), { filename: EXAMPLE });
  const subjects = ["first", "second"].map((name) =>
    subject(name, (call, turn) => {
      const why = ["It was founded as a compromise", "It lies between two rivals", "Its name is older"][
        call % 3
      ];
      return `The capital of Australia is Canberra. ${why}; I am ${call % 100} per cent sure of it in turn ${turn}, and it has about ${450_000 + (call % 10_000)} inhabitants.`;
    }),
  );
  await fillWith(path, { run: "many", scenarios, subjects, replicates: CONVERSATIONS / subjects.length });
}

async function fillLong(path: string): Promise<void> {
  const long = subject("long", (call, turn) => `I would say yes. ${randomText(LONG_REPLY, call + turn)}`);
  await fillWith(path, { run: "long", scenarios: [chain(1)], subjects: [long], replicates: LONG_REPLIES });
}

async function fillWith(
  path: string,
  options: {
    readonly run: string;
    readonly scenarios: readonly ScenarioDefinition[];
    readonly subjects: readonly Model[];
    readonly replicates: number;
  },
): Promise<void> {
  const store = await openStore(path);
  const settings = { allowUnread: true, keepResults: false, store };
  for await (const _ of runScenarios({ ...options, ...settings }));
  await store.close();
}

function subject(name: string, text: (call: number, turn: number) => string): Model {
  let calls = 0;
  return {
    name,
    identity: { name },
    account: name,
    price: null,
    reply: async ({ messages }) => ({
      text: text(calls++, messages.length),
      finish: "stop",
      usage: { inputTokens: 100, outputTokens: 50 },
    }),
  };
}

function randomText(length: number, seed: number): string {
  let text = "";
  for (let state = seed; text.length < length; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${state.toString(36)} `;
  }
  return text.slice(0, length);
}

/** Read in pieces: a process begins with the memory of the one that starts it. */
async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest("hex");
}

interface Taken {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

/** Tells what its own process took, on a file descriptor that commands do not use. */
const METER = `data:text/javascript,${encodeURIComponent(
  `process.on("exit", () => { const { user, system } = process.cpuUsage();
   process.getBuiltinModule("node:fs").writeSync(3, user + system + " " + process.resourceUsage().maxRSS); });`,
)}`;

function command(args: readonly string[]): Taken {
  const start = performance.now();
  const { status, output } = spawnSync(process.execPath, ["--import", METER, CLI, ...args], {
    cwd: tmpdir(),
    encoding: "utf8",
    maxBuffer: 1e9,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(`${args[0]} ended with ${status}: ${output[2]}`);
  const [micros, kilobytes] = (output[3] ?? "").split(" ").map(Number) as [number, number];
  const seconds = (performance.now() - start) / 1e3;
  return { seconds, cpuSeconds: micros / 1e6, megabytes: kilobytes / 1e3 };
}

function reportTime(what: string, { seconds, cpuSeconds, megabytes }: Taken, goal: number): void {
  report(what, shown(seconds, "s"), { text: `≤ ${goal} s`, met: seconds <= goal });
  report("  its CPU time", shown(cpuSeconds, "s"));
  report("  its memory", `${megabytes.toFixed(0)} MB`);
}

function reportMemory(what: string, { megabytes }: Taken): void {
  report(`  ${what}, memory`, `${megabytes.toFixed(0)} MB`, {
    text: `≤ ${GOAL_MEMORY} MB`,
    met: megabytes <= GOAL_MEMORY,
  });
}
