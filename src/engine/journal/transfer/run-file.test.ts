import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chainOf, memoryModel, yesJudge } from "../../../../test/engine/held.ts";
import { propertyRuns } from "../../../../test/property-runs.ts";
import { buildScenario, scenarioSpec } from "../../../../test/random-scenario.ts";
import { VirtualClock } from "../../../../test/virtual-clock.ts";
import type { JsonValue } from "../../../core/values/json.ts";
import { regrade } from "../../run/regrade.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { resumeRun, runScenarios, startRun } from "../../run/run-scenarios.ts";
import { memoryStore } from "../store/memory-store.ts";
import type { Store } from "../store/store.ts";
import { exportRun } from "./export-run.ts";
import { importRun } from "./import-run.ts";
import { compressed, lineOf } from "./run-file.ts";
import { cassetteFromRun } from "./stored-run.ts";

async function heldRun(store: Store = memoryStore()): Promise<readonly string[]> {
  const long = (text: string): string => `yes, ${text} ${"and so on ".repeat(50)}`;
  const subject = memoryModel("subject", (message, call) =>
    call % 5 === 4 ? long("once more") : long(message),
  );
  const judges = [yesJudge("strict"), yesJudge("mild")];
  await runScenarios({
    allowUnread: true,
    scenarios: chainOf(3),
    subjects: subject,
    judge: judges,
    replicates: 2,
    store,
    run: "r",
  }).results;
  store.tag("r", ["first", "long"]);
  return [...exportRun(store, "r")];
}

test("a run that is exported, imported and exported again is the same file", async () => {
  const judge = memoryModel("judge", (message) =>
    message.length % 3 === 0
      ? "I cannot say."
      : JSON.stringify({ fields: { agrees: message.length % 2 === 0, kept: true } }),
  );
  // Long replies, but not without end: a transcript in the next question repeats them.
  const subject = memoryModel(
    "subject",
    (message, call) => "AB"[call % 2] + message.slice(-500).repeat(call % 40),
  );
  await fc.assert(
    fc.asyncProperty(scenarioSpec, fc.integer(), async (spec, seed) => {
      const first = memoryStore();
      const scenarios = buildScenario(spec);
      const subjects = ["sim/sycophant", "sim/flaky?fail=0.6", subject];
      const options = { scenarios, subjects, judge, replicates: 2, turnLimit: 5, seed, store: first };
      const clock = new VirtualClock();
      await clock.runUntil(startRun({ allowUnread: true, ...options, run: "r" }, { clock }).results);
      const lines = [...exportRun(first, "r")];
      const second = memoryStore();
      expect(await importRun(second, lines)).toEqual({ run: "r" });
      expect([...exportRun(second, "r")]).toEqual(lines);
      expect(second.callsOf("r").size).toBe(first.calls.size);
      expect(second.calls.size).toBe(0);
    }),
    { numRuns: propertyRuns(15) },
  );
});

describe("answers of an imported run", () => {
  const subject = memoryModel("subject", () => "my own answer");
  const judges = [yesJudge("strict"), yesJudge("mild")];
  const run = (more: Partial<RunOptions>): Promise<unknown> =>
    runScenarios({
      allowUnread: true,
      scenarios: chainOf(3),
      subjects: subject,
      judge: judges,
      replicates: 2,
      ...more,
    }).results;
  const asked = (): readonly number[] => [subject, ...judges].map((model) => model.asked.splice(0).length);

  test("answer no other run, unless it is asked for", async () => {
    const store = memoryStore();
    await importRun(store, await heldRun(), { as: "theirs" });
    expect(store.calls.size).toBe(0);
    await run({ store, useCalls: ["theirs"], run: "borrowing" });
    expect(asked()).toEqual([0, 0, 0]);
    // What was borrowed stays with the run that borrowed it.
    expect(store.calls.size).toBe(0);
    expect(store.callsOf("borrowing").size).toBe(store.callsOf("theirs").size);
    expect(cassetteFromRun(store, "borrowing").size).toBe(store.callsOf("theirs").size);
    await run({ store });
    expect(asked()).toEqual([6, 6, 6]);
    await expect(run({ store, useCalls: ["nobody's"] })).rejects.toThrow('There is no run "nobody\'s"');
  });

  test("serve to regrade it, and nothing else", async () => {
    const store = memoryStore();
    await importRun(store, await heldRun(), { as: "theirs" });
    const options = { scenarios: chainOf(3), judge: judges, allowUnread: true, store };
    await regrade("theirs", { ...options, run: "again" }).results;
    expect(asked()).toEqual([0, 0, 0]);
    expect(store.calls.size).toBe(0);
    expect(store.callsOf("again").size).toBe(12);
    store.delete("theirs");
    expect(store.callsOf("again").size).toBe(12);
    expect(() => store.callsOf("theirs")).toThrow("no run");
  });

  test("become answers of the project with useCalls; what it knows already stays", async () => {
    const lines = await heldRun();
    const store = memoryStore();
    await run({ store, run: "mine" });
    asked();
    const replies = (): unknown =>
      [...store.events("mine")].map((event) =>
        event.type === "call-start" ? store.calls.get(event.identity ?? "")?.reply.text : undefined,
      );
    const before = replies();
    await importRun(store, lines, { useCalls: true });
    expect(replies()).toEqual(before);
    // The imported run still shows its own answers.
    expect([...exportRun(store, "r")]).toEqual(lines);
    const empty = memoryStore();
    await importRun(empty, lines, { useCalls: true });
    await run({ store: empty });
    expect(asked()).toEqual([0, 0, 0]);
  });
});

test("a compressed file is read, in pieces of any size, and is small", async () => {
  const lines = await heldRun();
  const bytes: Uint8Array[] = [];
  for await (const piece of compressed(lines)) bytes.push(piece);
  const file = Buffer.concat(bytes);
  expect(file.length).toBeLessThan(lines.join("").length / 10);
  const store = memoryStore();
  await importRun(
    store,
    Array.from({ length: file.length }, (_, index) => file.subarray(index, index + 1)),
  );
  expect([...exportRun(store, "r")]).toEqual(lines);
  const broken = memoryStore();
  await expect(importRun(broken, [file.subarray(0, -20)])).rejects.toThrow("ends here without its last line");
  await expect(
    importRun(
      broken,
      ["(no archive"].map((text) => Buffer.from(text)),
    ),
  ).rejects.toThrow("line 1: ");
  expect(broken.runs()).toEqual([]);
});

test("no reader of lines is misled by what replies contain", async () => {
  const store = memoryStore();
  const subject = memoryModel("subject", () => "a\u2028b\u2029c\u0085d\ne\rf\uD800g\0");
  await runScenarios({ allowUnread: true, scenarios: chainOf(1), subjects: subject, store, run: "r" })
    .results;
  const text = [...exportRun(store, "r")].join("");
  expect(text).not.toMatch(/[\u2028\u2029\u0085\r]/);
  const other = memoryStore();
  await importRun(other, [text.slice(0, 100), text.slice(100, 2000), text.slice(2000)]);
  expect([...exportRun(other, "r")].join("")).toBe(text);
  await importRun(other, text, { as: "from a text" });
  expect(other.runs().map(({ run }) => run)).toEqual(["r", "from a text"]);
});

test("a run of the same name is not touched", async () => {
  const store = memoryStore();
  const lines = await heldRun(store);
  await expect(importRun(store, lines)).rejects.toThrow(
    'There is a run "r" in the store already. Import it under another name.',
  );
  expect([...exportRun(store, "r")]).toEqual(lines);
  expect(await importRun(store, lines, { as: "again" })).toEqual({ run: "again" });
  expect(store.run("again")?.start.run).toBe("again");
});

test("a run that there is not cannot be exported", () => {
  expect(() => [...exportRun(memoryStore(), "none")]).toThrow('There is no run "none" in the store.');
});

test.each<[string, JsonValue]>([
  ["texts that begin like references of stores", ["~", "~~", `~${"b".repeat(100)}`, `~${"a".repeat(32)}`]],
  ["a key that looks like a reference", { [`~${"c".repeat(32)}`]: 1 }],
  ["a key that is the name of a prototype", JSON.parse('{"__proto__":{"polluted":1}}')],
  ["zero bytes", `\0${"z".repeat(300)}`],
  ["half of a character", `\ud800${"h".repeat(300)}`],
  ["ends of lines", ["\u0085\u2028\u2029", `\u2028${"e".repeat(100)}`]],
])("what is exported is what was imported, with %s", async (_, odd) => {
  let changed = 0;
  const lines = (await heldRun()).map((line) => {
    const { call, event } = JSON.parse(line);
    const replies = call === undefined ? [] : [call.reply];
    for (const part of event?.type === "turn-reply" ? event.messages : replies) {
      part.native = odd;
      changed++;
    }
    return call === undefined && event === undefined ? line : lineOf({ call, event });
  });
  expect(changed).toBeGreaterThan(20);
  const store = memoryStore();
  await importRun(store, lines);
  expect([...exportRun(store, "r")]).toEqual(lines);
});

test("a run that was taken up again and stopped is still open after an import", async () => {
  const store = memoryStore();
  const options = { scenarios: chainOf(2), subjects: memoryModel("s", () => "yes"), store, run: "r" };
  const run = runScenarios({ allowUnread: true, ...options });
  run.stop();
  await run.results;
  await resumeRun("r", options).results;
  store.reopen("r");
  const lines = [...exportRun(store, "r")];
  expect(lines.join()).toContain('"type":"conversation-resume"');
  const other = memoryStore();
  await importRun(other, lines);
  expect(other.run("r")?.endedAt).toBeNull();
  expect([...exportRun(other, "r")]).toEqual(lines);
});
