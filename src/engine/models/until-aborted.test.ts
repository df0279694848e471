import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { untilAborted } from "./until-aborted.ts";

test("work that is done in time", async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(signal, Promise.resolve(7), () => "late")).toBe(7);
  await expect(untilAborted(signal, Promise.reject(new Error("no")), () => "late")).rejects.toThrow("no");
  // Thousands of calls share the signal of a run.
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("work that takes too long", async () => {
  const controller = new AbortController();
  const work = untilAborted(controller.signal, new Promise(() => {}), () => "late");
  controller.abort();
  await expect(work).rejects.toBe("late");
  await expect(untilAborted(controller.signal, new Promise(() => {}), () => "late")).rejects.toBe("late");
});
