import { expect, test } from "vitest";
import { ratedRows } from "../../../../test/report/rated-rows.ts";
import { resultRow } from "../../../../test/report/result-row.ts";
import { wilson } from "../../../core/statistics/proportions.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { BAR_WIDTH, intervalBar, outcomeRatesText } from "./rate-table.ts";

test.each([
  [0, 20, "█▒▒▒░░░░░░░░░░░░░░░░"],
  [7, 20, "░░░▒▒▒▒█▒▒▒▒░░░░░░░░"],
  [20, 20, "░░░░░░░░░░░░░░░░▒▒▒█"],
  [500_000, 1_000_000, "░░░░░░░░░▒█░░░░░░░░░"],
])("%i of %i", (yes, n, bar) => {
  expect(bar).toHaveLength(BAR_WIDTH);
  expect(intervalBar(yes / n, wilson(yes, n))).toBe(bar);
});

test("there is none without a rate", () => {
  expect(intervalBar(null, null)).toBe("");
});

test("what does not apply has a column of its own, where there is something in it", () => {
  const layout = { style: PLAIN_STYLE, width: 90 };
  const rows = [resultRow({ subject: "a", outcomes: { firm: { yes: 3, no: 1, notApplicable: 6 } } })];
  const [heading = "", line = ""] = outcomeRatesText(ratedRows(rows), layout);
  expect(heading.trim().split(/ {2,}/)).toEqual([
    "firm",
    "rate",
    "95 % interval",
    "n",
    "n/a",
    "inconclusive",
    "errors",
  ]);
  expect(line).toMatch(/^ {2}a +75\.0 % .* 4 × 1 +6 +0 +0$/);
  const all = [resultRow({ subject: "a", outcomes: { firm: { yes: 3 } } })];
  expect(outcomeRatesText(ratedRows(all), layout)[0]).not.toContain("n/a");
});
