import { describe, expect, test } from "vitest";
import type { RateLimitHints } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import { type AccountCaps, Limits } from "./limits.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** Decides about a request at a time. */
interface Gate {
  accept(now: number): boolean;
  hints?(now: number): RateLimitHints;
}

const LIMIT = 50;

const GATES: Readonly<Record<string, () => Gate>> = {
  "sliding window": () => {
    const times: number[] = [];
    return {
      accept(now) {
        while ((times[0] ?? now) <= now - 1_000) times.shift();
        return times.length < LIMIT && times.push(now) > 0;
      },
    };
  },
  "fixed windows": () => fixedWindows(LIMIT, 1_000),
  "bucket with a burst of 50": () => {
    let [tokens, last] = [LIMIT, 0];
    return {
      accept(now) {
        tokens = Math.min(LIMIT, tokens + ((now - last) * LIMIT) / 1_000);
        last = now;
        if (tokens < 1) return false;
        tokens--;
        return true;
      },
    };
  },
};

function fixedWindows(limit: number, windowMs: number): Gate {
  let [window, count] = [-1, 0];
  return {
    accept(now) {
      const current = Math.floor((now + 370) / windowMs);
      if (current !== window) [window, count] = [current, 0];
      return ++count <= limit;
    },
    hints: (now) => ({
      limitRequests: limit,
      remainingRequests: Math.max(0, limit - count),
      resetRequestsMs: windowMs - ((now + 370) % windowMs),
    }),
  };
}

interface Simulation {
  readonly gate: Gate;
  readonly latencyMs: number;
  readonly callers: number;
  readonly calls: number;
  readonly retryAfterMs?: number;
  readonly withHints?: boolean;
  /** Refusals come as late as answers, or at once. */
  readonly slowRefusals?: boolean;
  readonly concurrentCalls?: number;
  readonly caps?: AccountCaps;
}

interface SimulationResult {
  readonly lost: number;
  readonly answered: readonly number[];
  readonly refused: number;
  readonly durationMs: number;
}

async function simulate(options: Simulation): Promise<SimulationResult> {
  const { gate, latencyMs, callers, concurrentCalls = Number.POSITIVE_INFINITY, caps } = options;
  const clock = new VirtualClock(1_000_000);
  // Any even spread will do for jitter.
  const random = (key: string): number => (Number(key.split(" ")[0]) * 0.618) % 1;
  const limits = new Limits({ clock, random, ...(caps === undefined ? {} : { caps: { server: caps } }) });
  const answered: number[] = [];
  let [refused, lost, left, underWay] = [0, 0, options.calls, 0];
  const request = async (): Promise<{ rateLimit?: RateLimitHints }> => {
    if (underWay >= concurrentCalls || !gate.accept(clock.now())) {
      refused++;
      await clock.sleep(options.slowRefusals ? latencyMs : 5);
      const { retryAfterMs } = options;
      throw new ModelError("rate_limit", "429", retryAfterMs === undefined ? {} : { retryAfterMs });
    }
    const hints = options.withHints ? gate.hints?.(clock.now()) : undefined;
    underWay++;
    await clock.sleep(latencyMs);
    underWay--;
    answered.push(clock.now());
    return hints === undefined ? {} : { rateLimit: hints };
  };
  const caller = async (): Promise<void> => {
    while (left > 0) {
      const call = { account: "server", key: String(left--), signal: new AbortController().signal };
      await limits.call(request, { ...call, timeoutMs: null }).catch(() => lost++);
    }
  };
  const start = clock.now();
  await clock.runUntil(Promise.all(Array.from({ length: callers }, caller)));
  return { lost, answered, refused, durationMs: clock.now() - start };
}

/** Answers per second, without the beginning and the end. */
function steadyRate(answered: readonly number[]): number {
  const from = (answered[0] ?? 0) + 5_000;
  const to = (answered.at(-1) ?? 0) - 1_000;
  return (answered.filter((time) => time >= from && time < to).length * 1_000) / (to - from);
}

describe("a server that takes 50 requests a second, and 200 callers who want more", () => {
  const cases = Object.keys(GATES).flatMap((gate) =>
    [20, 500].flatMap((latencyMs) =>
      [undefined, 1_000].flatMap((retryAfterMs) =>
        [false, true].map((slowRefusals) => ({ gate, latencyMs, retryAfterMs, slowRefusals })),
      ),
    ),
  );
  test.each(cases)(
    "$gate, $latencyMs ms, Retry-After $retryAfterMs, slow refusals $slowRefusals",
    async (setting) => {
      const { gate, retryAfterMs, ...rest } = setting;
      const { lost, answered, refused } = await simulate({
        gate: (GATES[gate] as () => Gate)(),
        callers: 200,
        calls: 1_500,
        ...rest,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
      expect(lost).toBe(0);
      expect(answered).toHaveLength(1_500);
      expect(refused / (1_500 + refused)).toBeLessThan(0.05);
      expect(steadyRate(answered)).toBeGreaterThan(0.85 * LIMIT);
    },
  );

  test("with headers that tell what is left, hardly any request is refused after the first burst", async () => {
    const settings = { callers: 200, calls: 1_500, latencyMs: 20, withHints: true };
    const { lost, answered, refused } = await simulate({ gate: fixedWindows(LIMIT, 1_000), ...settings });
    expect(lost).toBe(0);
    expect(refused).toBeLessThan(60);
    expect(steadyRate(answered)).toBeGreaterThan(0.85 * LIMIT);
  });
});

test.each([undefined, 1_000])("a limit per minute is found, too (Retry-After %s)", async (retryAfterMs) => {
  const { lost, refused, durationMs } = await simulate({
    gate: fixedWindows(500, 60_000),
    callers: 200,
    calls: 3_000,
    latencyMs: 2_000,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
  expect(lost).toBe(0);
  // Half of them in the first moment, when 200 calls start and 60 are left.
  expect(refused / (3_000 + refused)).toBeLessThan(0.1);
  expect(durationMs).toBeLessThan(1.3 * 360_000);
});

test("a server that takes 20 calls at a time is kept busy", async () => {
  const settings = { callers: 200, calls: 2_000, latencyMs: 500, concurrentCalls: 20 };
  const { lost, answered, refused } = await simulate({ gate: { accept: () => true }, ...settings });
  expect(lost).toBe(0);
  expect(refused / (2_000 + refused)).toBeLessThan(0.05);
  expect(steadyRate(answered)).toBeGreaterThan(0.75 * 40);
});

describe("a server without limits, and 500 callers", () => {
  const settings = { gate: { accept: () => true }, latencyMs: 20, callers: 500 };

  test("the search for its limits costs little", async () => {
    const { durationMs } = await simulate({ ...settings, calls: 5_000 });
    expect(durationMs).toBeLessThanOrEqual(1.3 * 200);
  });

  test("the search is over after three rounds", async () => {
    const { durationMs } = await simulate({ ...settings, calls: 1_000 });
    expect(durationMs).toBeLessThanOrEqual((3 + 2) * 20);
  });

  test("with a cap of its own there is no search", async () => {
    const { durationMs } = await simulate({ ...settings, calls: 1_000, caps: { maxConcurrency: 500 } });
    expect(durationMs).toBe(40);
  });
});
