import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sharedPostgres } from "../postgres-server.ts";
import { elenchusHere, ended, folderWith, start } from "./cli.ts";
import { patientServer } from "./patient-server.ts";
import { CALLS, capitalsProject, RUN_CAPITALS } from "./same-results.ts";

const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;
if (!hasRedis) console.log("There is no redis-server here, so the queue on Redis is not tested.");

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A Redis server that keeps nothing, which goes when the test is over. */
async function startRedis(): Promise<string> {
  const port = await freePort();
  const flags = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--appendonly",
    "no",
    "--requirepass",
    "queue-secret",
  ];
  const child: ChildProcess = spawn("redis-server", flags, { cwd: folderWith() });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const piece of child.stdout ?? [])
    if (String(piece).includes("Ready to accept connections")) break;
  return `redis://:queue-secret@127.0.0.1:${port}`;
}

test.skipIf(!hasRedis)("a queue on Redis, with the journal on PostgreSQL, gives the same table", async () => {
  const [store, queue] = [await sharedPostgres(), await startRedis()];
  const server = await patientServer();
  server.open();
  const where = capitalsProject(server);
  const whole = await elenchusHere([...RUN_CAPITALS, "--name", "r"], where);
  const folder = folderWith();
  const worker = start(["worker", queue, "--store", store, "--json"], {
    folder,
    environment: server.environment,
  });
  const end = ended(worker);
  const run = await elenchusHere(
    [...RUN_CAPITALS, "--name", "r", "--workers", queue, "--store", store],
    where,
  );
  expect([run.code, run.stdout]).toEqual([0, whole.stdout]);
  expect(server.calls).toHaveLength(2 * CALLS);
  worker.kill("SIGTERM");
  expect((await end).code).toBe(0);
  const wrong = queue.replace("queue-secret", "not-the-secret");
  const refused = await elenchusHere(["worker", wrong, "--store", store], { folder });
  expect([refused.code, `${refused.stdout}${refused.stderr}`.includes("not-the-secret")]).toEqual([2, false]);
  expect(refused.stderr).toContain("The queue cannot be used");
});
