import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { onAbort } from "./on-abort.ts";

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
