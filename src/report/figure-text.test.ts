import { expect, test } from "vitest";
import { costText, countedText, countText, meanText } from "./figure-text.ts";

test.each([
  [null, "–"],
  [0, "0"],
  [999, "999"],
  [1000, "1,000"],
  [1_234_567, "1,234,567"],
])("%j is the count %s", (count, text) => {
  expect(countText(count)).toBe(text);
});

test("a noun is one or many", () => {
  expect([0, 1, 1200].map((count) => countedText(count, "turn"))).toEqual([
    "0 turns",
    "1 turn",
    "1,200 turns",
  ]);
});

test.each([
  [null, "–"],
  [0, "0.00"],
  [0.000_01, "< 0.0001"],
  [0.0123, "0.0123"],
  [0.12, "0.12"],
  [1234.5, "1,234.50"],
])("%j costs %s", (cost, text) => {
  expect(costText(cost)).toBe(text);
});

test.each([
  [null, "–"],
  [0, "0.00"],
  [4.8181, "4.82"],
  [-1, "-1.00"],
  [0.0012, "0.0012"],
  [1e-9, "1e-9"],
  [-12_345.6, "-12,346"],
  [2e20, "200000000000000000000"],
])("%j is the mean %s", (mean, text) => {
  expect(meanText(mean)).toBe(text);
});
