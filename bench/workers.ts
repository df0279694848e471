import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "../test/postgres-server.ts";
import { report, shown } from "./measure.ts";
import { serve } from "./served.ts";
import { askServer, benchChaos } from "./worker-chaos.ts";
import { PLACES, scenarioFile, start, startWorker } from "./worker-processes.ts";

const TURNS = 5;
const DELAY = 50;
/** Conversations of one turn, and how often they are held. */
const ROWS = 200;
const ROUNDS = 3;

/** The time from the first call to the end of a run, without starting processes. */
function tookSeconds(text: string): number {
  const [, seconds = "", unit = ""] = /took ([\d.]+) (s|min|ms)/.exec(text) ?? [];
  return Number(seconds) * (unit === "min" ? 60 : unit === "ms" ? 0.001 : 1);
}

/** Throughput of 1, 2 and 4 workers against a model that takes 50 ms. */
async function benchThroughput(server: PostgresServer, folder: string): Promise<void> {
  const model = await serve(DELAY);
  const environment = { OPENAI_BASE_URL: `${model.origin}/v1`, OPENAI_API_KEY: "sk-bench" };
  let first = 0;
  for (const count of [1, 2, 4]) {
    const url = server.url(`bench_${count}`);
    const workers = await Promise.all(
      Array.from({ length: count }, () => startWorker(url, folder, { environment })),
    );
    const rows = PLACES * count * 3;
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
}

/**
 * What the queue adds to a conversation of one turn: one conversation at a time, with an instant model, on a worker and in one
 * process with the same store. So nothing waits for anything else, and the difference is what a conversation waits longer.
 */
async function benchOverhead(server: PostgresServer, folder: string): Promise<void> {
  writeFileSync(join(folder, "short.yaml"), scenarioFile(ROWS, 1));
  const words = ["run", "short.yaml", "--subject", "sim/steadfast", "--allow-unread", "--concurrency", "1"];
  const url = server.url("bench_short");
  const worker = await startWorker(url, folder, { concurrency: 1 });
  const onWorkers: number[] = [];
  const inProcess: number[] = [];
  const before = cpuOf(worker.child.pid);
  for (let round = 0; round < ROUNDS; round++) {
    const fresh = [...words, "--fresh", "--quiet", "--name"];
    await start([...fresh, `w${round}`, "--workers", url], folder).ended;
    await start([...fresh, `d${round}`, "--store", url], folder).ended;
    onWorkers.push(await perConversation(server, `w${round}`));
    inProcess.push(await perConversation(server, `d${round}`));
  }
  const cpu = (cpuOf(worker.child.pid) - before) / ROWS / ROUNDS;
  worker.child.kill("SIGTERM");
  await worker.ended;
  const [there, here] = [Math.min(...onWorkers), Math.min(...inProcess)];
  report("one conversation after the other, on a worker", shown(there, "ms"));
  report("  in one process, with the same store", shown(here, "ms"));
  report("  so the queue adds to a conversation", shown(there - here, "ms"), {
    text: "≤ 5 ms",
    met: there - here <= 5,
  });
  report("  CPU of the worker for a conversation", shown(cpu, "ms"));
}

/** The time from the end of a conversation to the end of the next one, in the middle of a run. */
async function perConversation(server: PostgresServer, run: string): Promise<number> {
  const rows = await askServer(
    server,
    `SELECT (data::jsonb ->> 'at')::float8 AS ended_at FROM bench_short.event JOIN bench_short.run ON run.id = event.run
     WHERE run.name = $1 AND data LIKE '%"type":"conversation-end"%' ORDER BY 1`,
    [run],
  );
  const times = rows.map(({ ended_at }) => Number(ended_at)).slice(ROWS / 4);
  return ((times.at(-1) ?? 0) - (times[0] ?? 0)) / (times.length - 1);
}

/** CPU time of a process so far, in milliseconds, where the system tells: other programs on the machine do not count. */
function cpuOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Runs on workers: throughput, what the queue costs, and what is lost when everything goes wrong. */
export async function benchWorkers(): Promise<void> {
  console.log("Workers on PostgreSQL");
  const server = await startPostgres({ fsync: true });
  const folder = mkdtempSync(join(tmpdir(), "elenchus-bench-workers-"));
  try {
    await benchThroughput(server, folder);
    await benchOverhead(server, folder);
    await benchChaos(server, folder);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
