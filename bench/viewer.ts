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
const ROUNDS = 15;

/** What the pages ask for, and the goal of each in milliseconds. */
const ENDPOINTS: readonly (readonly [name: string, path: string, goal: number])[] = [
  ["runs", "/api/runs", 50],
  ["run with its matrix", "/api/runs/large", 50],
  ["heat map", "/api/runs/large/heat?outcome=resisted", 50],
  ["graph with traffic", "/api/runs/large/scenarios/pressure%2Fitem-7", 50],
  ["conversations", "/api/runs/large/conversations", 50],
  ["  of a subject", `/api/runs/large/conversations?subject=${encodeURIComponent(SUBJECTS[3] ?? "")}`, 50],
  ["  with an outcome", "/api/runs/large/conversations?outcome=resisted%3Afalse", 50],
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
    // What takes a few milliseconds differs by the caches of the machine.
    const isSteady = growth <= GOALS.growth || time < 8;
    report(name, `${shown(time, "ms")}, × ${growth.toFixed(2)}`, {
      text: `≤ ${goal} ms, growth ≤ ${GOALS.growth}`,
      met: time <= goal && isSteady,
    });
  }
  report("intervals of the run, in a process, once", shown(large.rates, "ms"));
  const line = (what: string, figure: number, unit: string, goal: number): void =>
    report(what, shown(figure, unit), { text: `≤ ${goal} ${unit}`, met: figure <= goal });
  line("memory of the server, pages open", large.memoryBefore, "MB", GOALS.memory);
  line("  after intervals were computed, on request", large.memory, "MB", GOALS.memory);
  report("  of the process that computes them, while it lasts", shown(large.computing, "MB"));
  if (large.browser === undefined) return;
  line("first useful paint of Run", large.browser.paint, "ms", GOALS.paint);
  line("filter of conversations", large.browser.filter, "ms", GOALS.filter);
  line("conversation opened", large.browser.conversation, "ms", GOALS.conversation);
}

interface Measured {
  /** The median on the large store, and how much longer that takes than on the small one. */
  readonly endpoints: readonly { readonly time: number; readonly growth: number }[];
  readonly rates: number;
  readonly memoryBefore: number;
  readonly memory: number;
  readonly computing: number;
  readonly browser: Record<"paint" | "filter" | "conversation", number> | undefined;
}

async function measured(): Promise<Measured> {
  const [small, large] = [await opened(SIZES[0]), await opened(SIZES[1])];
  try {
    const endpoints: Measured["endpoints"][number][] = [];
    for (const [, address] of ENDPOINTS) {
      const times: readonly [number[], number[]] = [[], []];
      // In turns: whatever else the machine does disturbs both.
      for (let round = 0; round < ROUNDS; round++) {
        times[0].push(await small.ask(address));
        times[1].push(await large.ask(address));
      }
      const [before, time] = [median(times[0]), median(times[1])];
      endpoints.push({ time, growth: time / before });
    }
    const browser = await inBrowser(large.url);
    const memoryBefore = memoryOf(large.server.pid);
    const rates = await large.ask("/api/runs/large/rates");
    const [child] = childrenOf(large.server.pid);
    const computing = child === undefined ? 0 : memoryOf(child, "VmHWM");
    return { endpoints, rates, memoryBefore, memory: memoryOf(large.server.pid), computing, browser };
  } finally {
    small.server.kill();
    large.server.kill();
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

/** Filled once, and kept for the next time. */
async function filledStore(turns: number): Promise<string> {
  const folder = join(tmpdir(), "elenchus-bench-viewer");
  const path = join(folder, `${turns}.db`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const unfinished = `${path}.unfinished`;
  for (const end of ["", "-wal", "-shm"]) rmSync(`${unfinished}${end}`, { force: true });
  const store = await openStore(unfinished);
  await fillForViewer(store, turns);
  store.close();
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
