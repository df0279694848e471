import { expect, test } from "vitest";
import { wilson } from "../../../core/statistics/proportions.ts";
import {
  costText,
  countedText,
  countText,
  durationText,
  intervalText,
  meanText,
  percentText,
  rateText,
  shareText,
  spendingText,
  spentText,
  timeLeftText,
  tokensText,
} from "./figures.ts";

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

test.each([
  [0, 0, "–"],
  [0, 7, "0.0 %"],
  [7, 7, "100.0 %"],
  [5, 6, "83.3 %"],
  [999, 1000, "99.9 %"],
  [9999, 10_000, "> 99.9 %"],
  [1, 1000, "0.1 %"],
  [1, 10_000, "< 0.1 %"],
])("%i of %i is %s", (part, whole, text) => {
  expect(percentText(part, whole)).toBe(text);
});

test.each([
  [0, 0, "–"],
  [66, 66, "94–100 %"],
  [0, 66, "0–6 %"],
  [55, 66, "73–90 %"],
  [65, 66, "91.9–99.7 %"],
  [999, 1000, "99.44–99.98 %"],
  [83_300, 100_000, "83.1–83.5 %"],
])("the interval of %i of %i is %s", (part, whole, text) => {
  expect(intervalText(wilson(part, whole))).toBe(text);
});

test.each([
  [{ calls: 0, cached: 0, tokens: 0, cost: 0 }, "no calls"],
  [{ calls: 0, cached: 2, tokens: 0, cost: 0 }, "no calls, 2 cached"],
  [{ calls: 1, cached: 1, tokens: 1200, cost: 0.0123 }, "1 call, 1 cached, 1,200 tokens, 0.0123 USD"],
  [{ calls: 3, cached: 0, tokens: null, cost: null }, "3 calls, tokens unknown, cost unknown"],
])("%j", (spending, text) => {
  expect(spendingText(spending)).toBe(text);
});

test.each([
  [0, "0/s"],
  [4.21, "4.2/s"],
  [1234.5, "1,235/s"],
  [0.5, "30.0/min"],
  [0.001, "3.6/h"],
])("%d per second is %s", (rate, text) => {
  expect(rateText(rate)).toBe(text);
});

test.each([
  [0, "a few s left"],
  [41_000, "about 40 s left"],
  [58_000, "about 1 min left"],
  [185_000, "about 3 min left"],
  [89 * 60_000, "about 89 min left"],
  [2.4 * 3_600_000, "about 2 h left"],
  [100 * 3_600_000, "about 4 days left"],
])("%d ms: %s", (left, text) => {
  expect(timeLeftText(left)).toBe(text);
});

test.each([
  [0, "0.0 s"],
  [9949, "9.9 s"],
  [9950, "10 s"],
  [59_600, "1 min 0 s"],
  [200_000, "3 min 20 s"],
  [7_500_000, "2 h 5 min"],
])("%d ms are %s", (duration, text) => {
  expect(durationText(duration)).toBe(text);
});

test("what is unknown is never nothing", () => {
  expect(tokensText({ known: 0, unknown: 1 })).toBe("tokens unknown");
  expect(tokensText({ known: 1, unknown: 1 })).toBe("at least 1 token");
  expect(spentText({ known: 0, unknown: 0 })).toBe("0.00 USD");
  expect(spentText({ known: 0, unknown: 3 })).toBe("cost unknown");
});

test.each<[number, number, string]>([
  [1, 2, "50 %"],
  [2, 3, "67 %"],
  [0, 7, "0 %"],
  [7, 7, "100 %"],
  [1, 1000, "<1 %"],
  [999, 1000, ">99 %"],
  [0, 0, ""],
  [3, 0, ""],
  [4, 3, ""],
])("%i of %i is %j", (part, whole, text) => {
  expect(shareText(part, whole)).toBe(text);
});
