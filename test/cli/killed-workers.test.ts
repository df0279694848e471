import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { type PostgresServer, startPostgres } from "../postgres-server.ts";
import { elenchus, elenchusHere, type Given } from "./cli.ts";
import { type PatientCall, type PatientServer, patientServer } from "./patient-server.ts";
import { CONVERSATIONS, capitalsProject, RUN_CAPITALS, undisturbedOutcomes } from "./same-results.ts";
import { type StartedWorker, startWorker } from "./started-worker.ts";

const LEASE = { more: ["--lease", "4s"] };
const BUDGET = 9;
/** The subject of a second run, which has a budget: its calls are told apart by it. */
const THRIFTY = "gpt-5";

/** The calls of the run that is looked at. */
const ofRun = ({ calls }: PatientServer): readonly PatientCall[] =>
  calls.filter(({ key }) => !key.startsWith(`["${THRIFTY}"`));

const waitingOf = (server: PatientServer): readonly string[] =>
  ofRun(server).flatMap(({ key, state }) => (state === "waiting" ? [key] : []));

/** Cuts all connections, as a network that fails does. */
async function cutConnections(postgres: PostgresServer): Promise<void> {
  const client = new Client(postgres.url());
  await client.connect();
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'postgres'",
  );
  await client.end();
}

async function outcomesOf(store: string, where: Given): Promise<readonly unknown[]> {
  const words = ["export", "r", "--format", "json", "--table", "outcomes", "--store", store];
  const rows = JSON.parse((await elenchusHere(words, where)).stdout) as readonly Readonly<
    Record<string, unknown>
  >[];
  return rows.map(({ run: _run, conversation: _conversation, ...row }) => row);
}

test("workers that are killed or sleep, a server that restarts and connections that are cut lose nothing but calls in flight", {
  timeout: 180_000,
}, async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.close());
  const store = postgres.url("chaos");
  const server = await patientServer();
  const where = capitalsProject(server);
  const [killed, sleeper, third] = (await Promise.all(
    [1, 2, 3].map(() => startWorker(store, server, LEASE)),
  )) as [StartedWorker, StartedWorker, StartedWorker];
  const onWorkers = ["--workers", store];
  const run = elenchus([...RUN_CAPITALS, "--name", "r", ...onWorkers], where);
  const budget = ["--name", "b", "--budget", `${BUDGET} calls`];
  const thrifty = elenchus(
    ["run", "capitals", "--subject", `openai/${THRIFTY}`, ...budget, ...onWorkers],
    where,
  );

  /** How often each call was in flight when something went wrong: so often it may be made again. */
  const allowed = new Map<string, number>();
  /** Waits until all conversations wait for an answer, so that all earlier answers are kept, and does something to them. */
  const disturb = async (harm: () => unknown, answers: number): Promise<void> => {
    await server.until((one) => new Set(waitingOf(one)).size >= CONVERSATIONS);
    for (const key of new Set(waitingOf(server))) allowed.set(key, (allowed.get(key) ?? 0) + 1);
    await harm();
    server.answer(answers);
  };
  await disturb(() => {}, server.waiting());
  await disturb(async () => {
    await postgres.stop();
    await postgres.start();
  }, 5);
  await disturb(() => cutConnections(postgres), 5);
  await disturb(() => {
    killed.child.kill("SIGKILL");
    // It holds its conversations, and answers come, but it does not take them in before others have gone on.
    sleeper.child.kill("SIGSTOP");
  }, 0);
  server.open();
  const { code, stderr } = await run;
  expect([code, stderr]).toEqual([0, expect.stringMatching(/12 of 12 conversations, /)]);
  sleeper.child.kill("SIGCONT");
  await sleeper.until("lost");
  expect(third.has("take-over")).toBe(true);
  const made = new Map<string, number>();
  for (const { key } of ofRun(server)) made.set(key, (made.get(key) ?? 0) + 1);
  const tooOften = [...made].filter(([key, times]) => times > 1 + (allowed.get(key) ?? 0));
  expect(tooOften).toEqual([]);
  expect(await outcomesOf(store, where)).toEqual(await undisturbedOutcomes(server));
  // Calls in flight that were lost count as made, so that there are never more than the budget allows.
  expect((await thrifty).stderr).toContain("The budget is spent");
  expect(server.calls.length - ofRun(server).length).toBeLessThanOrEqual(BUDGET);
});
