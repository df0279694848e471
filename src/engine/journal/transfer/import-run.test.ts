import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { chainOf, memoryModel, yesJudge } from "../../../../test/engine/held.ts";
import { runScenarios } from "../../run/run-scenarios.ts";
import { RunError } from "../failure.ts";
import type { RunEvent } from "../run-event.ts";
import { memoryStore } from "../store/memory-store.ts";
import { exportRun } from "./export-run.ts";
import { importRun } from "./import-run.ts";
import { RunFileError } from "./run-file.ts";

let lines: readonly string[];

beforeAll(async () => {
  const store = memoryStore();
  const subjects = memoryModel("subject", (message) => `yes ${message.repeat(30)}`);
  await runScenarios({
    scenarios: chainOf(2),
    subjects,
    judge: yesJudge(),
    replicates: 2,
    store,
    run: "r",
  }).results;
  lines = [...exportRun(store, "r")];
});

/** The message that an import fails with; nothing may be left of it. */
async function failure(file: Iterable<string>): Promise<string> {
  const store = memoryStore();
  const error: unknown = await importRun(store, file).then(
    () => undefined,
    (reason) => reason,
  );
  expect(store.runs()).toEqual([]);
  expect(store.calls.size).toBe(0);
  if (error instanceof RunFileError || error instanceof RunError) return error.message;
  throw new Error("it was imported", { cause: error });
}

/** The file with one line replaced: the first that has the text. */
function changed(text: string, change: (line: string) => string): readonly string[] {
  const index = lines.findIndex((line) => line.includes(text));
  expect(index).toBeGreaterThanOrEqual(0);
  return lines.with(index, change(lines[index] ?? ""));
}

test("a file that was cut off at any line is refused, and nothing of it is left", async () => {
  for (let length = 0; length < lines.length; length++)
    expect(await failure(lines.slice(0, length))).toContain(
      `line ${length + 1}: the file ends here without its last line`,
    );
});

test("a file that lacks any one line, or has it twice, is refused", async () => {
  for (const [index, line] of lines.entries()) {
    expect(await failure(lines.toSpliced(index, 1))).toMatch(/^The run cannot be imported: line \d+: /);
    expect(await failure(lines.toSpliced(index, 0, line))).toMatch(/^The run cannot be imported: line \d+: /);
  }
});

test.each<[string, (all: readonly string[]) => readonly string[], string]>([
  ["no JSON", () => ["<html>"], "line 1: it is not JSON"],
  ["a list", () => ["[]"], "line 1: it is not an object"],
  ["a cassette", () => ['{"format":"elenchus-cassette","version":1}'], "line 1: "],
  [
    "another version",
    (all) => all.with(0, (all[0] ?? "").replace('"version":1', '"version":2')),
    "line 1: it does not have version 1",
  ],
  ["two files in one", (all) => [...all, ...all], "it comes after the end of the run"],
  ["a header without a run", (all) => all.with(0, '{"format":"elenchus-run","version":1}'), "line 1: "],
  ["a line that is none", (all) => all.toSpliced(1, 0, "{}\n"), "line 2: "],
])("a file with %s is refused", async (_, change, message) => {
  expect(await failure(change(lines))).toContain(message);
});

test.each<[what: string, line: string, text: string | RegExp, instead: string, message: string]>([
  ["an event that there is not", '"type":"hop"', '"hop"', '"hope"', '"hope" is not one of'],
  ["an event without its turn", '"type":"turn-start"', '"turn":1', '"tunr":1', 'has no "tunr"'],
  ["a time that is none", '"type":"hop"', /"at":\d+/, '"at":"now"', "at: Expected a number"],
  [
    "another conversation's event",
    '"type":"hop"',
    /"conversation":"\w+"/,
    '"conversation":"x"',
    "it belongs to another conversation",
  ],
  [
    "another scenario",
    '"type":"conversation-start"',
    '"scenario":"chain"',
    '"scenario":"constructor"',
    "the run has no such scenario, subject or judge",
  ],
  [
    "a cell that changes",
    '"type":"conversation-end"',
    '"replicate":1',
    '"replicate":2',
    "its cell is not the one",
  ],
  ["settings that there are not", '{"call":', '"settings":0', '"settings":7', "is not in a line before it"],
  ["messages that there are not", '{"call":', '"shared":0', '"shared":9', "is not in a line before it"],
])("a file with %s is refused", async (_, line, text, instead, message) => {
  const file = changed(line, (whole) => whole.replace(text, instead));
  const number = file.findIndex((one, index) => one !== lines[index]) + 1;
  expect(number).toBeGreaterThan(0);
  const said = await failure(file);
  expect(said).toContain(`line ${number}: `);
  expect(said).toContain(message);
});

test("a second start is refused", async () => {
  const { start } = JSON.parse(lines[0] ?? "") as { readonly start: RunEvent };
  expect(await failure(changed('"type":"hop"', () => `${JSON.stringify({ event: start })}\n`))).toContain(
    "a run starts once",
  );
});

test("data that is nested without end is refused", async () => {
  const deep = `"${"parsed"}":${"[".repeat(100_000)}${"]".repeat(100_000)},`;
  for (const part of ["header", "event", "call"]) {
    const file = changed(part === "header" ? '"format"' : `"${part}":{`, (line) =>
      line.replace("{", `{${deep}`),
    );
    expect(await failure(file)).toContain("it is nested more than 500 levels deep");
  }
});

test("any damage is either harmless or refused with a sentence", async () => {
  const all = lines.join("");
  await fc.assert(
    fc.asyncProperty(
      fc.nat(all.length - 1),
      fc.string({ maxLength: 3 }),
      fc.nat(3),
      async (at, text, cut) => {
        const store = memoryStore();
        const damaged = all.slice(0, at) + text + all.slice(at + cut);
        const error: unknown = await importRun(store, damaged).catch((reason) => reason);
        if (error instanceof Error) {
          expect(error).toBeInstanceOf(RunFileError);
          expect(store.runs().map(({ run }) => run)).toEqual([]);
          expect(store.calls.size).toBe(0);
        } else {
          const again = [...exportRun(store, (error as { run: string }).run)];
          await importRun(memoryStore(), again);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test("a source that breaks off leaves nothing behind", async () => {
  const store = memoryStore();
  async function* broken(): AsyncGenerator<string> {
    yield* lines.slice(0, 10);
    throw new Error("the disk is gone");
  }
  await expect(importRun(store, broken())).rejects.toThrow("the disk is gone");
  expect(store.runs()).toEqual([]);
  await importRun(store, lines);
  expect(store.runs().map(({ run }) => run)).toEqual(["r"]);
});

test("blank lines, a byte order mark and ends of lines are no matter", async () => {
  const store = memoryStore();
  await importRun(store, `\uFEFF${lines.join("\r\n\r\n")}\r\n`);
  expect([...exportRun(store, "r")]).toEqual(lines);
});
