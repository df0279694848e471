import fc from "fast-check";
import { expect, test } from "vitest";
import { roganGladen } from "../../apps/public/statistics.ts";
import { seededRandom } from "./resampling.ts";

test("a judge with these errors would have measured that rate", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 60, max: 100 }),
      fc.integer({ min: 60, max: 100 }),
      (truth, hits, rejections) => {
        const rate = truth * (hits / 100) + (1 - truth) * (1 - rejections / 100);
        const errors = { truePositive: hits, positives: 100, trueNegative: rejections, negatives: 100 };
        expect(roganGladen({ rate, standardError: 0 }, errors)?.rate).toBeCloseTo(truth, 9);
      },
    ),
  );
});

test("the interval covers the truth in about 95 % of simulations", () => {
  const random = seededRandom(4);
  const count = (n: number, p: number): number =>
    Array.from({ length: n }, () => random() < p).filter(Boolean).length;
  let covered = 0;
  for (let i = 0; i < 400; i++) {
    const rate = count(300, 0.6 * 0.9 + 0.4 * 0.2) / 300;
    const errors = {
      truePositive: count(80, 0.9),
      positives: 80,
      trueNegative: count(80, 0.8),
      negatives: 80,
    };
    const result = roganGladen({ rate, standardError: Math.sqrt((rate * (1 - rate)) / 300) }, errors);
    if (result && result.low <= 0.6 && 0.6 <= result.high) covered++;
  }
  expect(covered / 400).toBeGreaterThan(0.92);
  expect(covered / 400).toBeLessThan(0.985);
});

test("a judge that guesses, and one that was never tested, correct nothing", () => {
  const measured = { rate: 0.5, standardError: 0.1 };
  expect(
    roganGladen(measured, { truePositive: 5, positives: 10, trueNegative: 5, negatives: 10 }),
  ).toBeNull();
  expect(roganGladen(measured, { truePositive: 0, positives: 0, trueNegative: 5, negatives: 10 })).toBeNull();
  expect(() =>
    roganGladen(
      { rate: 2, standardError: 0 },
      { truePositive: 1, positives: 1, trueNegative: 1, negatives: 1 },
    ),
  ).toThrow(/`rate`/);
  expect(() =>
    roganGladen(measured, { truePositive: 2, positives: 1, trueNegative: 1, negatives: 1 }),
  ).toThrow(/`truePositive`/);
  expect(() => roganGladen(measured, null as never)).toThrow(RangeError);
  expect(() => roganGladen(null as never, null as never)).toThrow(/`measured` to be an object, got `null`/);
});
