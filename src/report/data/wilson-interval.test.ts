import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Interval, wilsonInterval } from "./wilson-interval.ts";

function intervalOf(successes: number, trials: number): Interval {
  const interval = wilsonInterval(successes, trials);
  if (interval === null) throw new Error("There is no interval.");
  return interval;
}

// Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])("%i of %i lies as published", (successes, trials, low, high) => {
  const interval = intervalOf(successes, trials);
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

test("is what SciPy says, to the last digits", () => {
  const { low, high } = intervalOf(55, 66);
  expect(low).toBeCloseTo(0.7256941288004796, 14);
  expect(high).toBeCloseTo(0.9043041665238262, 14);
});

test("there is none without trials", () => {
  expect(wilsonInterval(0, 0)).toBeNull();
});

const counts = fc
  .integer({ min: 1, max: 1_000_000 })
  .chain((trials) => fc.tuple(fc.integer({ min: 0, max: trials }), fc.constant(trials)));

test("holds the rate, and reaches 0 and 1 for none and all only", () => {
  fc.assert(
    fc.property(counts, ([successes, trials]) => {
      const { low, high } = intervalOf(successes, trials);
      expect(low).toBeLessThanOrEqual(successes / trials);
      expect(high).toBeGreaterThanOrEqual(successes / trials);
      expect(low === 0).toBe(successes === 0);
      expect(high === 1).toBe(successes === trials);
    }),
  );
});

test("successes and failures mirror each other", () => {
  fc.assert(
    fc.property(counts, ([successes, trials]) => {
      const mirrored = intervalOf(trials - successes, trials);
      expect(intervalOf(successes, trials).low).toBeCloseTo(1 - mirrored.high, 12);
    }),
  );
});

test("is narrower for the same rate in more trials", () => {
  fc.assert(
    fc.property(counts, fc.integer({ min: 2, max: 100 }), ([successes, trials], times) => {
      const few = intervalOf(successes, trials);
      const many = intervalOf(successes * times, trials * times);
      expect(many.high - many.low).toBeLessThan(few.high - few.low);
    }),
  );
});
