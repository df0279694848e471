import fc from "fast-check";
import { expect, test } from "vitest";
import { boundedMean, clopperPearson } from "../../apps/public/statistics.ts";

const values = fc.array(fc.tuple(fc.nat(5), fc.nat(8)), { minLength: 1, maxLength: 60 });

test("limits stay within the bounds, around the mean, and are never a point", () => {
  fc.assert(
    fc.property(values, (drawn) => {
      const result = boundedMean(
        drawn.map(([value]) => value),
        drawn.map(([, cluster]) => cluster),
        { maximum: 5 },
      );
      if (result === null || result.low === null || result.high === null) return;
      expect(result.low).toBeGreaterThanOrEqual(0);
      expect(result.high).toBeLessThanOrEqual(5);
      expect(result.low).toBeLessThanOrEqual(result.mean);
      expect(result.high).toBeGreaterThanOrEqual(result.mean);
      expect(result.high - result.low).toBeGreaterThan(0.01);
    }),
  );
});

test("what is left to the maximum has the mirrored interval, and other units have the same", () => {
  fc.assert(
    fc.property(values, (drawn) => {
      const clusters = drawn.map(([, cluster]) => cluster);
      const of = (map: (value: number) => number, options: object): ReturnType<typeof boundedMean> =>
        boundedMean(
          drawn.map(([value]) => map(value)),
          clusters,
          options,
        );
      const plain = of((value) => value, { maximum: 5 });
      const mirrored = of((value) => 5 - value, { maximum: 5 });
      const shifted = of((value) => 10 * value - 3, { minimum: -3, maximum: 47, trials: 5 });
      expect(mirrored?.low ?? 0).toBeCloseTo(plain?.high == null ? 0 : 5 - plain.high, 9);
      expect(mirrored?.high ?? 0).toBeCloseTo(plain?.low == null ? 0 : 5 - plain.low, 9);
      expect(shifted?.low ?? 0).toBeCloseTo(plain?.low == null ? 0 : 10 * plain.low - 3, 7);
    }),
  );
});

test("it is worth at least as many trials as clusters and at most as many as values, and near the exact interval", () => {
  const clusters = Array.from({ length: 60 }, (_, i) => i % 20);
  const together = boundedMean(
    clusters.map((cluster) => (cluster < 8 ? 1 : 0)),
    clusters,
  );
  expect(together?.effective).toBeCloseTo(20, 9);
  const spread = boundedMean(
    clusters.map((_, i) => (i < 24 ? 1 : 0)),
    clusters,
  );
  expect(spread?.effective).toBeGreaterThan(50);
  for (const yes of [0, 1, 7, 20, 39, 40]) {
    const own = boundedMean(
      Array.from({ length: 40 }, (_, i) => (i < yes ? 1 : 0)),
      null,
    );
    const { low, high } = clopperPearson(yes, 40) ?? { low: 9, high: 9 };
    expect(own?.effective).toBe(40);
    expect(Math.abs((own?.low ?? 0) - low)).toBeLessThan(0.02);
    expect(Math.abs((own?.high ?? 0) - high)).toBeLessThan(0.02);
  }
});

test("nothing gives nothing, one cluster has no interval, and bad arguments are named", () => {
  expect(boundedMean([], null)).toBeNull();
  expect(boundedMean([1, 0], ["a", "a"])).toMatchObject({ mean: 0.5, low: null, high: null });
  expect(boundedMean([2, 2], null, { minimum: 2, maximum: 2 })).toMatchObject({ mean: 2, low: null });
  expect(() => boundedMean([0, 2], null)).toThrow(/`values\[1\]`/);
  expect(() => boundedMean([0, 1], null, { trials: 0 })).toThrow(/`trials`/);
});
