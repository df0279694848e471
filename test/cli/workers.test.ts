import type { ChildProcess } from "node:child_process";
import { describe, expect, test } from "vitest";
import { sharedPostgres } from "../postgres-server.ts";
import { capitalFiles } from "./capitals.ts";
import { type Ended, elenchus, ended, folderWith, type Given, start } from "./cli.ts";
import { type PatientServer, patientServer } from "./patient-server.ts";
import {
  CALLS,
  CONVERSATIONS,
  capitalsProject,
  RUN_CAPITALS,
  timesAnswered,
  undisturbedOutcomes,
} from "./same-results.ts";

/** A worker that has been started. */
interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when its log has a line of an event. */
  until(event: string): Promise<void>;
  /** Its log so far. */
  readonly log: () => string;
}

/** Starts a worker that takes jobs, in a folder of its own. */
async function worker(
  store: string,
  given: Pick<Given, "environment">,
  more: readonly string[] = [],
): Promise<Started> {
  const child = start(["worker", store, "--json", ...more], {
    folder: folderWith(),
    ...given,
  });
  let log = "";
  const watchers = new Set<() => void>();
  const end = ended(child);
  let isOver = false;
  child.stdout?.on("data", (text: string) => {
    log += text;
    for (const watch of [...watchers]) watch();
  });
  child.on("close", () => {
    isOver = true;
    for (const watch of [...watchers]) watch();
  });
  const until = (event: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const watch = (): void => {
        if (log.includes(`"event":"${event}"`)) resolve();
        else if (isOver)
          end.then((last) => reject(new Error(`It ended without ${event}: ${JSON.stringify(last)}`)));
        else return;
        watchers.delete(watch);
      };
      watchers.add(watch);
      watch();
    });
  await until("ready");
  return { child, ended: end, until, log: () => log };
}

const ON_WORKERS = (store: string): readonly string[] => [...RUN_CAPITALS, "--name", "r", "--workers", store];

async function inOneProcess(server: PatientServer): Promise<Ended> {
  server.open();
  return elenchus([...RUN_CAPITALS, "--name", "r"], capitalsProject(server));
}

/** How many calls were made that had been made before. */
function repeated({ calls }: PatientServer): number {
  return calls.length - new Set(calls.map(({ key }) => key)).size;
}

/** Many processes start, on a machine that may be busy. */
const PATIENTLY = { timeout: 120_000 };

describe("a run on workers", PATIENTLY, () => {
  test("has the same table as in one process, and asks with keys of the workers only", async () => {
    const store = await sharedPostgres();
    const server = await patientServer();
    const whole = await inOneProcess(server);
    const workers = await Promise.all([1, 2, 3, 4].map(() => worker(store, server)));
    const { OPENAI_API_KEY: _key, ...environment } = server.environment;
    const where = { ...capitalsProject(server), environment };
    const { code, stdout, stderr } = await elenchus(ON_WORKERS(store), where);
    expect([code, stdout]).toEqual([0, whole.stdout]);
    expect(stderr).toMatch(/12 of 12 conversations, /);
    expect(server.calls).toHaveLength(2 * CALLS);
    const listed = await elenchus(["workers", store], where);
    expect(listed.stdout.trim().split("\n")).toHaveLength(5);
    for (const { child } of workers) child.kill("SIGTERM");
    const ends = await Promise.all(workers.map((one) => one.ended));
    expect(ends.map((end) => end.code)).toEqual([0, 0, 0, 0]);
    expect((await elenchus(["workers", store], where)).stdout).toContain("No worker is alive.");
  });

  test("loses nothing but calls in flight when workers are killed, and when one sleeps through its lease", async () => {
    const store = await sharedPostgres();
    const server = await patientServer();
    const lease = ["--lease", "4s"];
    const [killed, sleeper] = await Promise.all([worker(store, server, lease), worker(store, server, lease)]);
    const where = capitalsProject(server);
    const run = elenchus(ON_WORKERS(store), where);
    for (const answers of [12, 5]) {
      await server.until((one) => one.waiting() >= CONVERSATIONS);
      server.answer(answers);
    }
    await server.until((one) => one.waiting() >= CONVERSATIONS);
    killed?.child.kill("SIGKILL");
    // It holds its conversations, and answers come, but it does not take them in before others have gone on.
    sleeper?.child.kill("SIGSTOP");
    const third = await worker(store, server, lease);
    server.open();
    const { code, stderr } = await run;
    expect([code, stderr]).toEqual([0, expect.stringMatching(/12 of 12 conversations, /)]);
    sleeper?.child.kill("SIGCONT");
    await sleeper?.until("lost");
    expect(third.log()).toContain('"event":"take-over"');
    // Each time a conversation was taken over, at most its call in flight was made again.
    const takeovers = [killed, sleeper, third].flatMap((one) => one?.log().match(/"take-over"/g) ?? []);
    expect(repeated(server)).toBeLessThanOrEqual(takeovers.length);
    const shown = await elenchus(
      ["export", "r", "--format", "json", "--table", "outcomes", "--store", store],
      where,
    );
    const withoutRun = (rows: readonly unknown[]): readonly unknown[] =>
      rows.map((row) => ({ ...(row as object), run: "", conversation: "" }));
    expect(withoutRun(JSON.parse(shown.stdout) as readonly unknown[])).toEqual(
      withoutRun(await undisturbedOutcomes(server)),
    );
  });

  test("keeps one budget for all workers, to the call", async () => {
    const store = await sharedPostgres();
    const server = await patientServer();
    server.open();
    await Promise.all([worker(store, server), worker(store, server)]);
    const { code, stderr } = await elenchus(
      [...ON_WORKERS(store), "--budget", "17 calls"],
      capitalsProject(server),
    );
    expect([code, server.calls.length]).toEqual([0, 17]);
    expect(stderr).toContain("The budget is spent");
  });

  test("stops on all workers, and is resumed; a worker that is drained hands its conversations back", async () => {
    const store = await sharedPostgres();
    const server = await patientServer();
    const first = await worker(store, server);
    const where = capitalsProject(server);
    const run = elenchus(ON_WORKERS(store), where);
    await server.until((one) => one.waiting() === CONVERSATIONS);
    const stopped = await elenchus(["stop", "r", "--store", store], where);
    expect([stopped.code, stopped.stdout]).toEqual([0, expect.stringContaining("elenchus resume r")]);
    // The worker looks every two seconds, and ends conversations when their calls are answered.
    await first.until("run-stopped");
    server.answer();
    expect((await run).stderr).toContain("Resume with: elenchus resume r");
    expect(server.calls).toHaveLength(CONVERSATIONS);
    const resumed = elenchus(["resume", "r", "--workers", store], where);
    await server.until((one) => one.waiting() === CONVERSATIONS);
    first.child.kill("SIGTERM");
    await first.until("draining");
    server.answer();
    expect((await first.ended).code).toBe(0);
    await worker(store, server);
    server.open();
    expect([(await resumed).code, (await resumed).stderr]).toEqual([
      0,
      expect.stringMatching(/12 of 12 conversations/),
    ]);
    // Nothing was cut off, so that every call was made once.
    expect([server.calls.length, timesAnswered(server).every((times) => times === 1)]).toEqual([CALLS, true]);
  });

  test("goes on without the process that began it", async () => {
    const store = await sharedPostgres();
    const server = await patientServer();
    await worker(store, server);
    const where = capitalsProject(server);
    const child = start(ON_WORKERS(store), where);
    const end = ended(child);
    await server.until((one) => one.waiting() === CONVERSATIONS);
    child.kill("SIGKILL");
    await end;
    server.open();
    const { code, stdout } = await elenchus(["resume", "r", "--workers", store], where);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\n {2}total +12 +44 /)]);
    expect(server.calls).toHaveLength(CALLS);
  });
});

describe("what workers cannot do is said in a sentence:", PATIENTLY, () => {
  test("a scenario with functions, and a function as subject", async () => {
    const store = await sharedPostgres();
    const folder = folderWith({
      "a.ts": `import { appendFileSync } from "node:fs";
import { END, question, Scenario } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
export const scenario = new Scenario("with-code")
  .addNode("ask", { question: question({ question: "Well?", rawAnswer: "Yes" }), stateUpdate: () => { appendFileSync("x", "y"); return {}; } })
  .addEdge("ask", END).setEntry("ask");
`,
    });
    const { code, stderr } = await elenchus(
      ["run", "a.ts", "--subject", "sim/steadfast", "--workers", store],
      { folder },
    );
    expect(code).toBe(2);
    expect(stderr).toContain("Workers get data, and this run has code.");
    expect(stderr).toContain('In scenario "with-code", nodes.ask.stateUpdate');
  });

  test("a worker without the key", async () => {
    const store = await sharedPostgres();
    const server = await patientServer();
    const keyless = await worker(store, {});
    const where = { folder: folderWith(capitalFiles(1)), environment: server.environment };
    const run = start([...ON_WORKERS(store)], where);
    const end = ended(run);
    await keyless.until("run-refused");
    expect(keyless.log()).toContain("OPENAI_API_KEY");
    server.open();
    await worker(store, server);
    expect((await end).code).toBe(0);
  });

  test("a server that is not there, a wrong password, which is never printed, and an address of something else", async () => {
    const store = await sharedPostgres();
    const wrong = store.replace(/:[^:@/]+@/, ":not-the-secret@");
    const folder = folderWith(capitalFiles(1));
    for (const words of [["worker", wrong], ["workers", wrong], [...ON_WORKERS(wrong)]]) {
      const { code, stdout, stderr } = await elenchus(words, {
        folder,
        environment: { OPENAI_API_KEY: "sk-test" },
      });
      expect([code, `${stdout}${stderr}`.includes("not-the-secret")]).toEqual([2, false]);
      expect(stderr).toContain("its server refuses this role, password or database");
    }
    const away = await elenchus(["worker", "postgres://u:not-the-secret@127.0.0.1:1/x"], { folder });
    expect([away.code, away.stderr]).toEqual([2, expect.stringContaining("its server does not answer")]);
    expect(away.stderr).not.toContain("not-the-secret");
    const other = await elenchus(["worker", "mysql://x"], { folder });
    expect(other.stderr).toContain("Workers need the address of a server: postgres://");
    const redis = await elenchus(["worker", "redis://127.0.0.1:1"], { folder });
    expect(redis.stderr).toContain("Name it: --store postgres://…");
  });
});
