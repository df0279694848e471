import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import pg from "pg";
import type { PostgresServer } from "../test/postgres-server.ts";
import { report } from "./measure.ts";
import { type Command, scenarioFile, start, startWorker } from "./worker-processes.ts";

const TURNS = 5;
const DELAY = 50;
const KILL_EVERY_MS = 2000;

/** How large the chaos is; the environment makes it smaller for a try. */
const CONVERSATIONS = Number(process.env.CHAOS_CONVERSATIONS ?? 2000);
/** A second run has half of what it would take. */
const THRIFTY = Math.ceil(CONVERSATIONS / 10);
const BUDGET = Math.ceil((THRIFTY * TURNS) / 2);

interface SeenCall {
  /** The row and the question. */
  readonly key: string;
  /** The key of the worker that asked. */
  readonly worker: string;
  isAnswered: boolean;
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
      const found = [...body.matchAll(/[rb]\d+: question \d+\?/g)].map(([text]) => text);
      const { authorization = "" } = request.headers;
      const call = {
        key: found.at(-1) ?? "",
        worker: authorization.slice("Bearer ".length),
        isAnswered: false,
      };
      calls.push(call);
      setTimeout(() => {
        if (response.destroyed) return;
        call.isAnswered = true;
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

/** Asks the server as an administrator, on a connection of its own. */
export async function askServer(
  server: PostgresServer,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: server.url() });
  // The server may cut it while it ends.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql, values as unknown[])).rows as readonly Readonly<
      Record<string, unknown>
    >[];
  } finally {
    await client.end();
  }
}

/** The calls among some that the journal has answers of. */
async function stored(server: PostgresServer, calls: readonly SeenCall[]): Promise<ReadonlySet<string>> {
  const starts = await askServer(
    server,
    `SELECT conversation, data::jsonb #>> '{cell,row}' AS row FROM chaos.event WHERE data LIKE '%"type":"conversation-start"%'`,
  );
  const rows = new Set(calls.map(({ key }) => key.split(":")[0]));
  const rowOf = new Map(
    starts.filter(({ row }) => rows.has(String(row))).map((one) => [one.conversation, one.row]),
  );
  const ends = await askServer(
    server,
    `SELECT conversation, (data::jsonb ->> 'turn')::int AS turn FROM chaos.event WHERE conversation = ANY($1)
       AND data LIKE '%"type":"call-end"%' AND data NOT LIKE '%"failure":%'`,
    [[...rowOf.keys()]],
  );
  return new Set(
    ends.map(({ conversation, turn }) => `${rowOf.get(conversation)}: question ${Number(turn) - 1}?`),
  );
}

/** Calls that were finished according to the journal, and finished once more. */
async function finishedTwice(server: PostgresServer): Promise<number> {
  const [row] = await askServer(
    server,
    `SELECT count(*) AS repeated FROM (SELECT 1 FROM chaos.event
     WHERE data LIKE '%"type":"call-end"%' AND data LIKE '%"cached":false%' AND data NOT LIKE '%"failure":%'
     GROUP BY conversation, data::jsonb ->> 'turn' HAVING count(*) > 1) AS twice`,
  );
  return Number(row?.repeated);
}

interface ChaosWorker extends Command {
  readonly key: string;
}

/** Four workers; one is killed every two seconds and started again, the server is restarted once, connections are cut. */
export async function benchChaos(server: PostgresServer, folder: string): Promise<void> {
  const model = await countingServer();
  const url = server.url("chaos");
  writeFileSync(join(folder, "chaos.yaml"), scenarioFile(CONVERSATIONS, TURNS));
  writeFileSync(join(folder, "thrifty.yaml"), scenarioFile(THRIFTY, TURNS, "b"));
  let number = 0;
  const begin = async (): Promise<ChaosWorker> => {
    const key = `sk-worker-${number++}`;
    const environment = { OPENAI_BASE_URL: `${model.origin}/v1`, OPENAI_API_KEY: key };
    return { ...(await startWorker(url, folder, { environment, more: ["--lease", "5s"] })), key };
  };
  const workers = await Promise.all([begin(), begin(), begin(), begin()]);
  const all = [...workers];
  const run = (file: string, ...more: readonly string[]): Command =>
    start(
      ["run", file, "--subject", "openai/m", "--allow-unread", "--quiet", "--workers", url, ...more],
      folder,
      { OPENAI_BASE_URL: `${model.origin}/v1` },
    );
  const begun = performance.now();
  const runs = [
    run("chaos.yaml", "--name", "r"),
    run("thrifty.yaml", "--name", "b", "--budget", `${BUDGET} calls`),
  ];
  let isOver = false;
  const over = Promise.all(runs.map(({ ended }) => ended)).then((ends) => {
    isOver = true;
    return ends;
  });
  /** How often each call was lost with the worker that made it: not answered, or the answer not in the journal. */
  const inFlight = new Map<string, number>();
  const lose = async ({ key: worker }: ChaosWorker): Promise<void> => {
    const made = model.calls.filter((call) => call.worker === worker);
    const kept = await stored(server, made);
    const lost = new Set(
      made.filter(({ key, isAnswered }) => !isAnswered || !kept.has(key)).map(({ key }) => key),
    );
    for (const key of lost) inFlight.set(key, (inFlight.get(key) ?? 0) + 1);
  };
  let kills = 0;
  for (let round = 1; !isOver; round++) {
    await Promise.race([new Promise((resolve) => setTimeout(resolve, KILL_EVERY_MS)), over]);
    if (isOver || model.calls.length === 0) continue;
    const place = Math.floor(Math.random() * workers.length);
    const victim = workers[place] as ChaosWorker;
    victim.child.kill("SIGKILL");
    await victim.ended;
    await lose(victim);
    kills++;
    const next = await begin();
    workers[place] = next;
    all.push(next);
    if (round === 3) {
      await server.stop();
      await server.start();
    }
    if (round === 5)
      await askServer(
        server,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'postgres'",
      );
  }
  const ends = await over;
  const seconds = (performance.now() - begun) / 1000;
  // A worker that has lost its place without a kill has lost its calls in flight, too: at most one for each conversation.
  const fenced = all.filter((one) => one.log().includes('"event":"lost"')).length;
  for (const { child } of workers) child.kill("SIGTERM");
  await Promise.all(workers.map(({ ended }) => ended));

  const statuses = await askServer(
    server,
    `SELECT name, status, count(*) AS count FROM (
       SELECT DISTINCT ON (event.run, conversation) run.name, data::jsonb ->> 'status' AS status
       FROM chaos.event JOIN chaos.run ON run.id = event.run WHERE data LIKE '%"type":"conversation-end"%'
       ORDER BY event.run, conversation, event.id DESC) AS ended GROUP BY 1, 2`,
  );
  const count = (name: string, status: string): number =>
    Number(statuses.find((row) => row.name === name && row.status === status)?.count ?? 0);
  const made = new Map<string, number>();
  for (const { key } of model.calls) made.set(key, (made.get(key) ?? 0) + 1);
  const repeated = model.calls.length - made.size;
  const allowed = [...inFlight.values()].reduce((sum, times) => sum + times, 0);
  const unexplained = [...made].reduce(
    (sum, [key, times]) => sum + Math.max(0, times - 1 - (inFlight.get(key) ?? 0)),
    0,
  );
  const spent = model.calls.filter(({ key }) => key.startsWith("b")).length;
  const lost = CONVERSATIONS - count("r", "completed");
  report(
    `${CONVERSATIONS} conversations × ${TURNS} turns, kills, seconds`,
    `${kills}, ${seconds.toFixed(0)} s`,
  );
  report("conversations lost", String(lost), {
    text: "0",
    met: lost === 0 && ends.every(({ code }) => code === 0),
  });
  const twice = await finishedTwice(server);
  report("finished calls made again", String(twice), { text: "0", met: twice === 0 });
  report("calls made again, in flight at kills", `${repeated}, ${allowed}`, {
    text: "≤",
    met: repeated <= allowed,
  });
  report("calls made again that were not in flight", String(unexplained), {
    text: fenced === 0 ? "0" : `0 (${fenced} workers slept through their lease)`,
    met: unexplained === 0,
  });
  report("calls of a run with a budget, budget", `${spent}, ${BUDGET}`, {
    text: "≤, and all of it spent",
    met: spent <= BUDGET && count("b", "budget_exhausted") > 0,
  });
  if (ends.some(({ code }) => code !== 0)) console.log(ends.map(({ text }) => text.slice(-500)).join("\n"));
  model.close();
}
