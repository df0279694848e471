import { describe, expect, test } from "vitest";
import type { BudgetLimits } from "../../engine/run/calls/budget.ts";
import { parseBudget, readFailUnder } from "./short-forms.ts";

test.each<[string, BudgetLimits]>([
  ["5usd", { usd: 5 }],
  ["$5", { usd: 5 }],
  ["$ 2.50", { usd: 2.5 }],
  ["2.50 USD", { usd: 2.5 }],
  [".5 dollars", { usd: 0.5 }],
  ["5$", { usd: 5 }],
  ["0usd", { usd: 0 }],
  ["100k tokens", { tokens: 100_000 }],
  ["1M tokens", { tokens: 1_000_000 }],
  ["1.1k tokens", { tokens: 1_100 }],
  ["0.0015m tokens", { tokens: 1_500 }],
  ["200calls", { calls: 200 }],
  ["1 call", { calls: 1 }],
  ["$5, 1M tokens , 200 calls", { usd: 5, tokens: 1_000_000, calls: 200 }],
])("%s", (text, limits) => {
  expect(parseBudget(text)).toEqual({ limits });
});

describe("what is no budget gets a sentence", () => {
  test.each([
    ["", "The budget is empty."],
    ["5", 'The budget "5" does not say of what: usd, tokens or calls.'],
    ["5 eur", '"5 eur" is not a budget: it is counted in usd, tokens or calls.'],
    ["$5 tokens", '"$5 tokens" is not a budget: it is counted in usd, tokens or calls.'],
    ["five usd", '"five usd" is not a budget.'],
    ["-5usd", '"-5usd" is not a budget.'],
    ["5usd,", '"" is not a budget.'],
    ["1,000 tokens", 'The budget "1" does not say of what'],
    ["0.5 calls", 'The budget "0.5 calls" is not a whole number of calls.'],
    ["5usd, $6", 'The budget "5usd, $6" limits usd twice'],
    ["1e3 tokens", '"1e3 tokens" is not a budget'],
  ])("%j", (text, sentence) => {
    const { problem } = parseBudget(text);
    expect(problem).toContain(sentence);
    expect(problem).toMatch(/\.$/);
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
  expect(readFailUnder(value)).toEqual({ limits });
});

test("what is wrong is a sentence", () => {
  expect(readFailUnder("resisted").problem).toMatch(/^The threshold "resisted" must be/);
  expect(readFailUnder({ resisted: "much" }).problem).toMatch(/"resisted=much" must be/);
  expect(readFailUnder({ resisted: "0.9:upper" }).problem).toMatch(/not with "upper"/);
});

test("an outcome may be called anything", () => {
  const { limits } = readFailUnder("__proto__=0.5");
  expect(Object.entries(limits ?? {})).toEqual([["__proto__", "0.5"]]);
});
