import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { openStore } from "./open-store.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "elenchus-faults-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Writes turns without end, and prints the number of each that is durable. */
const WRITER = `
import { writeSync } from "node:fs";
const [path, run] = process.argv.slice(1);
const { openStore } = await import(${JSON.stringify(new URL("./open-store.ts", import.meta.url))});
const { conversationStart, cellOf, runStart, turnEvents } =
  await import(${JSON.stringify(new URL("../../../apps/contracts/store-contract-samples.ts", import.meta.url))});
const store = await openStore(path);
const journal = store.begin(runStart(run));
journal.append(conversationStart("c", cellOf(0)));
for (let turn = 1; ; turn++) {
  const reply = run + " " + turn + " " + "and so it goes on. ".repeat(turn % 300);
  for (const event of turnEvents({ conversation: "c", turn, reply, verdict: true, at: turn })) journal.append(event);
  await journal.durable();
  writeSync(1, turn + "\\n");
}
`;

function startWriter(path: string, run: string): ChildProcess {
  const child = spawn(process.execPath, ["--input-type=module", "-e", WRITER, path, run], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

/** Kills a writer once so many turns are durable; gives the last turn that it had told. */
async function killAfter(child: ChildProcess, turns: number): Promise<number> {
  let told = 0;
  const gone = once(child, "close");
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    told = Number(line);
    if (told >= turns) child.kill("SIGKILL");
  }
  await gone;
  return told;
}

async function expectWhole(path: string, told: ReadonlyMap<string, number>): Promise<void> {
  const store = await openStore(path);
  for (const [run, least] of told) {
    const events = [...store.events(run, "c")];
    const turns = (events.length - 1) / 5;
    expect(turns).toBeGreaterThanOrEqual(least);
    // A turn is there with all its events, or not at all.
    expect(Number.isInteger(turns)).toBe(true);
    expect(store.results(run)[0]?.turns.passed).toBe(turns);
    expect(events.at(-1)).toMatchObject({ type: "turn-end", result: { turn: turns } });
  }
  store.close();
  const database = new Database(path);
  expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
  expect(database.pragma("foreign_key_check")).toEqual([]);
  database.close();
}

test("what was durable is there after a process is killed, again and again", async () => {
  const path = join(folder, "elenchus.db");
  const told = new Map<string, number>();
  for (const turns of [1, 17, 400]) {
    const run = `killed after ${turns}`;
    told.set(run, await killAfter(startWriter(path, run), turns));
    await expectWhole(path, told);
  }
});

test("two processes make and write one file at once, and both are killed", async () => {
  const path = join(folder, "new", "elenchus.db");
  const runs = ["one", "other"];
  const ends = await Promise.all(runs.map((run) => killAfter(startWriter(path, run), 300)));
  await expectWhole(path, new Map(runs.map((run, index) => [run, ends[index] as number])));
});
