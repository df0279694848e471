import { expect, test } from "vitest";
import { ratedRows } from "../../../../test/report/rated-rows.ts";
import { resultRow } from "../../../../test/report/result-row.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { parseThreshold, type Threshold, testThresholds } from "../data/thresholds.ts";
import { thresholdReason, thresholdText } from "./threshold-text.ts";

type Rows = Parameters<typeof ratedRows>[0];

function checked(rows: Rows, ...texts: readonly string[]): ReturnType<typeof testThresholds> {
  const thresholds = texts.map((text) => parseThreshold(text) as Threshold);
  return testThresholds(ratedRows(rows), thresholds, 0.8);
}

function verdicts(rows: Rows, ...texts: readonly string[]): readonly string[] {
  return checked(rows, ...texts).map((one) => `${one.passed ? "✓" : "✗"} ${thresholdReason(one, ["rules"])}`);
}

const NINETY = [resultRow({ outcomes: { firm: { yes: 9, no: 1 } } })];

test("a rate, the lower bound of its interval, and a mean", () => {
  expect(verdicts(NINETY, "firm=0.9", "firm=0.9:lower", "firm=90")).toEqual([
    "✓ firm of model is 90.0 % (n 10 × 1), at least 90 %.",
    "✗ firm of model is 90.0 % (n 10 × 1); the lower bound of its 95 % interval is 60.0 %, below 90 %.",
    "✗ firm of model cannot reach 90, because a rate is at most 1: write 90% if that is meant.",
  ]);
  const rows = [resultRow({ outcomes: { held: { numbers: 3, mean: 4 } } })];
  expect(verdicts(rows, "held=4", "held=0.5:lower")).toEqual([
    "✓ held of model is 4.00 on average (n 3 × 1), at least 4.",
    '✗ held of model has no interval to compare with: nothing is decided (n 3 × 1). Use more items, or leave out ":lower".',
  ]);
});

test("rounding never makes a sentence contradict itself", () => {
  const rows = [
    resultRow({ outcomes: { firm: { yes: 8996, no: 1004 }, held: { numbers: 1, mean: 3.999 } } }),
  ];
  expect(verdicts(rows, "firm=90%", "firm=89.955%", "held=4")).toEqual([
    "✗ firm of model is 89.96 % (n 10,000 × 1), below 90 %.",
    "✓ firm of model is 90.0 % (n 10,000 × 1), at least 89.955 %.",
    "✗ held of model is 3.999 on average (n 1 × 1), below 4.",
  ]);
});

test("undecided conversations are counted, and too many of them are a problem", () => {
  const few = { firm: { yes: 7, inconclusive: 2, infrastructure: 1 }, open: { inconclusive: 1 } };
  expect(verdicts([resultRow({ outcomes: few })], "firm=0.9", "open=0")).toEqual([
    "✗ firm of model is 100.0 % (n 7 × 1, 2 inconclusive, 1 not decided for errors), at least 90 %. This is not enough: it was decided in 7 of 10 conversations, and 80 % are needed (min-decided).",
    "✗ open of model is not known: it was decided in no conversation (n 0, 1 inconclusive).",
  ]);
});

test("the nearest name of an unknown outcome is suggested", () => {
  expect(verdicts(NINETY, "frim=0.9")).toEqual(['✗ The run has no outcome "frim". Did you mean "firm"?']);
  expect(verdicts([], "firm=0")).toEqual(['✗ Nothing can be said about "firm": the run has no outcomes.']);
});

test("a line for each threshold, and how many were not reached", () => {
  const layout = { style: PLAIN_STYLE, width: 50, judges: ["rules"] };
  expect(thresholdText([], layout)).toBe("");
  expect(thresholdText(checked(NINETY, "firm=0.9"), layout)).toMatch(/\nThe threshold was reached\.\n$/);
  expect(thresholdText(checked(NINETY, "firm=0.9", "firm=0.8"), layout)).toContain(
    "All 2 thresholds were reached.",
  );
  expect(thresholdText(checked(NINETY, "firm=0.9", "firm=0.95"), layout)).toBe(`\
Thresholds
✓ reached firm of model is 90.0 % (n 10 × 1), at
          least 90 %.
✗ missed  firm of model is 90.0 % (n 10 × 1),
          below 95 %.
1 of 2 thresholds was not reached.
`);
});
