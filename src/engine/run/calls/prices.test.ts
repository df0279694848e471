import { beforeAll, expect, test } from "vitest";
import type { Usage } from "../../models/model.ts";
import { loadPrices, type Prices, requirePrices } from "./prices.ts";

let prices: Prices;
beforeAll(async () => {
  prices = await loadPrices([gpt]);
});

const gpt = { name: "openai/gpt-4o", price: { provider: "openai", model: "gpt-4o" } };
const claude = { name: "claude", price: { provider: "anthropic", model: "claude-sonnet-4-20250514" } };
const gemini = { name: "gemini", price: { provider: "google", model: "gemini-2.5-pro" } };

test.each<[string, { price: { provider: string; model: string } }, Usage, number]>([
  // USD for a million tokens: 2.50 in, 1.25 in from the cache, 10 out.
  ["gpt-4o", gpt, { inputTokens: 1_000, outputTokens: 100 }, 0.0025 + 0.001],
  ["gpt-4o, cached", gpt, { inputTokens: 1_000, cacheReadTokens: 800, outputTokens: 0 }, 0.0005 + 0.001],
  ["gpt-4o, reasoning is output", gpt, { inputTokens: 0, outputTokens: 100, reasoningTokens: 90 }, 0.001],
  // 3 in, 0.30 from the cache, 3.75 into the cache, 15 out.
  [
    "claude",
    claude,
    { inputTokens: 10_000, cacheReadTokens: 6_000, cacheWriteTokens: 3_000, outputTokens: 200 },
    0.003 + 0.0018 + 0.01125 + 0.003,
  ],
  // 1.25 in and 10 out; 2.50 and 15 if there are more than 200,000 in.
  ["gemini, short", gemini, { inputTokens: 100_000, outputTokens: 1_000 }, 0.125 + 0.01],
  ["gemini, long", gemini, { inputTokens: 400_000, outputTokens: 1_000 }, 1 + 0.015],
])("%s", (_, card, usage, usd) => {
  expect(prices.cost(card, usage)).toBeCloseTo(usd, 10);
});

test("free, unknown and untold are three things", () => {
  const usage = { inputTokens: 10, outputTokens: 10 };
  expect(prices.cost({ price: null }, undefined)).toBe(0);
  expect(prices.cost({}, usage)).toBeNull();
  expect(prices.cost({ price: { provider: "openai", model: "no-such-model" } }, usage)).toBeNull();
  expect(prices.cost({ price: { provider: "nobody", model: "gpt-4o" } }, usage)).toBeNull();
  expect(prices.cost(gpt, undefined)).toBeNull();
});

test.each([
  { inputTokens: Number.NaN, outputTokens: 1 },
  { inputTokens: -1, outputTokens: 1 },
  { inputTokens: 1, outputTokens: Number.POSITIVE_INFINITY },
  { inputTokens: 10, cacheReadTokens: 20, outputTokens: 1 },
])("figures that cannot be are no cost: %o", (usage) => {
  expect(prices.cost(gpt, usage)).toBeNull();
});

test("a budget in USD needs prices", () => {
  expect(() => requirePrices(prices, [gpt, claude, { name: "sim", price: null }])).not.toThrow();
  expect(() => requirePrices(prices, [gpt, { name: "mine" }, { name: "mine" }])).toThrow(
    "A budget in USD cannot be kept because no price is known for mine. Set a budget in tokens or calls instead.",
  );
});
