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
