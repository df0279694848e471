import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { openStore } from "elenchus";
import type { Page } from "playwright-core";
import { closeBrowser, sharedBrowser } from "../test/viewer/browser.ts";
import { report, shown } from "./measure.ts";
import { fillForViewer, SUBJECTS } from "./viewer-filling.ts";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const SIZES = [100_000, 1_000_000] as const;
const GOALS = { paint: 1_000, filter: 300, conversation: 200, memory: 250, bundle: 250_000, growth: 1.5 };
/** Each with both stores; the first ones are not counted. */
const ROUNDS = 41;
const WARM_UP = 5;

/** What the pages ask for, and the goal of each in milliseconds. */
const ENDPOINTS: readonly (readonly [name: string, path: string, goal: number])[] = [
  ["runs", "/api/runs", 50],
  ["run with its matrix", "/api/runs/large", 50],
  ["heat map", "/api/runs/large/heat?outcome=resisted", 50],
  ["graph with traffic", "/api/runs/large/scenarios/pressure%2Fitem-7", 50],
  ["conversations", "/api/runs/large/conversations", 50],
  ["  of a subject", `/api/runs/large/conversations?subject=${encodeURIComponent(SUBJECTS[3] ?? "")}`, 50],
  ["  with an outcome", "/api/runs/large/conversations?outcome=resisted%3Afalse", 50],
  // Every conversation is looked at.
  ["  with an outcome that none has", "/api/runs/large/conversations?outcome=knew_it%3Anot_applicable", 300],
  ["  with a filter that no index knows, and none has", "/api/runs/large/conversations?arm=none", 300],
  [
    "  in the middle of those with the same cost",
    "/api/runs/large/conversations?order=-cost&after=0.005.9000",
    50,
  ],
  // The small store has few of these: the same number of both.
  ["  with an error", "/api/runs/large/conversations?status=cut_short&limit=30", 50],
  ["  the most expensive first", "/api/runs/large/conversations?order=-cost", 50],
  ["  with an unreadable turn at a node", "/api/runs/large/conversations?node=doubt&verdict=unreadable", 50],
  ["  of a scenario", "/api/runs/large/conversations?scenario=pressure%2Fitem-42", 50],
  ["conversation", "/api/runs/large/conversations/c0003m5", 30],
  [
    "pairs that differ",
    `/api/runs/large/pairs?a=${encodeURIComponent(SUBJECTS[0] ?? "")}&b=${encodeURIComponent(SUBJECTS[3] ?? "")}&outcome=resisted`,
    50,
  ],
  ["turns to review", "/api/runs/large/review?kind=unreadable&count=50", 50],
];

/** The viewer on a store of a million turns: the server's answers, and what a person waits for in a browser. */
export async function benchViewer(): Promise<void> {
  console.log("viewer (store of 1 M turns, medians; growth is against 100,000 turns)");
  const script = gzipSync(readFileSync(join(DIST, "viewer", "viewer.js")), { level: 9 }).length;
  const style = gzipSync(readFileSync(join(DIST, "viewer", "viewer.css")), { level: 9 }).length;
  report("bundle, gzipped", shown((script + style) / 1000, "kB"), {
    text: `≤ ${GOALS.bundle / 1000} kB`,
    met: script + style <= GOALS.bundle,
  });
  const large = await measured();
  for (const [index, [name, , goal]] of ENDPOINTS.entries()) {
    const { time = 0, growth = 0 } = large.endpoints[index] ?? {};
    const grows = goal > 50;
    report(name, `${shown(time, "ms")}, × ${growth.toFixed(2)}`, {
      text: grows ? `≤ ${goal} ms` : `≤ ${goal} ms, growth ≤ ${GOALS.growth}`,
      met: time <= goal && (grows || growth <= GOALS.growth),
    });
  }
  report("intervals of the run, in a process, once", shown(large.rates, "ms"));
  const line = (what: string, figure: number, unit: string, goal: number): void =>
    report(what, shown(figure, unit), { text: `≤ ${goal} ${unit}`, met: figure <= goal });
  line("memory of the server, after all of this", large.memory, "MB", GOALS.memory);
  report("  of the process that computes intervals, while it lasts", shown(large.computing, "MB"));
  if (large.browser === undefined) return;
  line("first useful paint of Run", large.browser.paint, "ms", GOALS.paint);
  line("filter of conversations", large.browser.filter, "ms", GOALS.filter);
  line("conversation opened", large.browser.conversation, "ms", GOALS.conversation);
}

interface Measured {
  /** The median on the large store, and that of how much longer it takes than on the small one. */
  readonly endpoints: readonly { readonly time: number; readonly growth: number }[];
  readonly rates: number;
  readonly memory: number;
  readonly computing: number;
  readonly browser: Record<"paint" | "filter" | "conversation", number> | undefined;
}

async function measured(): Promise<Measured> {
  const [few, many] = [await opened(SIZES[0]), await opened(SIZES[1])];
  try {
    const endpoints: Measured["endpoints"][number][] = [];
    for (const [, address] of ENDPOINTS) {
      const times: readonly [number[], number[]] = [[], []];
      // In turns: whatever else the machine does disturbs both.
      for (let round = 0; round < ROUNDS; round++) {
        times[0].push(await few.ask(address));
        times[1].push(await many.ask(address));
      }
      const [small, large] = times.map((own) => own.slice(WARM_UP)) as [number[], number[]];
      // Of two requests one after the other: what else the machine does then is much the same.
      const growth = median(large.map((time, round) => time / (small[round] ?? 0)));
      endpoints.push({ time: median(large), growth });
    }
    const rates = await many.ask("/api/runs/large/rates");
    const [child] = childrenOf(many.server.pid);
    const computing = child === undefined ? 0 : memoryOf(child, "VmHWM");
    const browser = await inBrowser(many.url);
    return { endpoints, rates, memory: memoryOf(many.server.pid), computing, browser };
  } finally {
    few.server.kill();
    many.server.kill();
  }
}

interface Opened {
  readonly server: ChildProcess;
  readonly url: URL;
  /** How long an answer takes, in milliseconds. */
  readonly ask: (address: string) => Promise<number>;
}

async function opened(turns: number): Promise<Opened> {
  const path = await filledStore(turns);
  const server = spawn(process.execPath, [join(DIST, "cli.js"), "view", "--no-open", "--store", path]);
  const url = await addressOf(server);
  const cookie = `elenchus-${url.port}=${url.searchParams.get("token")}`;
  const ask = async (address: string): Promise<number> => {
    const start = performance.now();
    const answer = await fetch(new URL(address, url.origin), { headers: { cookie } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${address}: ${text}`);
    return performance.now() - start;
  };
  return { server, url, ask };
}

/** Filled once, and kept for the next time; opened for writing, so that it has the format of this release. */
async function filledStore(turns: number): Promise<string> {
  const folder = join(tmpdir(), "elenchus-bench-viewer");
  const path = join(folder, `${turns}.db`);
  if (existsSync(path)) {
    await (await openStore(path)).close();
    return path;
  }
  mkdirSync(folder, { recursive: true });
  const unfinished = `${path}.unfinished`;
  for (const end of ["", "-wal", "-shm"]) rmSync(`${unfinished}${end}`, { force: true });
  const store = await openStore(unfinished);
  await fillForViewer(store, turns);
  await store.close();
  renameSync(unfinished, path);
  return path;
}

function addressOf(server: ChildProcess): Promise<URL> {
  return new Promise((resolve, reject) => {
    server.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const found = /http:\/\/\S+/.exec(text);
      if (found !== null) resolve(new URL(found[0]));
    });
    server.once("close", () => reject(new Error("The viewer ended.")));
  });
}

async function medianOf(rounds: number, measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await measure());
  return median(times);
}

function median(times: readonly number[]): number {
  return [...times].sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

/** The memory that a process has in use, in MB, where the system tells. */
function memoryOf(pid: number | undefined, which: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const found = new RegExp(`${which}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1] ?? 0) / 1000;
}

function childrenOf(pid: number | undefined): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? [] : text.split(" ").map(Number);
}

/** What a person waits for, each time in a tab of its own. */
async function inBrowser(url: URL): Promise<Measured["browser"]> {
  const browser = await sharedBrowser();
  if (browser === undefined) return undefined;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const fresh = async (use: (page: Page) => Promise<number>): Promise<number> => {
    const page = await context.newPage();
    const time = await use(page);
    await page.close();
    return time;
  };
  try {
    const paint = await medianOf(7, () =>
      fresh(async (page) => {
        const start = performance.now();
        await page.goto(`${url.href}#/run/large`);
        await page.locator(".rate .figure").first().waitFor();
        return performance.now() - start;
      }),
    );
    const filter = await medianOf(7, () =>
      fresh(async (page) => {
        await page.goto(`${url.origin}/#/run/large/conversations`);
        await page.locator(".entry").first().waitFor();
        const start = performance.now();
        await page.getByLabel("outcome").selectOption("resisted:inconclusive");
        await page.locator(".entry", { hasText: "inconclusive" }).first().waitFor();
        return performance.now() - start;
      }),
    );
    const conversation = await medianOf(7, () =>
      fresh(async (page) => {
        await page.goto(`${url.origin}/#/run/large/conversations`);
        await page.locator(".entry").first().waitFor();
        const start = performance.now();
        await page.locator(".entry").nth(3).click();
        await page.locator(".chat-turn").first().waitFor();
        return performance.now() - start;
      }),
    );
    return { paint, filter, conversation };
  } finally {
    await closeBrowser();
  }
}
