import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedPostgres } from "../postgres-server.ts";
import { capitalFiles } from "./capitals.ts";
import { type CleanUp, elenchus, elenchusHere, ended, folderWith, start } from "./cli.ts";
import { type PatientServer, patientServer } from "./patient-server.ts";
import { CALLS, CONVERSATIONS, capitalsProject, RUN_CAPITALS, timesAnswered } from "./same-results.ts";
import { type StartedWorker, startWorker } from "./started-worker.ts";

describe("a run on four workers", () => {
  const over: Parameters<CleanUp>[0][] = [];
  let store: string;
  let server: PatientServer;
  let workers: readonly StartedWorker[];

  beforeAll(async () => {
    const cleanUp: CleanUp = (action) => over.push(action);
    store = await sharedPostgres();
    server = await patientServer(undefined, cleanUp);
    workers = await Promise.all([1, 2, 3, 4].map(() => startWorker(store, server, { cleanUp })));
  });
  afterAll(async () => {
    for (const action of over.reverse()) await action();
  });

  /** The runs do not take replies from each other. */
  const onWorkers = (run: string): readonly string[] => [
    ...[...RUN_CAPITALS, "--fresh", "--name", run],
    ...["--workers", store],
  ];
  /** Calls since a test began. */
  const callsAfter = (earlier: number): PatientServer["calls"] => server.calls.slice(earlier);

  test("has the same table as in one process, and asks with keys of the workers only", async () => {
    server.open();
    const whole = await elenchusHere([...RUN_CAPITALS, "--name", "same"], capitalsProject(server));
    expect(whole.code).toBe(0);
    const { OPENAI_API_KEY: _key, ...environment } = server.environment;
    const where = { ...capitalsProject(server), environment };
    const { code, stdout, stderr } = await elenchusHere(onWorkers("same"), where);
    expect([code, stdout]).toEqual([0, whole.stdout]);
    expect(stderr).toMatch(/12 of 12 conversations, /);
    expect(server.calls).toHaveLength(2 * CALLS);
    const listed = await elenchusHere(["workers", store], where);
    expect(listed.stdout.trim().split("\n")).toHaveLength(5);
  });

  test("keeps one budget for all workers, to the call", async () => {
    server.open();
    const before = server.calls.length;
    const words = [...onWorkers("budget"), "--budget", "17 calls"];
    const { code, stderr } = await elenchusHere(words, capitalsProject(server));
    expect([code, callsAfter(before).length]).toEqual([0, 17]);
    expect(stderr).toContain("The budget is spent");
  });

  test("goes on without the process that began it", async () => {
    server.close();
    const before = server.calls.length;
    const where = capitalsProject(server);
    const child = start(onWorkers("orphan"), where);
    const end = ended(child);
    await server.until((one) => one.waiting() === CONVERSATIONS);
    child.kill("SIGKILL");
    await end;
    server.open();
    const { code, stdout } = await elenchusHere(["resume", "orphan", "--workers", store], where);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\n {2}total +12 +44 /)]);
    expect(callsAfter(before)).toHaveLength(CALLS);
  });

  test("stops on all workers, and is resumed; a worker that is drained hands its conversations back", async () => {
    server.close();
    const before = server.calls.length;
    const where = capitalsProject(server);
    const run = elenchusHere(onWorkers("stopped"), where);
    await server.until((one) => one.waiting() === CONVERSATIONS);
    const stopped = await elenchusHere(["stop", "stopped", "--store", store], where);
    expect([stopped.code, stopped.stdout]).toEqual([0, expect.stringContaining("elenchus resume stopped")]);
    // Workers look every two seconds, and end conversations when their calls are answered.
    for (const one of workers) if (one.has("run-open", "stopped")) await one.until("run-stopped", "stopped");
    server.answer();
    expect((await run).stderr).toContain("Resume with: elenchus resume stopped");
    expect(callsAfter(before)).toHaveLength(CONVERSATIONS);
    const resumed = elenchusHere(["resume", "stopped", "--workers", store], where);
    await server.until((one) => one.waiting() === CONVERSATIONS);
    const [first, ...rest] = workers;
    first?.child.kill("SIGTERM");
    await first?.until("draining");
    server.answer();
    expect((await first?.ended)?.code).toBe(0);
    server.open();
    const { code, stderr } = await resumed;
    expect([code, stderr]).toEqual([0, expect.stringMatching(/12 of 12 conversations/)]);
    // Nothing was cut off, so that every call was made once.
    expect(callsAfter(before)).toHaveLength(CALLS);
    expect(timesAnswered({ ...server, calls: callsAfter(before) }).every((times) => times === 1)).toBe(true);
    for (const { child } of rest) child.kill("SIGTERM");
    const ends = await Promise.all(rest.map((one) => one.ended));
    expect(ends.map((end) => end.code)).toEqual([0, 0, 0]);
    expect((await elenchusHere(["workers", store], where)).stdout).toContain("No worker is alive.");
  });
});

/** A scenario with a function, and a project file with a function as subject. */
const CODE = (said: string): Readonly<Record<string, string>> => ({
  "a.ts": `import { appendFileSync } from "node:fs";
import { END, question, Scenario } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
export const scenario = new Scenario("with-code")
  .addNode("ask", { question: question({ question: "Well?", rawAnswer: "Yes" }), stateUpdate: () => { appendFileSync("log.txt", "x"); return {}; } })
  .addEdge("ask", END).setEntry("ask");
`,
  "elenchus.config.ts": `export const config = { scenarios: ["a.ts"], subjects: [{ name: "mine", model: () => ${JSON.stringify(said)} }] };
`,
});

describe("what workers cannot do is said in a sentence:", () => {
  test("code, without the same project file as the run", async () => {
    const store = await sharedPostgres();
    const folder = folderWith(CODE("Yes."));
    const other = folderWith(CODE("No."));
    const config = { more: ["--config", "elenchus.config.ts"] };
    const wrong = await startWorker(store, { folder: other }, config);
    const run = ["run", "--config", "elenchus.config.ts", "--workers", store];
    const end = elenchus(run, { folder });
    await wrong.until("run-refused");
    expect(wrong.log()).toContain("and the one of this worker is another");
    expect(wrong.log()).toContain("nodes.ask.stateUpdate");
    await startWorker(store, { folder }, config);
    const { code, stderr } = await end;
    expect([code, stderr]).toEqual([0, expect.stringMatching(/\n1 of 1 conversation, 1 turn, /)]);
    expect(stderr).not.toContain("threw");
    // The function of the file ran, where the worker is.
    expect(readdirSync(folder)).toContain("log.txt");
    expect(readdirSync(other)).not.toContain("log.txt");
  });

  test("code, without a project file", async () => {
    const folder = folderWith({ "a.ts": CODE("")["a.ts"] as string });
    const { code, stderr } = await elenchus(
      ["run", "a.ts", "--subject", "sim/steadfast", "--workers", await sharedPostgres()],
      { folder },
    );
    expect(code).toBe(2);
    expect(stderr).toContain("Workers get data, and this run has code.");
    expect(stderr).toContain('In scenario "with-code", nodes.ask.stateUpdate');
  });

  test("a server that is not there, a wrong password, which is never printed, and an address of something else", async () => {
    const wrong = (await sharedPostgres()).replace(/:[^:@/]+@/, ":not-the-secret@");
    const where = { folder: folderWith(capitalFiles(1)), environment: { OPENAI_API_KEY: "sk-test" } };
    const run = (address: string): readonly string[] => [...RUN_CAPITALS, "--workers", address];
    for (const words of [["worker", wrong], ["workers", wrong], run(wrong)]) {
      const { code, stdout, stderr } = await elenchusHere(words, where);
      expect([code, `${stdout}${stderr}`.includes("not-the-secret")]).toEqual([2, false]);
      expect(stderr).toContain("its server refuses this role, password or database");
    }
    const away = await elenchusHere(["worker", "postgres://u:not-the-secret@127.0.0.1:1/x"], where);
    expect([away.code, away.stderr]).toEqual([2, expect.stringContaining("its server does not answer")]);
    expect(away.stderr).not.toContain("not-the-secret");
    const other = await elenchusHere(["worker", "mysql://x"], where);
    expect(other.stderr).toContain("Workers need the address of a server: postgres://");
    const redis = await elenchusHere(["worker", "redis://127.0.0.1:1"], where);
    expect(redis.stderr).toContain("Name it: --store postgres://…");
  });

  test("a package that is not installed", async () => {
    const store = await sharedPostgres();
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const missing = async (name: string, words: readonly string[]): Promise<string> => {
      // The program as it is published, beside all packages but one.
      const folder = folderWith();
      mkdirSync(join(folder, "dist"));
      mkdirSync(join(folder, "node_modules"));
      cpSync(join(root, "package.json"), join(folder, "package.json"));
      for (const file of readdirSync(join(root, "dist"), { withFileTypes: true }))
        if (file.isFile()) cpSync(join(root, "dist", file.name), join(folder, "dist", file.name));
      for (const one of readdirSync(join(root, "node_modules")))
        if (one !== name) symlinkSync(join(root, "node_modules", one), join(folder, "node_modules", one));
      const program = join(folder, "dist/cli.js");
      const { code, stderr } = await elenchus(words, { folder, program });
      expect(code).toBe(2);
      return stderr;
    };
    const said = await Promise.all([
      missing("pg", ["list", "--store", store]),
      missing("bullmq", ["worker", store]),
      missing("ioredis", ["worker", "redis://127.0.0.1:1", "--store", store]),
    ]);
    expect(said).toEqual([
      "error: A store on a PostgreSQL server needs the package pg. Install it: npm install pg\n",
      "error: Running on workers needs the package bullmq here. Install it: npm install bullmq\n",
      "error: Running on workers needs the package ioredis here. Install it: npm install ioredis\n",
    ]);
  });
});
