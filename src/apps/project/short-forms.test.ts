import { describe, expect, test } from "vitest";
import type { BudgetLimits } from "../../engine/run/calls/budget.ts";
import { parseBudget, readFailUnder } from "./short-forms.ts";

test.each<[string, BudgetLimits]>([
  ["5usd", { usd: 5 }],
  ["$ 2.50", { usd: 2.5 }],
  [".5 dollars", { usd: 0.5 }],
  ["5$", { usd: 5 }],
  ["0usd", { usd: 0 }],
  ["1M tokens", { tokens: 1_000_000 }],
  ["1.1k tokens", { tokens: 1_100 }],
  ["0.0015m tokens", { tokens: 1_500 }],
  ["200calls", { calls: 200 }],
  ["$5, 1M tokens , 200 calls", { usd: 5, tokens: 1_000_000, calls: 200 }],
])("%s", (text, limits) => {
  expect(parseBudget(text)).toEqual(limits);
});

describe("what is no budget gets a sentence", () => {
  test.each([
    ...["", "5", "5 eur", "$5 tokens", "five usd", "-5usd", "5usd,", "1,000 tokens", "1e3 tokens"].map(
      (text) => [text, "is not a budget. Write it like"],
    ),
    ["0.5 calls", 'The budget "0.5 calls" is not a whole number of calls.'],
    ["5usd, $6", 'The budget "5usd, $6" limits usd twice'],
  ])("%j", (text, sentence) => {
    expect(parseBudget(text)).toContain(sentence);
  });
});

test.each<[unknown, Readonly<Record<string, string>>]>([
  [
    { resisted: 0.9, turns_held: 3 },
    { resisted: "0.9", turns_held: "3" },
  ],
  [{ resisted: "0.9:lower" }, { resisted: "0.9:lower" }],
  ["resisted=90%", { resisted: "90%" }],
  [["resisted>=0.9", " a=b = 0.5 "], { resisted: "0.9", "a=b": "0.5" }],
])("%j", (value, limits) => {
  expect(readFailUnder(value)).toEqual(limits);
});

test("what is wrong is a sentence; an outcome may be called anything", () => {
  expect(readFailUnder({ resisted: "much" })).toMatch(/"resisted=much" must be/);
  expect(Object.entries(readFailUnder("__proto__=0.5"))).toEqual([["__proto__", "0.5"]]);
});
