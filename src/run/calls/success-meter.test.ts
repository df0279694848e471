import fc from "fast-check";
import { expect, test } from "vitest";
import { SuccessMeter } from "./success-meter.ts";

test("counts what came in the last second, to the slot", () => {
  const meter = new SuccessMeter(1_000);
  for (const time of [10, 20, 500, 940]) meter.add(time);
  expect(meter.recent(960)).toEqual({ count: 4, horizonMs: 1_000, spanMs: 960 });
  expect(meter.recent(1_010)).toEqual({ count: 2, horizonMs: 1_000, spanMs: 510 });
  expect(meter.recent(100_000)).toEqual({ count: 0, horizonMs: 1_000, spanMs: 0 });
});

test("never more than in the whole time, never less than in the time without its first slot", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 40 });
  fc.assert(
    fc.property(gaps, fc.nat(1e12), fc.nat(2_000), (steps, start, rest) => {
      const meter = new SuccessMeter(1_000);
      const times: number[] = [];
      let now = start;
      for (const gap of steps) {
        now += gap;
        times.push(now);
        meter.add(now);
      }
      now += rest;
      const { count } = meter.recent(now);
      expect(count).toBeLessThanOrEqual(times.filter((time) => time > now - 1_000).length);
      expect(count).toBeGreaterThanOrEqual(times.filter((time) => time > now - 950).length);
    }),
  );
});
