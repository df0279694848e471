import { expect, test } from "vitest";
import { ended, type Given, inOneProcess, inTerminal, start } from "./cli.ts";
import { type PatientServer, patientServer } from "./patient-server.ts";
import {
  CALLS,
  CONVERSATIONS,
  capitalsProject,
  outcomesIn,
  RUN_CAPITALS,
  undisturbedOutcomes,
} from "./same-results.ts";

/** What goes on with a run, or looks at it, is another process than the one that was killed. */
const elenchus = inOneProcess();

/** A run that is killed, without warning, when so many calls were answered and so many others are under way. */
async function killedAfter(
  answers: number,
  inFlight: number,
  { server, where }: { readonly server: PatientServer; readonly where: Given },
): Promise<void> {
  const child = start(RUN_CAPITALS, where);
  const end = ended(child);
  let left = answers;
  while (left > 0) {
    await server.until((one) => one.waiting() > 0);
    const count = Math.min(left, server.waiting());
    server.answer(count);
    left -= count;
  }
  await server.until((one) => one.waiting() === inFlight);
  child.kill("SIGKILL");
  expect((await end).code).toBe(null);
  await server.until((one) => one.waiting() === 0);
}

/** How many calls were made that had been made before. */
function repeated({ calls }: PatientServer): number {
  return calls.length - new Set(calls.map(({ key }) => key)).size;
}

test.for([
  { answers: 0, inFlight: 12 },
  { answers: 1, inFlight: 12 },
  { answers: 17, inFlight: 12 },
  { answers: 40, inFlight: 4 },
])("killed after $answers answers, a run goes on where it was", async ({ answers, inFlight }) => {
  const server = await patientServer();
  const where = capitalsProject(server);
  await killedAfter(answers, inFlight, { server, where });

  if (answers > 1) {
    const { stdout: listed } = await elenchus(["list"], where);
    expect(listed).toMatch(/ \d+ of 12 +unfinished /);
    const { stdout: shown, code: isShown } = await elenchus(["show"], where);
    expect([isShown, shown.includes("Usage")]).toEqual([0, true]);
  }

  server.open();
  const { code, stdout, stderr } = await elenchus(["resume"], where);
  expect(code).toBe(0);
  expect(stderr).toMatch(/\n12 of 12 conversations, /);
  expect(stdout).toMatch(/\n {2}total +12 +44 /);
  // Of each conversation at most the last call: one under way, or one whose answer ended it a moment before the kill.
  expect(repeated(server)).toBeLessThanOrEqual(CONVERSATIONS);
  expect(new Set(server.calls.map(({ key }) => key)).size).toBe(CALLS);
  expect(await outcomesIn(where)).toEqual(await undisturbedOutcomes(server));
  if (answers === 0)
    expect((await elenchus(["resume"], where)).stderr).toBe(
      "error: No run is unfinished. List the runs: elenchus list\n",
    );
});

test("killed and resumed and killed again, in a terminal", async () => {
  const server = await patientServer();
  const where = capitalsProject(server);
  await killedAfter(12, CONVERSATIONS, { server, where });
  const terminal = inTerminal(["resume"], where);
  await server.until((one) => one.waiting() === CONVERSATIONS);
  server.answer(9);
  await server.until((one) => one.waiting() === CONVERSATIONS);
  terminal.kill("SIGKILL");
  expect((await terminal.ended).code).toBe(137);
  await server.until((one) => one.waiting() === 0);
  server.open();
  expect((await elenchus(["resume", "--quiet"], where)).code).toBe(0);
  expect(repeated(server)).toBeLessThanOrEqual(2 * CONVERSATIONS);
  expect(await outcomesIn(where)).toEqual(await undisturbedOutcomes(server));
});

test("a terminal that is closed interrupts the run, which can be resumed", async () => {
  const server = await patientServer();
  const where = capitalsProject(server);
  const terminal = inTerminal(RUN_CAPITALS, where);
  await server.until((one) => one.waiting() === CONVERSATIONS);
  terminal.kill("SIGHUP");
  await terminal.until(/Finishing calls under way/);
  server.open();
  expect((await terminal.ended).code).toBe(130);
  expect((await elenchus(["resume", "--quiet"], where)).code).toBe(0);
  expect(repeated(server)).toBe(0);
  expect(await outcomesIn(where)).toEqual(await undisturbedOutcomes(server));
});
