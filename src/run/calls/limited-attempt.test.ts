import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { ModelError } from "../../models/model-error.ts";
import { limitedAttempt } from "./limited-attempt.ts";
import { VirtualClock } from "./virtual-clock.ts";

const never = new AbortController().signal;

test("gives the answer, and leaves no timer behind", async () => {
  const clock = new VirtualClock();
  const answer = limitedAttempt(async () => "yes", { clock, signal: never, timeoutMs: 1_000 });
  expect(await answer).toBe("yes");
  await expect(clock.runUntil(new Promise(() => {}))).rejects.toThrow("Nobody sleeps");
  expect(clock.now()).toBe(0);
});

test.each([
  [
    "throws",
    () => {
      throw new TypeError("no");
    },
  ],
  ["rejects", () => Promise.reject(new TypeError("no"))],
])("passes on what an attempt %s", async (_, attempt: () => Promise<never>) => {
  const clock = new VirtualClock();
  await expect(limitedAttempt(attempt, { clock, signal: never, timeoutMs: 5 })).rejects.toThrow(TypeError);
});

test("a time limit ends an attempt that does not listen, and tells it", async () => {
  const clock = new VirtualClock();
  let told: unknown;
  const attempt = limitedAttempt(
    (signal) => {
      signal.addEventListener("abort", () => {
        told = signal.reason;
      });
      return new Promise<string>(() => {});
    },
    { clock, signal: never, timeoutMs: 2_500 },
  );
  await expect(clock.runUntil(attempt)).rejects.toMatchObject({
    category: "timeout",
    message: "There was no answer within 2.5 s.",
  });
  expect(clock.now()).toBe(2_500);
  expect(told).toBeInstanceOf(ModelError);
});

test("the signal of the caller ends it at once, and what happens later is nobody's business", async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const late = Promise.withResolvers<string>();
  const attempt = limitedAttempt(() => late.promise, { clock, signal: controller.signal, timeoutMs: null });
  controller.abort();
  await expect(attempt).rejects.toMatchObject({ category: "cancelled" });
  late.reject(new Error("an unhandled rejection would fail this test"));
  await new Promise((resolve) => setImmediate(resolve));
});

test("keeps the reason of the signal if it is an error of ours", async () => {
  const clock = new VirtualClock();
  const reason = new ModelError("budget", "Nothing left.");
  const controller = new AbortController();
  const attempt = limitedAttempt(() => new Promise(() => {}), {
    clock,
    signal: controller.signal,
    timeoutMs: 9,
  });
  controller.abort(reason);
  await expect(attempt).rejects.toBe(reason);
  let called = false;
  const refused = limitedAttempt(
    async () => {
      called = true;
    },
    { clock, signal: controller.signal, timeoutMs: 9 },
  );
  await expect(refused).rejects.toBe(reason);
  expect(called).toBe(false);
});

test("an attempt that has ended is left alone, and leaves the signal with one listener at most", async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const seen: AbortSignal[] = [];
  const limits = { clock, signal: controller.signal, timeoutMs: 10 };
  for (let count = 0; count < 50; count++) await limitedAttempt(async (signal) => seen.push(signal), limits);
  expect(getEventListeners(controller.signal, "abort").length).toBeLessThanOrEqual(1);
  controller.abort();
  expect(seen.filter((signal) => signal.aborted)).toEqual([]);
});
