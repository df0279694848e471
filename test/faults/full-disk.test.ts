import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { account, type Stage } from "./account.ts";
import { CALLS } from "./benchmark.ts";
import { type ChildOptions, failed, finished, prepareChildren, type StartChild } from "./child.ts";
import { type CountingServer, startCountingServer } from "./counting-server.ts";
import { durableCalls } from "./durable-calls.ts";
import { type WholeRun, wholeRun } from "./whole-run.ts";

/** Replies are long, so that the run takes some megabytes. */
const PADDING = 8000;

const canMount = (() => {
  const folder = join(tmpdir(), `elenchus-mount-${process.pid}`);
  try {
    mkdirSync(folder);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
})();

let folder: string;
let startChild: StartChild;
let uninterrupted: { readonly told: string; readonly whole: WholeRun };
let server: CountingServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "elenchus-full-"));
  startChild = await prepareChildren();
  server = await startCountingServer({ padding: PADDING });
  const file = join(folder, "uninterrupted.db");
  const { told } = finished(await startChild({ file, run: "r", url: server.url }).ended);
  uninterrupted = { told, whole: await wholeRun(file, "r") };
  await server.close();
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  server = await startCountingServer({ padding: PADDING });
});
afterEach(() => server.close());

/** Copies a store as it lies there, with what is not yet in its main file. */
function copyStore(from: string, to: string): string {
  for (const end of ["", "-journal", "-wal"]) if (existsSync(from + end)) copyFileSync(from + end, to + end);
  return to;
}

/**
 * Runs where there is no room, twice, and then where there is; checks that nothing was damaged, lost or asked again that was
 * durable. Gives the failures, and how many calls were durable after each.
 */
async function runsOutOfRoom(
  name: string,
  {
    small,
    large,
    makeRoom,
  }: { readonly small: string; readonly large: string; readonly makeRoom: () => void },
  options: ChildOptions = {},
): Promise<readonly (ReturnType<typeof failed> & { readonly durable: number })[]> {
  const stages: Stage[] = [];
  const failures: (ReturnType<typeof failed> & { readonly durable: number })[] = [];
  const assignment = { run: "r", url: server.url, fresh: true };
  const durableNow = async (child: string, file: string): Promise<number> => {
    const copy = copyStore(file, join(folder, `${name} ${stages.length}.db`));
    const durable = await durableCalls(copy, "r", assignment);
    stages.push({ child, durable, answered: new Set() });
    return durable.size;
  };
  for (const _ of ["first", "again"]) {
    const child = startChild({ ...assignment, file: small }, options);
    const failure = failed(await child.ended);
    failures.push({ ...failure, durable: await durableNow(child.name, small) });
  }
  makeRoom();
  const last = startChild({ ...assignment, file: large });
  expect(finished(await last.ended).told).toBe(uninterrupted.told);
  await durableNow(last.name, large);
  const { problems, repeated, inFlight } = account(server.seen, stages);
  expect(problems).toEqual([]);
  expect(repeated).toBeLessThanOrEqual(inFlight);
  expect(server.seen.length - repeated).toBe(CALLS);
  expect(await wholeRun(large, "r")).toEqual(uninterrupted.whole);
  return failures;
}

describe.runIf(canMount)("a disk without room", () => {
  let disk: string;
  beforeAll(() => {
    disk = join(folder, "disk");
    mkdirSync(disk);
  });

  test.for([
    ["8k", "a file", 0],
    ["64k", "the tables", 0],
    ["256k", "a run", 0],
    ["1m", "more than some turns", 1],
    ["2m", "all turns", 1],
  ] as const)("%s: not enough for %s", async ([size, , least]) => {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", disk]);
    try {
      const file = join(disk, "store.db");
      const makeRoom = (): unknown => execFileSync("mount", ["-o", "remount,size=64m", disk]);
      const failures = await runsOutOfRoom(size, { small: file, large: file, makeRoom });
      for (const { name, code, message, durable } of failures) {
        expect([name, code]).toEqual(["StoreError", "full"]);
        expect(message).toContain(
          "store.db cannot be used: no space is left on the disk. Make room and resume",
        );
        expect(durable).toBeGreaterThanOrEqual(least);
      }
    } finally {
      execFileSync("umount", [disk]);
    }
  });
});

/** The system's other way to say no; needs no rights, so that this is tested everywhere. */
test.runIf(process.platform === "linux").for([
  [16, "the tables", 0],
  [400, "a turn", 0],
  [2000, "all turns", 1],
] as const)("a file that may have %i blocks: not enough for %s", async ([fileLimit, , least]) => {
  const small = join(folder, `small-${fileLimit}.db`);
  const large = join(folder, `large-${fileLimit}.db`);
  const makeRoom = (): unknown => copyStore(small, large);
  const failures = await runsOutOfRoom(`limit ${fileLimit}`, { small, large, makeRoom }, { fileLimit });
  for (const { name, code, durable } of failures) {
    expect([name, code]).toEqual(["StoreError", "io"]);
    expect(durable).toBeGreaterThanOrEqual(least);
  }
});
