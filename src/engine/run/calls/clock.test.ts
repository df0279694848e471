import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { VirtualClock } from "../../../../test/virtual-clock.ts";
import { ModelError } from "../../models/model-error.ts";
import { onAbort, systemClock } from "./clock.ts";

test("the system clock sleeps and wakes", async () => {
  const start = systemClock.now();
  await systemClock.sleep(2);
  expect(systemClock.now()).toBeGreaterThan(start);
});

test.each([systemClock, new VirtualClock()])("a sleeper is woken by its signal", async (clock) => {
  const controller = new AbortController();
  const sleep = clock.sleep(3_600_000, controller.signal);
  controller.abort();
  await expect(sleep).rejects.toMatchObject({ category: "cancelled" });
  await expect(clock.sleep(1, controller.signal)).rejects.toBeInstanceOf(ModelError);
});

test("the reason of a signal is kept if it is an error of ours", async () => {
  const reason = new ModelError("timeout", "The turn took too long.");
  await expect(systemClock.sleep(1, AbortSignal.abort(reason))).rejects.toBe(reason);
});

test("what is to be done later is done once, or not at all if cancelled", async () => {
  const clock = new VirtualClock(5);
  const done: number[] = [];
  clock.after(10, () => done.push(clock.now()));
  clock.after(20, () => done.push(clock.now()))();
  await clock.advance(9);
  expect(done).toEqual([]);
  await clock.advance(100);
  expect(done).toEqual([15]);
  expect(clock.now()).toBe(114);
});

test("sleepers wake in the order of their times, then of their coming, and act before the next one wakes", async () => {
  const clock = new VirtualClock();
  const seen: string[] = [];
  const sleeper = async (name: string, times: readonly number[]): Promise<void> => {
    for (const time of times) {
      await clock.sleep(time);
      seen.push(`${name}${clock.now()}`);
    }
  };
  const all = Promise.all([sleeper("a", [3, 1]), sleeper("b", [2, 2]), sleeper("c", [1, 1, 1])]);
  await clock.runUntil(all);
  expect(seen).toEqual(["c1", "b2", "c2", "a3", "c3", "b4", "a4"]);
});

test("time goes by in order for many sleepers", async () => {
  const clock = new VirtualClock();
  const woken: number[] = [];
  const times = Array.from({ length: 500 }, (_, index) => (index * 7_919) % 1_009);
  await clock.runUntil(Promise.all(times.map((time) => clock.sleep(time).then(() => woken.push(time)))));
  expect(woken).toEqual(times.toSorted((a, b) => a - b));
});

test("a promise that nobody can settle is an error, not an endless wait", async () => {
  const clock = new VirtualClock(0, { patienceMs: 5 });
  await expect(clock.runUntil(new Promise(() => {}))).rejects.toThrow("still pending");
});

test("all who wait are told, those who left are not, and the signal has one listener", () => {
  const { signal, abort } = aborting();
  const told: number[] = [];
  const leave = Array.from({ length: 1_000 }, (_, index) => onAbort(signal, () => told.push(index)));
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  for (const [index, forget] of leave.entries()) if (index !== 3 && index !== 5) forget();
  abort();
  expect(told).toEqual([3, 5]);
});

test("somebody may leave while the others are told", () => {
  const { signal, abort } = aborting();
  const told: string[] = [];
  onAbort(signal, () => {
    told.push("first");
    forgetSecond();
  });
  const forgetSecond = onAbort(signal, () => told.push("second"));
  onAbort(signal, () => told.push("third"));
  abort();
  expect(told).toEqual(["first", "third"]);
});

function aborting(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
