import { stripVTControlCharacters } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { RunTally } from "../../../engine/journal/fold/run.ts";
import type { RunEventBody } from "../../../engine/journal/run-event.ts";
import { COLOUR_STYLE, PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { textWidth } from "../../../system/terminal/text-layout.ts";
import { RunProgress } from "../data/run-progress.ts";
import { plainLine, progressLines } from "./progress-text.ts";

/** A run of 660 conversations at 10 seconds, as far as the counts say. */
function progressOf(
  subjects: readonly string[],
  { conversations = 660, finished = 0 }: { readonly conversations?: number; readonly finished?: number } = {},
): RunProgress {
  const progress = new RunProgress();
  const start = { run: "r", seed: 0, scenarios: {}, judges: [], replicates: 1, configuration: {} };
  progress.apply({ type: "run-start", at: 0, ...start, conversations, subjects });
  for (let index = 0; index < finished; index++) {
    const cell = { index, scenario: "a", subject: subjects[0] ?? "", judge: "rules", replicate: 1 };
    const spending = { calls: 0, cached: 0, tokens: 0, cost: 0 };
    const end: RunEventBody = {
      type: "conversation-end",
      conversation: `${index}`,
      cell,
      status: "completed",
      turnCount: 1,
      path: [],
      spending,
    };
    progress.apply({ ...end, at: (10_000 * (index + 1)) / finished });
  }
  return progress;
}

function set(tally: RunTally | undefined, values: Partial<RunTally>): void {
  Object.assign(tally ?? {}, values);
}

const NOW = 10_000;

test("one line of words", () => {
  const progress = progressOf(["s"], { finished: 12 });
  set(progress.overall, {
    turns: 58,
    calls: 19,
    cached: 12,
    tokens: { known: 12_345, unknown: 0 },
    cost: { known: 0.0123, unknown: 0 },
  });
  expect(plainLine(progress, { now: NOW })).toBe(
    "12 of 660 conversations, 58 turns, 31 calls (12 cached), 12,345 tokens, 0.0123 USD, 10 s so far, 1.3/s, about 9 min left",
  );
  expect(plainLine(progress, { now: NOW, isStopping: true })).toMatch(/1\.3\/s, stopping$/);
  progress.overall.cost.unknown = 1;
  progress.overall.errors.set("server", 1).set("rate_limit", 2);
  expect(plainLine(progress, { now: NOW })).toContain(
    ", 3 errors (2 rate limit, 1 server), 12,345 tokens, at least 0.0123 USD, ",
  );
  const spending = { calls: 0, cached: 0, tokens: 0, cost: 0 };
  progress.apply({
    type: "run-end",
    statuses: { completed: 12, error: 1, cancelled: 647 },
    spending,
    at: 200_000,
  });
  const line = plainLine(progress, { now: 999_999 });
  expect(line).toMatch(/^13 of 660 conversations, 647 cut short, 58 turns/);
  expect(line).toMatch(/USD, took 3 min 20 s$/);
});

test("before anything has happened, nothing is made up", () => {
  const progress = new RunProgress();
  expect(plainLine(progress, { now: 0 })).toBe("0 of 0 conversations, 0 turns, 0 calls, 0 tokens, 0.00 USD");
  const [bar] = progressLines(progress, { now: 0, style: PLAIN_STYLE, width: 30, height: 24 });
  expect(bar).toBe(`${"░".repeat(23)}   – %`);
});

function sample(): RunProgress {
  const progress = progressOf(["openai/gpt-5-mini", "sim/sycophant"], { finished: 12, conversations: 24 });
  set(progress.overall, { turns: 58, retries: 2, tokens: { known: 12_345, unknown: 0 } });
  progress.overall.errors.set("rate_limit", 2);
  const verdicts = { pass: 30, fail: 4, unreadable: 2, unjudged: 0, unverified: 0, not_verified: 0 };
  set(progress.subjects.get("openai/gpt-5-mini"), { verdicts, turns: 50 });
  progress.apply({
    type: "warning",
    code: "tools",
    message: "The server \u001b[2J lists\nnothing.",
    at: NOW,
  });
  return progress;
}

test("lines for a wide terminal", () => {
  expect(progressLines(sample(), { now: NOW, style: PLAIN_STYLE, width: 120, height: 24 })).toEqual([
    `${"█".repeat(20)}${"░".repeat(20)}  50 %`,
    "12 of 24 conversations, 58 turns, 0 in flight, 12,345 tokens, 0.00 USD, 1.3/s, 2 retries, 10 s so far, about 10 s left",
    "openai/gpt-5-mini  12/12  30 right  4 wrong  2 unread  50 turns  0 tokens  0.00 USD",
    "sim/sycophant       0/12                                0 turns  0 tokens  0.00 USD",
    "2 errors (2 rate limit)",
  ]);
});

test("lines for a narrow terminal say the most important", () => {
  expect(progressLines(sample(), { now: NOW, style: PLAIN_STYLE, width: 40, height: 24 })).toEqual([
    `${"█".repeat(16)}${"░".repeat(17)}  50 %`,
    "12 of 24, 10 s so far, about 10 s left",
    "openai/gpt-5…  12/12  30 right  4 wrong",
    "sim/sycophant   0/12",
    "2 errors (2 rate limit)",
  ]);
});

test("subjects that do not fit are counted", () => {
  const progress = progressOf(Array.from({ length: 30 }, (_, index) => `subject ${index}`));
  const lines = progressLines(progress, { now: NOW, style: PLAIN_STYLE, width: 80, height: 24 });
  expect(lines.length).toBe(12);
  expect(lines.at(-1)).toBe("… 21 more subjects");
  const few = progressLines(progress, { now: NOW, style: PLAIN_STYLE, width: 80, height: 2 });
  expect(few).toEqual(["0 of 660 conversations, 0 turns, 0 in flight, 0 tokens, 0.00 USD, 10 s so far"]);
});

test("whatever there is to say, it fits", () => {
  const count = fc.integer({ min: 0, max: 10_000_000 });
  const names = fc.uniqueArray(fc.string({ unit: "grapheme", minLength: 1 }), {
    minLength: 1,
    maxLength: 12,
  });
  const size = fc.record({
    width: fc.integer({ min: 40, max: 200 }),
    height: fc.integer({ min: 2, max: 60 }),
  });
  fc.assert(
    fc.property(names, fc.array(count, { minLength: 8, maxLength: 8 }), size, (subjects, counts, wanted) => {
      const [turns = 0, pass = 0, fail = 0, unreadable = 0, known = 0, unknown = 0, retries = 0, calls = 0] =
        counts;
      const progress = progressOf(subjects, { conversations: subjects.length * 1_000_000, finished: 5 });
      const verdicts = { pass, fail, unreadable, unjudged: fail, unverified: 0, not_verified: 0 };
      const values = { turns, verdicts, retries, calls, tokens: { known, unknown }, cutShort: fail };
      for (const tally of [progress.overall, progress.subjects.get(subjects[0] ?? "")])
        set(tally, { ...values, cost: { known: known / 7, unknown } });
      progress.overall.errors.set("bad_response", pass).set("rate_limit", fail);
      progress.apply({ type: "warning", code: "w", message: subjects.join("\n"), at: NOW });
      const plain = progressLines(progress, { now: NOW, style: PLAIN_STYLE, ...wanted });
      expect(plain.length).toBeLessThan(wanted.height);
      for (const line of plain) expect(textWidth(line)).toBeLessThan(wanted.width);
      const painted = progressLines(progress, { now: NOW, style: COLOUR_STYLE, ...wanted });
      expect(painted.map(stripVTControlCharacters)).toEqual(plain);
    }),
  );
});

test("progress says how long the run takes, what it waits for, and why calls are made again", () => {
  const progress = progressOf(["s"]);
  const options = { now: NOW, style: PLAIN_STYLE, width: 100, height: 24 };
  const asks = (call: string, model: string) =>
    progress.apply({
      type: "call-start",
      at: 1,
      conversation: "0",
      turn: 1,
      call,
      purpose: "subject",
      model,
    });
  asks("1", "openai/gpt-5-mini");
  expect(progressLines(progress, options)).toContain("waiting for 1 answer of openai/gpt-5-mini");
  asks("2", "openai/judge");
  asks("3", "openai/judge");
  expect(plainLine(progress, { now: NOW })).toMatch(
    /, 10 s so far, .*waiting for 3 answers \(2 of openai\/judge, 1 of openai\/gpt-5-mini\)$/,
  );
  for (const call of ["1", "2", "3"])
    progress.apply({
      type: "call-end",
      at: 2,
      conversation: "0",
      turn: 1,
      call,
      cached: false,
      latencyMs: 1,
    });
  progress.apply({
    type: "retry",
    at: 2000,
    conversation: "0",
    turn: 1,
    call: "0",
    attempt: 1,
    category: "rate_limit",
    message: "openai is busy (429)",
    delayMs: 1000,
  });
  expect(progressLines(progress, options)).toContain("1 retry, the last because: openai is busy (429)");
  expect(plainLine(progress, { now: NOW })).toContain("1 retry, the last because: openai is busy (429)");
});
