import { expect, test } from "vitest";
import { parseRateLimitHints, parseRetryAfter } from "./rate-limit-headers.ts";

const NOW = Date.parse("2026-11-16T12:00:00Z");

test.each([
  [{ "retry-after": "2" }, 2_000],
  [{ "Retry-After": " 1.5 " }, 1_500],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after-ms": "250", "retry-after": "1" }, 250],
  [{ "retry-after": "Mon, 16 Nov 2026 12:00:07 GMT" }, 7_000],
  [{ "retry-after": "Mon, 16 Nov 2026 11:00:00 GMT" }, 0],
  [{ "retry-after": "Mon, 16 Nov 2026 15:00:03 GMT", date: "Mon, 16 Nov 2026 15:00:00 GMT" }, 3_000],
  [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" }, 360_000],
  [{ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms" }, 20],
  [{ "x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "6m0s" }, undefined],
  [{ "retry-after": "99999999" }, 600_000],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "Monday, I promise" }, undefined],
  [{ "retry-after": undefined }, undefined],
  [{}, undefined],
])("how long to wait: %o", (headers, wait) => {
  expect(parseRetryAfter(headers, NOW)).toBe(wait);
});

test.each([
  [
    {
      "x-ratelimit-limit-requests": "500",
      "x-ratelimit-remaining-requests": "499",
      "x-ratelimit-reset-requests": "120ms",
      "x-ratelimit-remaining-tokens": "29000",
      "x-ratelimit-reset-tokens": "1h2m3.5s",
    },
    {
      limitRequests: 500,
      remainingRequests: 499,
      resetRequestsMs: 120,
      remainingTokens: 29_000,
      resetTokensMs: 600_000,
    },
  ],
  [
    {
      "anthropic-ratelimit-requests-limit": "50",
      "anthropic-ratelimit-requests-remaining": "0",
      "anthropic-ratelimit-requests-reset": "2026-11-16T12:00:30Z",
      "anthropic-ratelimit-tokens-remaining": "10",
      "anthropic-ratelimit-tokens-reset": "2026-11-16T11:59:59Z",
    },
    {
      limitRequests: 50,
      remainingRequests: 0,
      resetRequestsMs: 30_000,
      remainingTokens: 10,
      resetTokensMs: 0,
    },
  ],
  [
    { "RateLimit-Limit": "100, 100;w=60", "RateLimit-Remaining": "40", "RateLimit-Reset": "5" },
    { limitRequests: 100, remainingRequests: 40, resetRequestsMs: 5_000 },
  ],
  [
    { ratelimit: "limit=100, remaining=50, reset=6" },
    { limitRequests: 100, remainingRequests: 50, resetRequestsMs: 6_000 },
  ],
  [{ ratelimit: '"default";r=50;t=30' }, { remainingRequests: 50, resetRequestsMs: 30_000 }],
  [{ "x-ratelimit-reset": String(NOW / 1_000 + 9) }, { resetRequestsMs: 9_000 }],
  [{ "x-ratelimit-reset": String(NOW + 9) }, { resetRequestsMs: 9 }],
  [{ "x-ratelimit-reset-requests": "6m0s" }, { resetRequestsMs: 360_000 }],
  [{ "x-ratelimit-remaining-requests": "-1", "x-ratelimit-reset-requests": "1y" }, undefined],
  [{ "x-ratelimit-remaining-requests": "many", "x-ratelimit-limit-requests": "1e400" }, undefined],
  [{ "content-type": "text/plain" }, undefined],
])("hints: %o", (headers, hints) => {
  expect(parseRateLimitHints(headers, NOW)).toEqual(hints);
});
