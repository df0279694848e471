import { setTimeout as after } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Ended, ended, folderWith, type Given, inOneProcess, inTerminal, start } from "./cli.ts";
import { type PatientServer, patientServer } from "./patient-server.ts";
import {
  CALLS,
  CONVERSATIONS,
  capitalsProject,
  outcomesIn,
  RUN_CAPITALS,
  timesAnswered,
  undisturbedOutcomes,
} from "./same-results.ts";
import { type WatchedTerminal, watchedTerminal } from "./watched-terminal.ts";

/** What goes on with a run, or looks at it, is another process than the one that was interrupted. */
const elenchus = inOneProcess();
const CTRL_C = "\u0003";
const STOPPING = /Finishing calls under way; press Ctrl-C again to stop at once\./;
const HOW_TO_GO_ON = /Interrupted: 12 conversations left\. Resume with: elenchus resume \w+\n?$/;

/** Nobody presses a key twice in a tenth of a second: what comes so soon counts as an echo of the first. */
async function pressAgain(terminal: WatchedTerminal): Promise<void> {
  await after(150);
  terminal.write(CTRL_C);
}

/** A run in a terminal of which five calls were answered and twelve wait. */
async function halfway(server: PatientServer, where: Given): Promise<WatchedTerminal> {
  const terminal = watchedTerminal(RUN_CAPITALS, where);
  await server.until((one) => one.waiting() === CONVERSATIONS);
  server.answer(5);
  await server.until((one) => one.waiting() === CONVERSATIONS);
  await terminal.untilSeen(/ 5 turns, 12 in flight/);
  return terminal;
}

/** Goes on to the end, after which nothing tells that the run was ever disturbed. */
async function resumes(server: PatientServer, where: Given): Promise<Ended> {
  server.open();
  const resumed = await elenchus(["resume"], where);
  expect(resumed.code).toBe(0);
  expect(resumed.stdout).toMatch(/\n {2}total +12 +44 /);
  expect(timesAnswered(server)).toEqual(Array.from({ length: CALLS }, () => 1));
  expect(await outcomesIn(where)).toEqual(await undisturbedOutcomes(server));
  return resumed;
}

test("Ctrl-C lets calls under way end, says how to go on, and nothing is asked again", async () => {
  const server = await patientServer();
  const where = capitalsProject(server);
  const terminal = await halfway(server, where);
  terminal.write(CTRL_C);
  await terminal.untilSeen(/stopping/);
  expect(terminal.seen()).toMatch(STOPPING);
  expect(server.waiting()).toBe(CONVERSATIONS);
  server.answer();
  const { code } = await terminal.ended;
  expect(code).toBe(130);
  expect(terminal.seen()).toMatch(HOW_TO_GO_ON);
  expect(terminal.seen()).not.toMatch(/[█░]|in flight|stopping/);
  // What a person stopped is not an error.
  expect(terminal.seen()).not.toMatch(/errors \(|Errors \(/);
  expect(terminal.isCursorShown()).toBe(true);
  expect(server.calls.map(({ state }) => state)).toEqual(Array.from({ length: 17 }, () => "answered"));

  const { stdout } = await elenchus(["list"], where);
  expect(stdout).toMatch(/ 0 of 12 +unfinished /);
  const { stderr } = await resumes(server, where);
  expect(stderr).toMatch(/\n12 of 12 conversations, 27 turns, 27 calls, /);
  expect((await elenchus(["list"], where)).stdout).toMatch(/ 12 +finished /);
});

test("Ctrl-C twice gives up calls under way, and only these are asked again", async () => {
  const server = await patientServer();
  const where = capitalsProject(server);
  const terminal = await halfway(server, where);
  terminal.write(CTRL_C);
  await terminal.untilSeen(STOPPING);
  await pressAgain(terminal);
  const { code } = await terminal.ended;
  expect(code).toBe(130);
  expect(terminal.seen()).toMatch(/\nStopping at once\.\n/);
  expect(terminal.seen()).toMatch(HOW_TO_GO_ON);
  await server.until((one) => one.waiting() === 0);
  expect(server.calls.filter(({ state }) => state === "dropped")).toHaveLength(CONVERSATIONS);
  await resumes(server, where);
});

test.for(["--quiet", "--json"])("a signal is answered with %s, too", async (flag) => {
  const server = await patientServer();
  const child = start([...RUN_CAPITALS, flag], capitalsProject(server));
  const end = ended(child);
  await server.until((one) => one.waiting() === CONVERSATIONS);
  child.kill("SIGINT");
  server.open();
  const { code, stderr } = await end;
  expect(code).toBe(130);
  expect(stderr).toMatch(/^Interrupted: \d+ conversations left\. Resume with: elenchus resume \w+\n$/);
});

test("a run that only waits to try again can be left", async () => {
  const server = await patientServer();
  const where = capitalsProject(server);
  server.refuse({ status: 429, headers: { "retry-after": "3600" } });
  const terminal = watchedTerminal(RUN_CAPITALS, where);
  await terminal.untilSeen(/retr(?:y|ies)/);
  // Once is enough: nothing is under way, so nothing is waited for.
  terminal.write(CTRL_C);
  expect((await terminal.ended).code).toBe(130);
  expect(terminal.seen()).toMatch(HOW_TO_GO_ON);
  server.refuse(undefined);
  server.open();
  const resumed = await elenchus(["resume", "--quiet"], where);
  expect([resumed.code, resumed.stderr]).toEqual([0, ""]);
  expect(await outcomesIn(where)).toEqual(await undisturbedOutcomes(server));
});

test("before anything has begun, Ctrl-C simply ends it", async () => {
  const folder = folderWith();
  // A key that is pressed before the process has its terminal goes nowhere.
  const terminal = inTerminal(["run", "-", "--subject", "sim/steadfast"], { folder, setUp: "echo ready" });
  await terminal.until(/ready/);
  terminal.write("name: half\n");
  await terminal.until(/half/);
  terminal.write(CTRL_C);
  const { code, printed } = await terminal.ended;
  expect(code).toBe(130);
  expect(printed.replaceAll("^C", "").split(/\s*\n/)).toEqual(["ready", "name: half", ""]);
});
