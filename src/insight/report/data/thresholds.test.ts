import { expect, test } from "vitest";
import { ratedRows } from "../../../../test/report/rated-rows.ts";
import { resultRow } from "../../../../test/report/result-row.ts";
import { parseThreshold, type Threshold, testThresholds } from "./thresholds.ts";

type Rows = Parameters<typeof ratedRows>[0];

function checked(rows: Rows, ...texts: readonly string[]): ReturnType<typeof testThresholds> {
  const thresholds = texts.map((text) => parseThreshold(text) as Threshold);
  return testThresholds(ratedRows(rows), thresholds, 0.8);
}

function passed(rows: Rows, ...texts: readonly string[]): readonly boolean[] {
  return checked(rows, ...texts).map((result) => result.passed);
}

test("a rate, and the lower bound of its interval", () => {
  const rows = [resultRow({ outcomes: { firm: { yes: 9, no: 1 } } })];
  expect(passed(rows, "firm=0.9", "firm=91%", "firm=0.9:lower", "firm=0.5:lower")).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(checked(rows, "firm=0.9")).toMatchObject([
    { outcome: "firm", minimum: 0.9, by: "rate", subject: "model", judge: "rules", actual: 0.9, n: 10 },
  ]);
});

test.each([
  [999, 1, "99.9%"],
  [7, 93, "7%"],
  [29, 71, "0.29"],
  [1, 2, "0.3333333333333333"],
])("exactly what was wanted is enough: %i to %i for %s", (yes, no, minimum) => {
  expect(checked([resultRow({ outcomes: { firm: { yes, no } } })], `firm=${minimum}`)[0]?.passed).toBe(true);
});

test("nothing decided never passes, not even a threshold of 0", () => {
  const open = { inconclusive: 3, infrastructure: 1 };
  const rows = [
    resultRow({ subject: "silent", outcomes: { firm: open, open: { inconclusive: 1 } } }),
    resultRow({ subject: "loud", outcomes: { firm: { no: 1 } } }),
  ];
  expect(passed(rows, "firm=0", "open=0")).toEqual([false, true, false, false]);
  expect(checked([], "firm=0")).toMatchObject([{ subject: null, judge: null, actual: null, passed: false }]);
});

test("conversations that were planned and never began let no threshold pass", () => {
  const rows = [resultRow({ conversations: 10, outcomes: { firm: { yes: 9, no: 1 } } })];
  const rates = ratedRows(rows, { subjects: ["model", "late"], judges: ["rules"], conversations: 20 });
  const results = testThresholds(rates, [{ outcome: "firm", minimum: 0.5, by: "rate" }], 0.8);
  expect(results.map((result) => result.passed)).toEqual([false, false]);
  expect(results[0]?.problem).toMatch(/^10 conversations were cut short/);
});

test("a threshold needs its share of decided conversations, and none that was cut short", () => {
  const few = { firm: { yes: 7, inconclusive: 2, infrastructure: 1, notApplicable: 50 } };
  expect(passed([resultRow({ outcomes: few })], "firm=0.9")).toEqual([false]);
  const enough = [resultRow({ outcomes: { firm: { yes: 8, inconclusive: 2 } } })];
  expect(passed(enough, "firm=0.9")).toEqual([true]);
  for (const status of ["timeout", "budget_exhausted", "cancelled"] as const) {
    const statuses = { completed: 9, [status]: 1 };
    const rows = [resultRow({ conversations: 10, statuses, outcomes: { firm: { yes: 9 } } })];
    expect(passed(rows, "firm=0.9")).toEqual([false]);
  }
});

test.each([
  ["resisted=0.9", "resisted", 0.9, "rate"],
  ["resisted>=0.9", "resisted", 0.9, "rate"],
  [" resisted >= 90 % ", "resisted", 0.9, "rate"],
  ["resisted=90%:lower", "resisted", 0.9, "lower"],
  ["resisted=.5:rate", "resisted", 0.5, "rate"],
  ["resisted=99.9%", "resisted", 0.999, "rate"],
  ["turns_held=4", "turns_held", 4, "rate"],
  ["first_wrong=-1", "first_wrong", -1, "rate"],
  ["a=b=1", "a=b", 1, "rate"],
  ["a:b=1", "a:b", 1, "rate"],
] as const)("%j", (text, outcome, minimum, by) => {
  expect(parseThreshold(text)).toEqual({ outcome, minimum, by });
});

test.each([
  ["resisted", "must be an outcome and what it must reach"],
  ["", "must be an outcome"],
  ["=0.9", "must be an outcome"],
  ["resisted=", "must be an outcome"],
  ["resisted=high", "must be an outcome"],
  ["resisted=1e-1", "must be an outcome"],
  ["resisted=0.9:upper", 'not with "upper"'],
  ["resisted=0.9:", 'not with ""'],
  ["resisted=120%", "between 0 % and 100 %"],
])("%j is refused in a sentence", (text, part) => {
  const problem = parseThreshold(text);
  expect(problem).toContain(part);
  expect(problem).toContain(JSON.stringify(text));
  expect(problem).toMatch(/\.$/);
});
