import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../../test/virtual-clock.ts";
import { Rng } from "../../../core/rng.ts";
import type { RateLimitHints } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import { type AccountCaps, Limits } from "./limits.ts";
import { DEFAULT_RETRIES, RetryCount } from "./retry-policy.ts";

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

/** Any even spread will do for jitter. */
const spread = (key: string): number => (Number(key.split(" ")[0]) * 0.618) % 1;

async function simulate(options: Simulation): Promise<SimulationResult> {
  const { gate, latencyMs, callers, concurrentCalls = Number.POSITIVE_INFINITY, caps } = options;
  const clock = new VirtualClock(1_000_000);
  const limits = new Limits({
    clock,
    random: spread,
    ...(caps === undefined ? {} : { caps: { server: caps } }),
  });
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

/** The fewest answers in any second, without the beginning and the end. */
function slowestSecond(answered: readonly number[]): number {
  const from = Math.ceil((answered[0] ?? 0) / 1_000) + 5;
  const to = Math.floor((answered.at(-1) ?? 0) / 1_000) - 1;
  const counts = Array.from(
    { length: to - from },
    (_, second) => answered.filter((time) => Math.floor(time / 1_000) === from + second).length,
  );
  return Math.min(...counts);
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
      // It neither stops nor jumps once the limit is found.
      expect(slowestSecond(answered)).toBeGreaterThan(0.5 * LIMIT);
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

/** Refuses a share of all requests, however many there are. */
function byChance(share: number): Gate {
  const rng = new Rng(`chance ${share}`);
  return { accept: () => rng.next() >= share };
}

/** How long the same calls take for callers who know that refusals are chance: each waits for itself, and nobody for others. */
async function timeWithoutLimits({ gate, latencyMs, callers, calls, retryAfterMs }: Simulation) {
  const clock = new VirtualClock(1_000_000);
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      const key = String(left--);
      const count = new RetryCount(DEFAULT_RETRIES);
      while (!gate.accept(clock.now())) {
        await clock.sleep(5);
        await clock.sleep(count.delayAfter("rate_limit", () => spread(key), { retryAfterMs }) ?? 0);
      }
      await clock.sleep(latencyMs);
    }
  };
  const start = clock.now();
  await clock.runUntil(Promise.all(Array.from({ length: callers }, caller)));
  return clock.now() - start;
}

describe("a server that refuses some calls by chance", () => {
  const cases = [0.01, 0.02, 0.1, 0.2].flatMap((share) =>
    [undefined, 200, 2_000].flatMap((retryAfterMs) =>
      [
        { latencyMs: 20, callers: 200, calls: 4_000 },
        { latencyMs: 500, callers: 200, calls: 2_000 },
        { latencyMs: 20, callers: 3, calls: 400 },
      ].map((load) => ({ share, retryAfterMs, ...load })),
    ),
  );
  test.each(cases)(
    "$share refused, Retry-After $retryAfterMs, $latencyMs ms, $callers callers: nearly as quick as if each call waited for itself",
    async ({ share, retryAfterMs, ...load }) => {
      const settings = { ...load, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
      const { lost, answered, durationMs } = await simulate({ ...settings, gate: byChance(share) });
      const alone = await timeWithoutLimits({ ...settings, gate: byChance(share) });
      expect(lost).toBe(0);
      expect(answered).toHaveLength(load.calls);
      expect(alone / durationMs).toBeGreaterThan(0.8);
    },
  );

  test.each(Object.keys(GATES))("also beside a real limit: %s", async (name) => {
    const [limit, chance] = [(GATES[name] as () => Gate)(), byChance(0.02)];
    const gate = { accept: (now: number) => chance.accept(now) && limit.accept(now) };
    const { lost, answered } = await simulate({ gate, callers: 200, calls: 2_000, latencyMs: 100 });
    expect(lost).toBe(0);
    expect(steadyRate(answered)).toBeGreaterThan(0.8 * LIMIT);
  });
});

test("what one call is asked to wait does not stop the others", async () => {
  const clock = new VirtualClock(1_000_000);
  const limits = new Limits({ clock, random: () => 0.5 });
  const call = (key: string) => ({
    account: "a",
    key,
    signal: new AbortController().signal,
    timeoutMs: null,
  });
  const answer = () => clock.sleep(20).then(() => ({}));
  let refusals = 1;
  const unlucky = async (): Promise<object> => {
    await clock.sleep(5);
    if (refusals-- > 0) throw new ModelError("rate_limit", "429", { retryAfterMs: 60_000 });
    return {};
  };
  const times: number[] = [];
  const first = limits.call(unlucky, call("unlucky"));
  const others = Array.from({ length: 50 }, async (_, caller) => {
    for (let count = 0; count < 20; count++) await limits.call(answer, call(`${caller} ${count}`));
    times.push(clock.now());
  });
  await clock.runUntil(Promise.all([first, ...others]));
  expect(Math.max(...times) - 1_000_000).toBeLessThan(1_000);
  expect(clock.now() - 1_000_000).toBeGreaterThan(60_000);
});

test("an account at its limit does not slow another one down", async () => {
  const clock = new VirtualClock(1_000_000);
  const limits = new Limits({ clock, random: () => 0.5 });
  const gate = (GATES["sliding window"] as () => Gate)();
  const endOf = async (account: string, accept: () => boolean): Promise<number> => {
    const request = async (): Promise<object> => {
      await clock.sleep(20);
      if (!accept()) throw new ModelError("rate_limit", "429");
      return {};
    };
    const callers = Array.from({ length: 50 }, async (_, caller) => {
      for (let count = 0; count < 10; count++) {
        const key = `${caller} ${count}`;
        await limits.call(request, { account, key, signal: new AbortController().signal, timeoutMs: null });
      }
    });
    await Promise.all(callers);
    return clock.now() - 1_000_000;
  };
  const both = Promise.all([endOf("limited", () => gate.accept(clock.now())), endOf("free", () => true)]);
  const [limited, free] = await clock.runUntil(both);
  expect(limited).toBeGreaterThan(8_000);
  expect(free).toBe(200);
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
