import { expect, test } from "vitest";
import type { ErrorCategory } from "../../models/model-error.ts";
import { DEFAULT_RETRIES, RetryCount } from "./retry-policy.ts";

const longest = (): number => 1;

test.each([
  ["connection", 3],
  ["timeout", 2],
  ["rate_limit", 20],
  ["server", 5],
  ["bad_response", 2],
  ["authentication", 0],
  ["permission", 0],
  ["not_found", 0],
  ["bad_request", 0],
  ["cassette_miss", 0],
  ["tool", 0],
  ["author", 0],
  ["cancelled", 0],
  ["budget", 0],
  ["internal", 0],
] as const satisfies readonly (readonly [ErrorCategory, number])[])(
  "%s is tried again %i times",
  (category, times) => {
    const count = new RetryCount(DEFAULT_RETRIES);
    const delays = Array.from({ length: 25 }, () => count.delayAfter(category, longest));
    expect(delays.filter((delay) => delay !== null)).toHaveLength(times);
    expect(delays.slice(times)).toEqual(new Array(25 - times).fill(null));
  },
);

test("each kind has its own count", () => {
  const count = new RetryCount(DEFAULT_RETRIES);
  for (let failures = 0; failures < 2; failures++)
    expect(count.delayAfter("timeout", longest)).not.toBeNull();
  expect(count.delayAfter("server", longest)).not.toBeNull();
  expect(count.delayAfter("timeout", longest)).toBeNull();
});

test("the longest wait doubles up to a cap, chance takes any part of it, and what the server asks for is kept, with a little spread", () => {
  const policies = { ...DEFAULT_RETRIES, server: { retries: 9, baseMs: 100, capMs: 500 } };
  const all = (random: number, retryAfterMs?: number): (number | null)[] => {
    const count = new RetryCount(policies);
    return [1, 2, 3, 4].map(() => count.delayAfter("server", () => random, { retryAfterMs }));
  };
  expect(all(1)).toEqual([100, 200, 400, 500]);
  expect(all(0.5)).toEqual([50, 100, 200, 250]);
  expect(all(0)).toEqual([0, 0, 0, 0]);
  expect(all(0.5, 150)).toEqual([157.5, 157.5, 157.5, 157.5]);
  expect(all(0.5, 60_000)).toEqual([60_050, 60_100, 60_200, 60_250]);
});
