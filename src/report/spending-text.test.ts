import { expect, test } from "vitest";
import { spendingText } from "./spending-text.ts";

test.each([
  [{ calls: 0, cached: 0, tokens: 0, cost: 0 }, "no calls"],
  [{ calls: 0, cached: 2, tokens: 0, cost: 0 }, "no calls, 2 known answers"],
  [{ calls: 1, cached: 1, tokens: 1200, cost: 0.0123 }, "1 call, 1 known answer, 1,200 tokens, 0.0123 USD"],
  [{ calls: 3, cached: 0, tokens: null, cost: null }, "3 calls, tokens unknown, cost unknown"],
])("%j", (spending, text) => {
  expect(spendingText(spending)).toBe(text);
});
