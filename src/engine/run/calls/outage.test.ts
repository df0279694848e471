import { expect, test } from "vitest";
import { VirtualClock } from "../../../../test/virtual-clock.ts";
import { Rng } from "../../../core/rng.ts";
import { ModelError } from "../../models/model-error.ts";
import { Limits, type LimitsOptions } from "./limits.ts";
import type { OutageReport } from "./outage.ts";

interface World {
  readonly clock: VirtualClock;
  readonly reports: OutageReport[];
  /** How often each call was answered. */
  readonly answers: Map<string, number>;
  readonly lost: unknown[];
  attempts: number;
  readonly done: Promise<void>;
}

/** 300 callers with five calls each, to a server that answers after 20 ms if `isThere`. */
function startCalls(isThere: (now: number) => boolean, options: Partial<LimitsOptions> = {}): World {
  const clock = new VirtualClock(1_000_000);
  const reports: OutageReport[] = [];
  const random = (key: string): number => new Rng(key).next();
  const limits = new Limits({
    clock,
    random,
    onOutage: (report) => reports.push(report),
    ...options,
  });
  const [answers, lost]: [Map<string, number>, unknown[]] = [new Map(), []];
  const world: World = { clock, reports, answers, lost, attempts: 0, done: undefined as never };
  const caller = async (name: number): Promise<void> => {
    for (let count = 0; count < 5; count++) {
      const key = `${name} ${count}`;
      const attempt = async (): Promise<object> => {
        world.attempts++;
        const since = clock.now() - 1_000_000;
        if (!isThere(since)) throw new ModelError("connection", "It refused the connection.");
        await clock.sleep(20);
        if (!isThere(clock.now() - 1_000_000))
          throw new ModelError("connection", "It closed the connection.");
        answers.set(key, (answers.get(key) ?? 0) + 1);
        return {};
      };
      const signal = new AbortController().signal;
      await limits
        .call(attempt, { account: "a", key, signal, timeoutMs: null })
        .catch((error) => lost.push(error));
    }
  };
  const done = Promise.all(Array.from({ length: 300 }, (_, name) => caller(name)));
  return Object.assign(world, { done: done.then(() => {}) });
}

test.each([1_000, 3_000, 30_000, 120_000, 500_000])(
  "a server that is away for %i ms costs no call, and little more than that time",
  async (ms) => {
    const world = startCalls((now) => now < 50 || now >= 50 + ms);
    await world.clock.runUntil(world.done);
    expect(world.lost).toEqual([]);
    expect([...world.answers.values()]).toEqual(new Array(1_500).fill(1));
    expect(world.clock.now() - 1_000_000).toBeLessThan(ms * 1.2 + 1_000);
    expect(world.reports.map(({ status }) => status)).toEqual(["begin", "end"]);
    // Those that were in flight, and probes.
    expect(world.attempts - 1_500).toBeLessThan(700);
  },
);

test("a server that is away from the start is waited for as well, for a minute", async () => {
  const soon = startCalls((now) => now >= 30_000);
  await soon.clock.runUntil(soon.done);
  expect(soon.lost).toEqual([]);
  const late = startCalls((now) => now >= 300_000);
  await late.clock.runUntil(late.done);
  expect(late.reports.map(({ status }) => status)).toContain("given_up");
  const chosen = startCalls((now) => now >= 300_000, { patience: { ms: 600_000, isChosen: true } });
  await chosen.clock.runUntil(chosen.done);
  expect(chosen.lost).toEqual([]);
});

test("after the patience all that waits fails together, with a reason, and the rest at once", async () => {
  const world = startCalls((now) => now < 50, { patience: { ms: 60_000, isChosen: false } });
  await world.clock.runUntil(world.done);
  expect(world.answers.size).toBeGreaterThan(100);
  expect(world.lost).toHaveLength(1_500 - world.answers.size);
  expect(world.lost[0]).toMatchObject({
    category: "connection",
    message: expect.stringMatching(/^It (?:refused|closed) the connection\. That was so for 60 s\.$/),
  });
  expect(world.clock.now() - 1_000_000).toBeLessThan(80_000);
  expect(world.reports.map(({ status }) => status)).toEqual(["begin", "given_up"]);
});

test("a server that comes back after that is used again", async () => {
  const world = startCalls((now) => now < 50, { patience: { ms: 10_000, isChosen: true } });
  await world.clock.advance(15_000);
  const answered = world.answers.size;
  const again = new Limits({
    clock: world.clock,
    random: () => 0.5,
    patience: { ms: 1_000, isChosen: true },
  });
  let isThere = false;
  const call = () =>
    again.call<{ text: string; rateLimit?: never }>(
      async () => {
        if (!isThere) throw new ModelError("connection", "away");
        return { text: "back" };
      },
      { account: "a", key: "k", signal: new AbortController().signal, timeoutMs: null },
    );
  await expect(world.clock.runUntil(call())).rejects.toThrow("away");
  isThere = true;
  await world.clock.advance(60_000);
  expect(await world.clock.runUntil(call())).toMatchObject({ reply: { text: "back" } });
  expect(answered).toBeGreaterThan(0);
});

test("without patience, calls fail after their own retries", async () => {
  const world = startCalls((now) => now < 50, { patience: { ms: 0, isChosen: true } });
  await world.clock.runUntil(world.done);
  expect(world.lost.length).toBeGreaterThan(1_000);
  expect(world.reports).toEqual([]);
});

test("connections that break by chance are no outage", async () => {
  const rng = new Rng("chance");
  const world = startCalls(() => rng.next() > 0.1, {
    retries: { connection: { retries: 20, baseMs: 100, capMs: 100 } },
  });
  await world.clock.runUntil(world.done);
  expect(world.lost).toEqual([]);
  expect(world.reports).toEqual([]);
  expect(world.clock.now() - 1_000_000).toBeLessThan(2_000);
});

test("a call that waits for the server can be cancelled", async () => {
  const clock = new VirtualClock();
  const limits = new Limits({ clock, random: () => 0.5 });
  const controller = new AbortController();
  const away = (): Promise<object> => Promise.reject(new ModelError("connection", "away"));
  const call = limits.call(away, { account: "a", key: "k", signal: controller.signal, timeoutMs: null });
  const seen = expect(call).rejects.toMatchObject({ category: "cancelled" });
  await clock.advance(20_000);
  controller.abort();
  await seen;
  expect(clock.timers).toBe(0);
});

test("a wrong certificate is no outage, and is not tried again", async () => {
  const limits = new Limits({ clock: new VirtualClock(), random: () => 0.5 });
  let attempts = 0;
  const attempt = (): Promise<object> => {
    attempts++;
    return Promise.reject(new ModelError("connection", "expired", { isLasting: true }));
  };
  const options = { account: "a", key: "k", signal: new AbortController().signal, timeoutMs: null };
  await expect(limits.call(attempt, options)).rejects.toThrow("expired");
  expect(attempts).toBe(1);
});
