import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { type PostgresServer, startPostgres } from "../test/postgres-server.ts";
import { report, shown } from "./measure.ts";
import { serve } from "./served.ts";

const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const TURNS = 5;
const PLACES = 64;
const DELAY = 50;

/** How large the chaos is; the environment makes it smaller for a try. */
const CHAOS = Number(process.env.CHAOS_CONVERSATIONS ?? 2000);

/** A scenario of so many questions about each row; rules read the replies, so that there is one call a turn. */
function scenarioFile(rows: number, turns: number): string {
  const nodes = Array.from(
    { length: turns },
    (_, index) => `  n${index}: { question: { question: "{{ row.id }}: question ${index}?", rawAnswer: x } }`,
  );
  const edges = nodes.map(
    (_, index) => `  - { source: n${index}, target: ${index + 1 < turns ? `n${index + 1}` : "END"} }`,
  );
  const ids = Array.from({ length: rows }, (_, index) => `    - { id: r${index} }`);
  return `name: chain\nentry: n0\ndataset:\n  id: id\n  rows:\n${ids.join("\n")}\nnodes:\n${nodes.join("\n")}\nedges:\n${edges.join("\n")}\n`;
}

interface Command {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly text: string }>;
  log(): string;
}

function start(
  words: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Command {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [CLI, ...words], {
    cwd: folder,
    env: { PATH, HOME: folder, ...environment },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, text }));
  return { child, ended, log: () => text };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function startWorker(
  url: string,
  folder: string,
  options: { readonly environment?: Readonly<Record<string, string>>; readonly more?: readonly string[] },
): Promise<Command> {
  const { environment = {}, more = [] } = options;
  const worker = start(
    ["worker", url, "--concurrency", String(PLACES), "--json", ...more],
    folder,
    environment,
  );
  await Promise.race([
    until(() => worker.log().includes('"ready"')),
    worker.ended.then(({ text }) => Promise.reject(new Error(text))),
  ]);
  return worker;
}

/** The time from the first call to the end of a run, without starting processes. */
function tookSeconds(text: string): number {
  const [, seconds = "", unit = ""] = /took ([\d.]+) (s|min|ms)/.exec(text) ?? [];
  return Number(seconds) * (unit === "min" ? 60 : unit === "ms" ? 0.001 : 1);
}

/** Throughput of 1, 2 and 4 workers against a model that takes 50 ms, and what the queue adds to a conversation. */
async function benchThroughput(server: PostgresServer, folder: string): Promise<void> {
  const model = await serve(DELAY);
  const environment = { OPENAI_BASE_URL: `${model.origin}/v1`, OPENAI_API_KEY: "sk-bench" };
  let first = 0;
  for (const count of [1, 2, 4]) {
    const url = server.url(`bench_${count}`);
    const workers = await Promise.all(
      Array.from({ length: count }, () => startWorker(url, folder, { environment })),
    );
    const rows = PLACES * count * 4;
    writeFileSync(join(folder, "chain.yaml"), scenarioFile(rows, TURNS));
    const words = [
      "run",
      "chain.yaml",
      "--subject",
      "openai/m",
      "--allow-unread",
      "--name",
      "r",
      "--workers",
      url,
    ];
    const { text } = await start(words, folder, environment).ended;
    const seconds = tookSeconds(text);
    const turns = (rows * TURNS) / seconds;
    const ideal = (PLACES * count * 1000) / DELAY;
    if (count === 1) first = turns;
    report(
      `${count} worker${count === 1 ? "" : "s"}: turns/s, of the ideal, against one`,
      `${shown(turns, "/s")}, ${((100 * turns) / ideal).toFixed(0)} %, ×${(turns / first).toFixed(2)}`,
    );
    for (const { child } of workers) child.kill("SIGTERM");
    await Promise.all(workers.map(({ ended }) => ended));
  }
  model.stop();
  const rows = 1000;
  writeFileSync(join(folder, "short.yaml"), scenarioFile(rows, 1));
  const words = [
    "run",
    "short.yaml",
    "--subject",
    "sim/steadfast",
    "--allow-unread",
    "--concurrency",
    String(PLACES),
  ];
  const url = server.url("bench_short");
  const worker = await startWorker(url, folder, {});
  const before = cpuOf(worker.child.pid);
  await start([...words, "--workers", url], folder).ended;
  const overhead = (cpuOf(worker.child.pid) - before) / rows;
  worker.child.kill("SIGTERM");
  await worker.ended;
  report("CPU of a worker for a conversation of one turn", shown(overhead, "ms"), {
    text: "≤ 5 ms",
    met: overhead <= 5,
  });
}

/** CPU time of a process so far, in milliseconds, where the system tells: other programs on the machine do not count. */
function cpuOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

interface SeenCall {
  readonly key: string;
  readonly worker: string;
  answeredAt: number | undefined;
}

/** A server that answers after a while, and remembers who asked what. */
async function countingServer(): Promise<{
  readonly origin: string;
  readonly calls: SeenCall[];
  close(): void;
}> {
  const calls: SeenCall[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      const found = [...body.matchAll(/r\d+: question \d+\?/g)].map(([text]) => text);
      const call: SeenCall = {
        key: found.at(-1) ?? "",
        worker: request.headers.authorization ?? "",
        answeredAt: undefined,
      };
      calls.push(call);
      setTimeout(() => {
        if (response.destroyed) return;
        call.answeredAt = performance.now();
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(ANSWER));
      }, DELAY);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const ANSWER = {
  id: "1",
  object: "response",
  created_at: 0,
  status: "completed",
  error: null,
  incomplete_details: null,
  model: "m",
  output: [
    {
      type: "message",
      id: "1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Yes.", annotations: [] }],
    },
  ],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
};

/** The conversations that a worker has in hand: those whose latest call it has made, unless that was the last one and is long over. */
function inHand(calls: readonly SeenCall[], key: string): number {
  const latest = new Map<string, SeenCall>();
  for (const call of calls) latest.set(call.key.split(":")[0] ?? "", call);
  const isOver = ({ key: question, answeredAt = Number.POSITIVE_INFINITY }: SeenCall): boolean =>
    question.endsWith(` ${TURNS - 1}?`) && answeredAt < performance.now() - 2000;
  return [...latest.values()].filter((call) => call.worker === `Bearer ${key}` && !isOver(call)).length;
}

/** Calls that were finished according to the journal, and finished once more. */
async function finishedTwice(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`SELECT count(*) AS repeated FROM (SELECT 1 FROM chaos.event
    WHERE type = 13 AND data LIKE '%"cached":false%' AND data NOT LIKE '%"failure":%'
    GROUP BY conversation, turn HAVING count(*) > 1) AS twice`);
  await client.end();
  return Number(rows[0]?.repeated);
}

/** Four workers; one is killed every two seconds and started again, the server is restarted once, connections are cut. */
async function benchChaos(server: PostgresServer, folder: string): Promise<void> {
  const model = await countingServer();
  const url = server.url("chaos");
  writeFileSync(join(folder, "chaos.yaml"), scenarioFile(CHAOS, TURNS));
  let number = 0;
  const begin = (): Promise<Command & { readonly key: string }> => {
    const key = `sk-worker-${number++}`;
    const environment = { OPENAI_BASE_URL: `${model.origin}/v1`, OPENAI_API_KEY: key };
    return startWorker(url, folder, { environment, more: ["--lease", "5s"] }).then((worker) => ({
      ...worker,
      key,
    }));
  };
  const workers = await Promise.all([begin(), begin(), begin(), begin()]);
  const gone: Command[] = [];
  let inFlight = 0;
  const environment = { OPENAI_BASE_URL: `${model.origin}/v1` };
  const budget = CHAOS * TURNS * 2;
  const words = [
    "run",
    "chaos.yaml",
    "--subject",
    "openai/m",
    "--allow-unread",
    "--name",
    "c",
    "--budget",
    `${budget} calls`,
    "--workers",
    url,
  ];
  const begun = performance.now();
  const run = start(words, folder, environment);
  let isOver = false;
  void run.ended.then(() => {
    isOver = true;
  });
  let kills = 0;
  for (let round = 1; !isOver; round++) {
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 2000)), run.ended]);
    if (isOver || model.calls.length === 0) continue;
    const place = Math.floor(Math.random() * workers.length);
    const victim = workers[place];
    if (victim !== undefined) {
      inFlight += inHand(model.calls, victim.key);
      victim.child.kill("SIGKILL");
      gone.push(victim);
      kills++;
      workers[place] = await begin();
    }
    if (round === 3) {
      await server.stop();
      await server.start();
    }
    if (round === 5) {
      const client = new pg.Client({ connectionString: server.url() });
      await client.connect();
      await client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'postgres'",
      );
      await client.end();
    }
  }
  const { code, text } = await run.ended;
  const seconds = (performance.now() - begun) / 1000;
  // A worker that was fenced though nobody killed it has lost its calls in flight, too.
  const lost = [...workers, ...gone].reduce(
    (sum, one) => sum + (one.log().match(/"event":"lost"/g)?.length ?? 0),
    0,
  );
  for (const { child } of workers) child.kill("SIGTERM");
  await Promise.all(workers.map(({ ended }) => ended));
  const twice = await finishedTwice(server.url());
  const keys = new Set(model.calls.map(({ key }) => key));
  const repeated = model.calls.length - keys.size;
  const done = new RegExp(
    `${CHAOS.toLocaleString("en")} of ${CHAOS.toLocaleString("en")} conversations`,
  ).test(text);
  report(`${CHAOS} conversations × ${TURNS} turns, kills, seconds`, `${kills}, ${seconds.toFixed(0)} s`);
  report(
    "conversations lost",
    done && code === 0 && keys.size === CHAOS * TURNS ? "0" : `code ${code}: ${text.slice(-300)}`,
    { text: "0", met: done && keys.size === CHAOS * TURNS },
  );
  report("finished calls made again", String(twice), { text: "0", met: twice === 0 });
  const allowed = inFlight + lost * PLACES;
  report("calls repeated, in flight when workers were lost", `${repeated}, ${allowed}`, {
    text: "≤",
    met: repeated <= allowed,
  });
  report("calls made, budget", `${model.calls.length}, ${budget}`, {
    text: "≤",
    met: model.calls.length <= budget,
  });
  model.close();
}

/** Runs on workers: throughput, what the queue costs, and what is lost when everything goes wrong. */
export async function benchWorkers(): Promise<void> {
  console.log("Workers on PostgreSQL");
  const server = await startPostgres({ fsync: true });
  const folder = mkdtempSync(join(tmpdir(), "elenchus-bench-workers-"));
  try {
    await benchThroughput(server, folder);
    await benchChaos(server, folder);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
