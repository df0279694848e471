import fc from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock } from "../../../../test/virtual-clock.ts";
import { AccountLimiter, type Waiting, WaitQueue } from "./account-limiter.ts";
import type { Start } from "./admission-control.ts";

const never = new AbortController().signal;

function started(limiter: AccountLimiter, most = 1_000): Start[] {
  const starts: Start[] = [];
  while (starts.length < most) {
    const start = limiter.tryStart();
    if (start === null) break;
    starts.push(start);
  }
  return starts;
}

test("first come, first served; a call that had its turn before goes first", async () => {
  const clock = new VirtualClock();
  const limiter = new AccountLimiter(clock, { caps: { maxConcurrency: 1 } });
  const order: string[] = [];
  const join = (name: string, first?: boolean): Promise<void> =>
    limiter.wait(never, first).then((start) => {
      order.push(name);
      limiter.finish(start, { kind: "success" });
    });
  const [running] = started(limiter);
  const all = Promise.all([join("a"), join("b"), join("c"), join("again", true)]);
  limiter.finish(running as Start, { kind: "success" });
  await clock.runUntil(all);
  expect(order).toEqual(["again", "a", "b", "c"]);
  expect(limiter.inFlight).toBe(0);
});

test("nobody overtakes those who wait", async () => {
  const limiter = new AccountLimiter(new VirtualClock(), { caps: { requestsPerSecond: 1 } });
  started(limiter);
  void limiter.wait(never);
  expect(limiter.tryStart()).toBeNull();
});

test("a call that is cancelled leaves the queue at once, and the others move up", async () => {
  const clock = new VirtualClock();
  const limiter = new AccountLimiter(clock, { caps: { maxConcurrency: 1 } });
  const [running] = started(limiter);
  const controller = new AbortController();
  const cancelled = limiter.wait(controller.signal);
  const next = limiter.wait(never);
  controller.abort();
  await expect(cancelled).rejects.toMatchObject({ category: "cancelled" });
  await expect(limiter.wait(controller.signal)).rejects.toMatchObject({ category: "cancelled" });
  expect(limiter.waiting).toBe(1);
  limiter.finish(running as Start, { kind: "other" });
  await clock.runUntil(next);
  expect(limiter.inFlight).toBe(1);
});

test("a refusal pauses the whole account for as long as the server says", async () => {
  const clock = new VirtualClock();
  const limiter = new AccountLimiter(clock);
  const [call] = started(limiter, 1);
  limiter.finish(call as Start, { kind: "refused", retryAfterMs: 7_000 });
  const next = limiter.wait(never);
  await clock.advance(6_999);
  expect(limiter.waiting).toBe(1);
  expect((await clock.runUntil(next)).time).toBe(7_000);
});

test("a server in trouble may ask for a pause, too", async () => {
  const clock = new VirtualClock();
  const limiter = new AccountLimiter(clock);
  const [call] = started(limiter, 1);
  limiter.finish(call as Start, { kind: "trouble", retryAfterMs: 3_000 });
  expect((await clock.runUntil(limiter.wait(never))).time).toBe(3_000);
});

test("refusals of calls that were under way at the cut do not cut again", async () => {
  const clock = new VirtualClock(10_000);
  const limiter = new AccountLimiter(clock, { caps: { maxConcurrency: 100 } });
  const calls = started(limiter);
  expect(calls).toHaveLength(100);
  for (const call of calls.slice(0, 50)) limiter.finish(call, { kind: "success" });
  for (const call of calls.slice(50)) limiter.finish(call, { kind: "refused" });
  await clock.advance(3_600_000);
  // The last call had started when the window was full; one cut leaves 70, two would leave 49.
  const again: Start[] = [];
  for (let second = 0; second < 60 && again.length < 70; second++) {
    again.push(...started(limiter));
    await clock.advance(1_000);
  }
  expect(again.length).toBeGreaterThanOrEqual(60);
});

test("while nothing succeeds, calls go out one at a time and ever more rarely", async () => {
  const clock = new VirtualClock();
  const limiter = new AccountLimiter(clock);
  const times: number[] = [];
  for (let calls = 0; calls < 10; calls++) {
    const start = limiter.tryStart() ?? (await clock.runUntil(limiter.wait(never)));
    times.push(start.time);
    if (calls > 0) expect(limiter.tryStart()).toBeNull();
    limiter.finish(start, { kind: "refused" });
  }
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(gaps).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
});

test("when nothing is left, waits for the reset that a reply announced", async () => {
  const clock = new VirtualClock();
  const limiter = new AccountLimiter(clock);
  const [requests, tokens] = started(limiter, 2) as [Start, Start];
  limiter.finish(requests, { kind: "success", hints: { remainingRequests: 0, resetRequestsMs: 4_000 } });
  limiter.finish(tokens, { kind: "success", hints: { remainingTokens: 0, resetTokensMs: 5_000 } });
  expect((await clock.runUntil(limiter.wait(never))).time).toBe(5_000);
});

test("when little is left, makes it last; when much is left, does not hold back", async () => {
  for (const [remainingRequests, expected] of [
    [4, 1_000],
    [60, 0],
  ] as const) {
    const clock = new VirtualClock();
    const limiter = new AccountLimiter(clock);
    const [call] = started(limiter, 1) as [Start];
    const hints = { limitRequests: 100, remainingRequests, resetRequestsMs: 4_000 };
    limiter.finish(call, { kind: "success", hints });
    await clock.runUntil(limiter.wait(never));
    const { time } = await clock.runUntil(limiter.wait(never));
    expect(Math.abs(time - expected)).toBeLessThan(50);
  }
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -5])(
  "no server can stop an account for ever: %s",
  async (retryAfterMs) => {
    const clock = new VirtualClock();
    const limiter = new AccountLimiter(clock);
    const [call] = started(limiter, 1) as [Start];
    const hints = { remainingRequests: 0, resetRequestsMs: retryAfterMs, remainingTokens: 0 };
    limiter.finish(call, { kind: "success", hints });
    const second = limiter.tryStart() ?? (await clock.runUntil(limiter.wait(never)));
    limiter.finish(second, { kind: "refused", retryAfterMs });
    expect((await clock.runUntil(limiter.wait(never))).time).toBeLessThanOrEqual(660_000);
  },
);

test("a timer that nobody needs any more is gone", async () => {
  const clock = new VirtualClock();
  const limiter = new AccountLimiter(clock);
  const [call] = started(limiter, 1) as [Start];
  limiter.finish(call, { kind: "refused", retryAfterMs: 60_000 });
  const controller = new AbortController();
  const waiting = limiter.wait(controller.signal);
  controller.abort();
  await expect(waiting).rejects.toThrow();
  expect(clock.timers).toBe(0);
  expect(clock.now()).toBe(0);
});

const NOBODY = { wake: () => {}, fail: () => {} };

test("behaves like a list, whoever joins, leaves or is taken", () => {
  const action = fc.oneof(
    fc.constant({ kind: "add" } as const),
    fc.constant({ kind: "addFirst" } as const),
    fc.constant({ kind: "shift" } as const),
    fc.record({ kind: fc.constant("remove" as const), place: fc.nat(20) }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const queue = new WaitQueue();
      const list: Waiting[] = [];
      const left: Waiting[] = [];
      for (const step of actions) {
        if (step.kind === "add") list.push(queue.add(NOBODY));
        else if (step.kind === "addFirst") list.unshift(queue.add(NOBODY, true));
        else if (step.kind === "shift") {
          const taken = queue.shift();
          expect(taken).toBe(list.shift());
          if (taken !== undefined) left.push(taken);
        } else {
          const [gone] = list.splice(step.place, 1);
          if (gone !== undefined) {
            queue.remove(gone);
            left.push(gone);
          }
        }
        for (const gone of left) queue.remove(gone);
        expect(queue.size).toBe(list.length);
      }
      for (const expected of list) expect(queue.shift()).toBe(expected);
      expect(queue.shift()).toBeUndefined();
    }),
  );
});
