import { expect, test } from "vitest";
import { RequestPacer, SuccessMeter } from "./request-pacer.ts";

/** Starts as often as it may for a time, and counts. */
function startsIn(pacer: RequestPacer, from: number, milliseconds: number): number {
  let count = 0;
  for (let now = from; now < from + milliseconds; now++) {
    while (pacer.delay(now) === 0) {
      pacer.start(now);
      if (++count > 10_000) return count;
    }
  }
  return count;
}

test("holds nobody back without a cap or a refusal", () => {
  expect(startsIn(new RequestPacer(), 1_000, 1)).toBeGreaterThan(10_000);
});

test("keeps a cap, also over a short time", () => {
  const pacer = new RequestPacer(100);
  expect(startsIn(pacer, 1_000, 100)).toBeLessThanOrEqual(14);
  const count = startsIn(pacer, 1_100, 10_000);
  expect(count).toBeGreaterThanOrEqual(998);
  expect(count).toBeLessThanOrEqual(1_001);
});

test("an idle time is not made up for", () => {
  const pacer = new RequestPacer(10);
  startsIn(pacer, 1_000, 1_000);
  expect(startsIn(pacer, 60_000, 10)).toBeLessThanOrEqual(2);
});

test("after a refusal it stays below what was accepted, once that is paid for", () => {
  const pacer = new RequestPacer();
  pacer.cut({ count: 50, horizonMs: 1_000, spanMs: 20 }, 10_000);
  expect(pacer.rate).toBeCloseTo(47);
  expect(pacer.delay(10_000)).toBeGreaterThan(1_000);
  expect(startsIn(pacer, 11_044, 1_000)).toBeLessThanOrEqual(50);
});

test("a rate in use is probed upwards, one that is not in use is not", () => {
  const [used, idle] = [new RequestPacer(), new RequestPacer()];
  for (const pacer of [used, idle]) pacer.cut({ count: 50, horizonMs: 1_000, spanMs: 1_000 }, 10_000);
  startsIn(used, 10_000, 30_000);
  for (let now = 10_000; now < 40_000; now += 100) idle.start(now);
  expect(used.rate).toBeGreaterThan(90);
  expect(idle.rate).toBeCloseTo(47);
});

test("every probe that is refused makes the next one rarer", () => {
  const pacer = new RequestPacer();
  const accepted = { count: 50, horizonMs: 1_000, spanMs: 1_000 };
  pacer.cut(accepted, 10_000);
  let now = 10_000;
  const waits = [0, 1, 2, 3].map(() => {
    const start = now;
    while (pacer.rate < 48) now += startsIn(pacer, now, 10) >= 0 ? 10 : 0;
    pacer.cut(accepted, now);
    return now - start;
  });
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect(waits[3]).toBeGreaterThan(8 * (waits[0] ?? 0));
});

test("never goes above a cap, nor to a stand", () => {
  const pacer = new RequestPacer(50);
  pacer.cut({ count: 500, horizonMs: 1_000, spanMs: 1_000 }, 10_000);
  expect(pacer.rate).toBeLessThanOrEqual(50);
  for (let cuts = 0; cuts < 500; cuts++) pacer.cut({ count: 1, horizonMs: 60_000, spanMs: 0 }, 10_000);
  expect(pacer.rate).toBeGreaterThan(0.01);
});

test("makes the requests that are left last, and forgets about it afterwards", () => {
  const pacer = new RequestPacer();
  pacer.hint(10, 2_000, 1_000);
  const count = startsIn(pacer, 1_000, 2_000);
  expect(count).toBeGreaterThanOrEqual(9);
  expect(count).toBeLessThanOrEqual(11);
  expect(startsIn(pacer, 3_000, 1)).toBeGreaterThan(10_000);
});

import fc from "fast-check";

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
