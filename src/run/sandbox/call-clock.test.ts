import { expect, test } from "vitest";
import { CallClock } from "./call-clock.ts";

test("a call that has just started has time", () => {
  const clock = new CallClock(60_000);
  clock.start();
  expect(clock.isOver()).toBe(false);
});

test("work uses up the time", () => {
  const clock = new CallClock(5);
  clock.start();
  while (!clock.isOver()) Math.sqrt(2);
  expect(clock.isOver()).toBe(true);
});

test.runIf(typeof process.threadCpuUsage === "function")(
  "time in which the thread does not run does not count",
  () => {
    const clock = new CallClock(20);
    clock.start();
    clock.isOver();
    // The thread stands still, as it would on a machine that is busy with others.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    expect(clock.isOver()).toBe(false);
  },
);
