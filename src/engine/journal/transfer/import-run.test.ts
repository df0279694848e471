import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { chainOf, memoryModel, yesJudge } from "../../../../test/engine/held.ts";
import { runScenarios } from "../../run/run-scenarios.ts";
import { RunError } from "../failure.ts";
import type { RunEvent } from "../run-event.ts";
import { memoryStore } from "../store/memory-store.ts";
import { openStore } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import { RunFileError } from "./checked-line.ts";
import { exportRun } from "./export-run.ts";
import { importRun } from "./import-run.ts";

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

let stored: Store;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-import-run-"));
  stored = await openStore(join(folder, "s.db"));
  return () => {
    stored.close();
    rmSync(folder, { recursive: true });
  };
});

/** The message that an import fails with, the same into any store; nothing may be left of it. */
async function failure(file: Iterable<string> | AsyncIterable<string>): Promise<string> {
  const pieces: string[] = [];
  // A text would be a list of characters here.
  for await (const piece of typeof file === "string" ? [file] : file) pieces.push(piece);
  const message = await failureIn(memoryStore(), pieces);
  expect(await failureIn(stored, pieces)).toBe(message);
  return message;
}

async function failureIn(store: Store, file: Iterable<string>): Promise<string> {
  const error: unknown = await importRun(store, file).then(
    () => undefined,
    (reason) => reason,
  );
  expect(store.runs().map(({ run }) => run)).toEqual([]);
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
    expect(await failure(lines.slice(0, length))).toMatch(
      length === 0 ? "line 1: the file is empty" : `line ${length + 1}: the file was cut off`,
    );
});

test("a file of version 2, whose lines have the form of today, is read", async () => {
  const store = memoryStore();
  await importRun(store, lines.with(0, (lines[0] ?? "").replace('"version":3', '"version":2')));
  expect(store.run("r")?.statuses).toEqual({ completed: 2 });
});

test("a header without a version is refused in words", async () => {
  const header = changed('"format"', (line) => line.replace(/"version":\d+,/, ""));
  expect(await failure(header)).toContain("line 1: it has no version, and this release reads versions 1 to");
});

test("a file that lacks any one line is refused", async () => {
  for (let index = 0; index < lines.length; index++)
    expect(await failure(lines.toSpliced(index, 1))).toMatch(/^The run cannot be imported: line \d+: /);
});

test("a file in which a line stands twice is refused, unless it is a text", async () => {
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('{"text"') || line.startsWith('{"settings"')) continue;
    expect(await failure(lines.toSpliced(index, 0, line))).toMatch(/line \d+: /);
  }
});

test.each<[string, (all: readonly string[]) => readonly string[], string]>([
  ["no JSON", () => ["<html>"], "line 1: it is not JSON"],
  ["a list", () => ["[]"], "line 1: it is not an object"],
  [
    "a cassette",
    () => ['{"format":"elenchus-cassette","version":1}'],
    "line 1: it is not the header of a run. Is it the right file?",
  ],
  [
    "a newer version",
    (all) => all.with(0, (all[0] ?? "").replace('"version":3', '"version":4')),
    "line 1: it has version 4, and this release reads versions 1 to 3. Use a newer release.",
  ],
  [
    "a version that is none",
    (all) => all.with(0, (all[0] ?? "").replace('"version":3', '"version":"x"')),
    'line 1: it has version "x"',
  ],
  ["a header alone", (all) => all.slice(0, 1), "line 2: the file was cut off"],
  ["two files in one", (all) => [...all, ...all], "it comes after the end of the run"],
  [
    "a header without a run",
    (all) => all.with(0, '{"format":"elenchus-run","version":1}'),
    'line 1: The header needs "run"',
  ],
  [
    "two names",
    (all) => all.with(0, (all[0] ?? "").replace('"run":"r"', '"run":"other"')),
    "line 1: the run has two different names",
  ],
  [
    "a name that would hide it",
    (all) => all.with(0, (all[0] ?? "").replaceAll('"run":"r"', '"run":"\\u0001receiving r"')),
    "A run's name cannot begin like this one.",
  ],
  ["a line that is none", (all) => all.toSpliced(1, 0, "{}"), "line 2: it is none of the lines"],
])("a file with %s is refused", async (_, change, message) => {
  expect(await failure(change(lines))).toContain(message);
});

test.each<[string, string, (line: string) => string, string]>([
  [
    "an event that there is not",
    '"type":"hop"',
    (line) => line.replace('"hop"', '"hope"'),
    '"hope" is not one of',
  ],
  [
    "an event without its turn",
    '"type":"turn-start"',
    (line) => line.replace('"turn":1', '"tunr":1'),
    'The event turn-start needs "turn"',
  ],
  [
    "a verdict that is a text",
    '"type":"turn-end"',
    (line) => line.replace('"verifyResult":true', '"verifyResult":"pass"'),
    "result.verifyResult",
  ],
  [
    "a time that is none",
    '"type":"hop"',
    (line) => line.replace(/"at":\d+/, '"at":"now"'),
    "at: Expected a number",
  ],
  [
    "another conversation's event",
    '"type":"hop"',
    (line) => line.replace(/"conversation":"\w+"/, '"conversation":"x"'),
    "it belongs to another conversation",
  ],
  [
    "another subject",
    '"type":"conversation-start"',
    (line) => line.replace('"subject":"subject"', '"subject":"x"'),
    "the run has no such subject",
  ],
  [
    "another scenario",
    '"type":"conversation-start"',
    (line) => line.replace('"scenario":"chain"', '"scenario":"constructor"'),
    "the run has no such scenario",
  ],
  [
    "a cell that changes",
    '"type":"conversation-end"',
    (line) => line.replace('"replicate":1', '"replicate":2'),
    "its cell is not the one",
  ],
  [
    "a second start",
    '"type":"hop"',
    () => `{"event":${JSON.stringify((JSON.parse(lines[0] ?? "") as { start: RunEvent }).start)}}`,
    "a run starts once",
  ],
  ["a text that was changed", '{"text":', (line) => line.replace("yes", "no"), "its text is not the one"],
  [
    "a text that is a number",
    '{"text":',
    (line) => line.replace(/"value":.*/, '"value":7}'),
    "value: Expected text",
  ],
  [
    "a reference that leads nowhere",
    '{"$text":',
    (line) => line.replace(/"\$text":"\w{64}"/, `"$text":"${"0".repeat(64)}"`),
    "no earlier line has the text 000",
  ],
  [
    "settings that there are not",
    '{"call":',
    (line) => line.replace('"settings":0', '"settings":7'),
    "no earlier line has the settings 7",
  ],
  [
    "messages that there are not",
    '{"call":',
    (line) => line.replace('"previous":""', '"previous":"ab"'),
    "no earlier line has the messages",
  ],
  [
    "a reply that is none",
    '{"call":',
    (line) => line.replace('"finish":"stop"', '"finish":"never"'),
    '"never" is not one of',
  ],
  [
    "a wrong count",
    '{"end":',
    (line) => line.replace('"conversations":2', '"conversations":3'),
    "there should be 3 conversations, and there are 2",
  ],
])("a file with %s is refused", async (_, text, change, message) => {
  const file = changed(text, change);
  const number = file.findIndex((line, index) => line !== lines[index]) + 1;
  expect(number).toBeGreaterThan(0);
  const said = await failure(file);
  expect(said).toContain(`line ${number}: `);
  expect(said).toContain(message);
});

test("data that is nested without end is refused", async () => {
  const deep = `{"event":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  expect(await failure(lines.toSpliced(1, 0, deep))).toContain("line 2: it is nested more than 500");
  const header = (lines[0] ?? "").replace(
    '"configuration":{',
    `"configuration":{"deep":${"[".repeat(5000)}${"]".repeat(5000)},`,
  );
  expect(await failure(lines.with(0, header))).toContain("line 1: its data is too deep");
});

test.each(["header", "start", "end"])("nested without end behind an unknown key: %s", async (part) => {
  const deep = `"later":${"[".repeat(100_000)}${"]".repeat(100_000)},`;
  const at = part === "end" ? lines.length - 1 : 0;
  const line = (lines[at] ?? "").replace(part === "header" ? "{" : `"${part}":{`, `$&${deep}`);
  expect(line).toContain(deep);
  const store = memoryStore();
  const error: unknown = await importRun(store, lines.with(at, line)).catch((reason) => reason);
  if (error instanceof Error) expect(error).toBeInstanceOf(RunFileError);
  for (const { run } of store.runs()) for (const _ of exportRun(store, run));
});

test("any damage is either harmless or refused with a sentence", async () => {
  const all = lines.join("\n");
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

test("a key that this release does not know is kept", async () => {
  const store = memoryStore();
  const file = changed('"type":"hop"', (line) => line.replace('"type":"hop"', '"type":"hop","later":[1]'));
  await importRun(store, file);
  expect([...exportRun(store, "r")].filter((line) => line.includes('"later":[1]'))).toHaveLength(1);
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

test("a store that fails in the middle keeps nothing of the run", async () => {
  const store = memoryStore();
  let appended = 0;
  const failing = {
    calls: store.calls,
    run: (name: string) => store.run(name),
    delete: (name: string) => store.delete(name),
    begin: (...values: Parameters<typeof store.begin>) => {
      const journal = store.begin(...values);
      return {
        append: (event: RunEvent) => {
          if (++appended > 5) throw new Error("no space left");
          journal.append(event);
        },
        durable: () => undefined,
      };
    },
  } satisfies Partial<Store> as unknown as Store; // What an import uses.
  await expect(importRun(failing, lines)).rejects.toThrow("no space left");
  expect(store.runs().map(({ run }) => run)).toEqual([]);
});

test("blank lines, a byte order mark and ends of lines are no matter", async () => {
  const store = memoryStore();
  await importRun(store, `\uFEFF${lines.join("\r\n\r\n")}\r\n`);
  expect([...exportRun(store, "r")]).toEqual(lines);
});
