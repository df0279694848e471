import { expect, test } from "vitest";
import { VirtualClock } from "../run/calls/virtual-clock.ts";
import { PacedAction, type PaceOptions } from "./paced-action.ts";

function paced(options: Omit<PaceOptions, "clock">): {
  readonly clock: VirtualClock;
  readonly times: number[];
  readonly action: PacedAction;
} {
  const clock = new VirtualClock();
  const times: number[] = [];
  return { clock, times, action: new PacedAction(() => times.push(clock.now()), { clock, ...options }) };
}

test("it happens at once, and then as soon as it may again", async () => {
  const { clock, times, action } = paced({ everyMs: 100 });
  action.request();
  await clock.advance(30);
  action.request();
  action.request();
  await clock.advance(1000);
  action.request();
  expect(times).toEqual([0, 100, 1030]);
});

test("it happens now and then even if nobody asks", async () => {
  const { clock, times, action } = paced({ everyMs: 100, idleMs: 1000 });
  await clock.advance(5000);
  action.request();
  await clock.advance(2500);
  action.request();
  expect(times).toEqual([5000, 6000, 7000, 7500]);
});

test("once stopped it happens no more", async () => {
  const { clock, times, action } = paced({ everyMs: 100, idleMs: 1000 });
  action.request();
  action.request();
  action.stop();
  action.request();
  await clock.advance(5000);
  expect(times).toEqual([0]);
});
