import { expect, test } from "vitest";
import { wilson } from "../../statistics/proportions.ts";
import { BAR_WIDTH, intervalBar } from "./outcome-rates-text.ts";

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
