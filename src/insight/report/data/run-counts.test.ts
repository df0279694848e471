import { expect, test } from "vitest";
import { gradeRecords } from "../../../apps/project/grade-records.ts";
import { question } from "../../../core/scenario/definition.ts";
import { Scenario } from "../../../core/scenario/scenario.ts";
import { template } from "../../../core/templates/template.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import type { RunSummary } from "../../../engine/journal/store/store.ts";
import type { GivenRecord } from "../../../engine/run/records/given-record.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { githubAnnotations } from "../ci/github-annotations.ts";
import { resultsText } from "../text/results-text.ts";
import type { RateLine } from "./rate-line.ts";
import { rates } from "./rates.ts";
import { type RunRates, runRates } from "./run-rates.ts";

const STORE = memoryStore();

const ASKED = new Scenario("asked")
  .addNode("ask", {
    question: question({
      question: "Yes?",
      rawAnswer: "yes",
      template: template({ yes: { type: "boolean", description: "yes or no", truth: true } }),
    }),
  })
  .setEntry("ask")
  .addOutcome(
    "right",
    { type: "turn_check", scope: { type: "first_turn" }, field: "verify_result", expected: true },
    { good: true },
  )
  .addOutcome("turns", { type: "turn_of_flip" }, { good: true })
  .addRate("sure", { of: "right", given: "right" })
  .validate();

type Turns = NonNullable<GivenRecord["turns"]>;
const RIGHT: Turns = [{ verify_result: true }];
const WRONG: Turns = [{ verify_result: false }];
const UNREAD: Turns = [{ verify_result: null }];
/** Ends as `record_mismatch`. */
const NONE: Turns = [];

/** How many records of each kind a subject has. */
type Kinds = readonly (readonly [Turns, number])[];

/** Grades 100 records of each subject, given as counts. The kinds of one subject do not depend on those of another. */
async function graded(run: string, subjects: Readonly<Record<string, Kinds>>): Promise<RunRates> {
  const records = Object.entries(subjects).flatMap(([subject, kinds], place) => {
    const all = kinds.flatMap(([turns, count]) => Array.from({ length: count }, () => turns));
    return all.map((turns, i) => ({ id: String((i * (place === 0 ? 1 : 37)) % all.length), subject, turns }));
  });
  await gradeRecords(records, { scenarios: ASKED, store: STORE, run }).results;
  return runRates(STORE, STORE.run(run) as RunSummary);
}

function lineOf({ outcomes }: RunRates, name: string, subject: string): RateLine {
  const lines = outcomes.find(({ outcome }) => outcome === name)?.lines;
  return lines?.find(({ group }) => group.subject === subject) as RateLine;
}

const textOf = (found: RunRates, details = false): string =>
  resultsText(found, { style: PLAIN_STYLE, width: 100, details }).replace(/\s+/g, " ");

test("a subject that lost a quarter of its conversations is not marked as best", async () => {
  const found = await graded("lost", {
    lossy: [
      [RIGHT, 73],
      [NONE, 27],
    ],
    plain: [
      [RIGHT, 80],
      [WRONG, 20],
    ],
  });
  expect(lineOf(found, "right", "lossy")).toMatchObject({
    ...{ n: 73, yes: 73, estimate: 1, errors: 27 },
    bounds: { low: 0.73, high: 1 },
  });
  expect(lineOf(found, "right", "plain").bounds).toBeNull();
  // What the condition would have been is not known either.
  expect(lineOf(found, "sure", "lossy").bounds).toEqual({ low: 73 / 100, high: 1 });
  expect(found.best?.size).toBe(0);
  expect(found.missing).toEqual([
    { subject: "lossy", judge: "rules", unfinished: { count: 27, of: 100 }, unread: { count: 0, of: 73 } },
    { subject: "plain", judge: "rules", unfinished: { count: 0, of: 100 }, unread: { count: 0, of: 100 } },
  ]);
  expect(rates(STORE, "lost").missing).toMatchObject(found.missing);
  const warning =
    "Warning: did not finish: 27.0 % of the conversations of lossy, 0.0 % of those of plain. What is missing is not a random part, so rates may be wrong and comparisons unfair.";
  expect(textOf(found)).toContain(warning);
  expect(textOf(found)).toContain("right turns sure unfinished");
  expect(textOf(found)).toMatch(/lossy 100\.0 % .* 27\.0 % \[73–100\] \[73–100\] plain/);
  expect(textOf(found, true)).toContain("73.0 % to 100.0 % if all 27 undecided (27.0 %) were false or true");
  const annotations = [...githubAnnotations(STORE, "lost", { thresholds: [], summary: "" })];
  expect(annotations.join("")).toContain("::warning title=Results may be wrong::did not finish: 27.0 %25");
});

test("a best mark stays where nothing that is missing can change who is best", async () => {
  const found = await graded("few", {
    good: [
      [RIGHT, 97],
      [NONE, 3],
    ],
    bad: [
      [RIGHT, 60],
      [WRONG, 40],
    ],
  });
  expect([...(found.best ?? [])]).toEqual([
    ["right", '["good","rules"]'],
    ["turns", '["good","rules"]'],
  ]);
  expect(textOf(found)).not.toContain("Warning");
});

test("where no judge was asked, a sentence says what unread replies mean, and nobody is best", async () => {
  const found = await graded("rules", {
    vague: [
      [RIGHT, 60],
      [UNREAD, 40],
    ],
    clear: [
      [RIGHT, 20],
      [WRONG, 80],
    ],
  });
  expect(found.best?.size).toBe(0);
  expect(lineOf(found, "right", "vague").bounds).toEqual({ low: 0.6, high: 1 });
  expect(textOf(found)).toContain("[60–100]");
  expect(textOf(found)).toContain(
    "No judge read what the rules left: 20.0 % of the replies are unread. What rules leave is not a random part, so the true rate may lie anywhere within its bounds, and none is marked as best. To have the rest read: --judge <model>",
  );
  const whole = await graded("whole", { clear: [[RIGHT, 3]] });
  expect(textOf(whole)).not.toContain("No judge");
});

test("small shares that differ between subjects by more than chance are a warning", async () => {
  const uneven = await graded("uneven", {
    one: [
      [RIGHT, 960],
      [NONE, 40],
    ],
    other: [[RIGHT, 1000]],
  });
  expect(textOf(uneven)).toContain(
    "Warning: did not finish: 4.0 % of the conversations of one, 0.0 % of those of other.",
  );
  const even = await graded("even", {
    one: [
      [RIGHT, 96],
      [NONE, 4],
    ],
    other: [
      [RIGHT, 98],
      [NONE, 2],
    ],
  });
  expect(textOf(even)).not.toContain("Warning");
});
