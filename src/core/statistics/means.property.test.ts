import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bootstrapMean,
  clusteredMean,
  clusteredWilson,
  mean,
  minimumDetectableDifference,
  oneWayVarianceComponents,
  pairedDifference,
  percentile,
  permutationTestPaired,
  sampleVariance,
  standardError,
  wilcoxonSignedRank,
} from "../../apps/public/statistics.ts";
import { normalQuantileUpper, normalTwoSided, studentQuantile, studentTwoSided } from "./distributions.ts";
import { seededRandom } from "./resampling.ts";

const number = fc.integer({ min: -50, max: 50 }).map((value) => value / 4);
const numbers = fc.array(number, { minLength: 2, maxLength: 15 });
const grouped = fc.array(fc.tuple(number, fc.constantFrom("a", "b", "c", "d")), {
  minLength: 2,
  maxLength: 20,
});

test("percentiles meet the sorted values, and rise with q", () => {
  fc.assert(
    fc.property(numbers, fc.double({ min: 0, max: 100, noNaN: true }), (values, q) => {
      const sorted = [...values].sort((a, b) => a - b);
      for (const [i, value] of sorted.entries())
        expect(percentile(values, (100 * i) / (sorted.length - 1))).toBeCloseTo(value, 9);
      expect(percentile(values, q)).toBeLessThanOrEqual(percentile(values, Math.min(100, q + 1)) as number);
      // Turned around: the q-th from below is the (100 − q)-th from above.
      expect(percentile(values, q)).toBeCloseTo(
        -(percentile(
          values.map((value) => -value),
          100 - q,
        ) as number),
        9,
      );
    }),
  );
});

test("mean and variance in exact arithmetic, also with a large offset", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 2, maxLength: 12 }), (values) => {
      const n = values.length;
      const total = values.reduce((sum, value) => sum + value, 0);
      let squares = 0;
      for (const x of values) for (const y of values) squares += (x - y) ** 2;
      expect(mean(values)).toBeCloseTo(total / n, 12);
      // The variance is half the mean squared distance of two different values.
      for (const offset of [0, 1e9])
        expect(sampleVariance(values.map((value) => value + offset))).toBeCloseTo(
          squares / (2 * n * (n - 1)),
          6,
        );
      expect(standardError(values)).toBeCloseTo(clusteredMean(values, null, 0.9)?.standardError ?? -1, 10);
    }),
  );
  expect(mean([1.7e308, 1.7e308, 1.6e308])).toBeCloseTo(1.6666e308, -305);
});

test("the clustered error counts the products of all pairs within a cluster", () => {
  fc.assert(
    fc.property(grouped, (entries) => {
      const values = entries.map(([value]) => value);
      const clusters = entries.map(([, label]) => label);
      const count = new Set(clusters).size;
      const n = values.length;
      const centre = values.reduce((sum, value) => sum + value, 0) / n;
      let products = 0;
      for (const [x, c] of entries)
        for (const [y, d] of entries) if (c === d) products += (x - centre) * (y - centre);
      const result = clusteredMean(values, clusters, 0.95);
      expect(result?.clusters).toBe(count);
      if (count === 1) expect(result?.standardError).toBeNull();
      else {
        const error = Math.sqrt(Math.max(0, (count / (count - 1)) * products)) / n;
        expect(result?.standardError).toBeCloseTo(error, 6);
        expect(((result?.high ?? 0) - (result?.low ?? 0)) / 2).toBeCloseTo(
          studentQuantile(0.95, count - 1) * error,
          4,
        );
      }
    }),
  );
});

/** The chance of a t at least this far from 0, by Simpson's rule over the density with t = tan(u)·√df. */
function integratedTail(t: number, df: number): number {
  const weight = (u: number): number => Math.cos(u) ** (df - 1);
  const area = (from: number, to: number): number => {
    const steps = 2000;
    const h = (to - from) / steps;
    let total = weight(from) + weight(to);
    for (let i = 1; i < steps; i++) total += (i % 2 === 1 ? 4 : 2) * weight(from + i * h);
    return (total * h) / 3;
  };
  const start = Math.atan(Math.abs(t) / Math.sqrt(df));
  return area(start, Math.PI / 2) / area(0, Math.PI / 2);
}

test("paired differences are means of differences, tested with Student's t", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(number, number, fc.constantFrom(1, 2, 3, 4, 5)), { minLength: 2, maxLength: 20 }),
      (entries) => {
        const a = entries.map(([x]) => x);
        const b = entries.map(([, y]) => y);
        const clusters = entries.map(([, , c]) => c);
        const there = pairedDifference(a, b, clusters, 0.95);
        const back = pairedDifference(b, a, clusters, 0.95);
        expect(there?.difference).toBeCloseTo(-(back?.difference ?? 9), 12);
        expect(there?.p === null ? null : there?.p?.toFixed(9)).toBe(
          back?.p === null ? null : back?.p?.toFixed(9),
        );
        const df = new Set(clusters).size - 1;
        if (there?.t !== null && there?.t !== undefined && Math.abs(there.t) < 50)
          expect(there.p).toBeCloseTo(integratedTail(there.t, df), 6);
        // Least squares of a on b and of b on a: the product of both slopes is the squared correlation.
        if (there?.correlation !== null && there?.correlation !== undefined) {
          const variances = (sampleVariance(a) as number) * (sampleVariance(b) as number);
          const sumVariance = sampleVariance(a.map((x, i) => x + (b[i] as number))) as number;
          const covariance =
            (sumVariance - (sampleVariance(a) as number) - (sampleVariance(b) as number)) / 2;
          expect(there.correlation).toBeCloseTo(covariance / Math.sqrt(variances), 9);
        }
      },
    ),
  );
  expect(pairedDifference([0.3, 0.4], [0.1, 0.2], null, 0.95)).toMatchObject({
    standardError: 0,
    t: null,
    p: null,
  });
});

test("a value that is written twice into its cluster adds nothing to a rate", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(0, 1), fc.nat(6)), { minLength: 2, maxLength: 40 }),
      (entries) => {
        const values = entries.map(([value]) => value);
        const clusters = entries.map(([, label]) => label);
        const once = clusteredWilson(values, clusters, 0.95);
        const twice = clusteredWilson([...values, ...values], [...clusters, ...clusters], 0.95);
        fc.pre((once?.effective ?? 0) < values.length * 0.999);
        expect(twice?.low ?? -1).toBeCloseTo(once?.low ?? -1, 9);
        expect(twice?.high ?? -1).toBeCloseTo(once?.high ?? -1, 9);
        if (once && once.low !== null && once.high !== null) {
          expect(once.low).toBeGreaterThanOrEqual(0);
          expect(once.high).toBeLessThanOrEqual(1);
        }
      },
    ),
  );
});

test("the signed-rank test enumerates all signs", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -6, max: 6 }), { minLength: 1, maxLength: 9 }), (differences) => {
      const kept = differences.filter((value) => value !== 0);
      const rank = (value: number): number =>
        kept.filter((other) => Math.abs(other) < Math.abs(value)).length +
        (kept.filter((other) => Math.abs(other) === Math.abs(value)).length + 1) / 2;
      const ranks = kept.map(rank);
      const plus = ranks.filter((_, i) => (kept[i] as number) > 0).reduce((sum, value) => sum + value, 0);
      const minus = ranks.reduce((sum, value) => sum + value, 0) - plus;
      let low = 0;
      for (let signs = 0; signs < 2 ** kept.length; signs++) {
        const total = ranks.reduce((sum, value, i) => sum + ((signs >> i) & 1 ? value : 0), 0);
        if (total <= Math.min(plus, minus) + 1e-9) low++;
      }
      const result = wilcoxonSignedRank(differences, "exact");
      expect(result).toMatchObject({ wPlus: plus, wMinus: minus, n: kept.length });
      expect(result?.p).toBeCloseTo(kept.length === 0 ? 1 : Math.min(1, (2 * low) / 2 ** kept.length), 12);
    }),
  );
  const many = Array.from({ length: 50 }, (_, i) => (i % 3 === 0 ? -1 : 1) * (i + 1));
  const exact = wilcoxonSignedRank(many, "exact")?.p as number;
  expect(wilcoxonSignedRank(many, "normal")?.p).toBeCloseTo(exact, 2);
  expect(wilcoxonSignedRank([...many, 51], "auto")?.method).toBe("normal");
});

test("the permutation test of 0/1 pairs is McNemar's, and resampling comes near", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(-1, 1), { minLength: 1, maxLength: 12 }), (signs) => {
      const p = permutationTestPaired(
        signs,
        signs.map(() => 0),
      )?.p as number;
      const plus = signs.filter((sign) => sign > 0).length;
      const result = wilcoxonSignedRank(signs, "exact");
      expect(p).toBeCloseTo(result?.p as number, 12);
      expect(plus + (result?.n ?? 0)).toBeGreaterThan(0);
    }),
  );
  const a = [5, 3, 8, 1, 9, 4, 7, 2, 6, 3, 5, 8, 2];
  const b = a.map((value, i) => value - (i % 4) + 1);
  const all = 2 ** 13;
  let far = 0;
  const differences = a.map((value, i) => value - (b[i] as number));
  const observed = Math.abs(differences.reduce((sum, value) => sum + value, 0));
  for (let signs = 0; signs < all; signs++)
    if (
      Math.abs(differences.reduce((sum, value, i) => sum + ((signs >> i) & 1 ? -value : value), 0)) >=
      observed
    )
      far++;
  expect(permutationTestPaired(a, b, { resamples: 20_000 })?.p).toBeCloseTo(far / all, 1);
  expect(permutationTestPaired(a, b)).toEqual(permutationTestPaired(a, b));
});

test("balanced groups give the textbook intraclass correlation", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number, number), { minLength: 2, maxLength: 10 }), (items) => {
      const values = items.flat();
      const groups = items.flatMap((_, i) => [i, i, i]);
      const grand = mean(values) as number;
      const between =
        (3 * items.reduce((sum, item) => sum + ((mean(item) as number) - grand) ** 2, 0)) /
        (items.length - 1);
      const within = items.reduce((sum, item) => sum + (sampleVariance(item) as number), 0) / items.length;
      fc.pre(between + within > 1e-9);
      const expected = Math.max(0, between - within) / (Math.max(0, between - within) + 3 * within);
      expect(oneWayVarianceComponents(values, groups)?.icc).toBeCloseTo(expected, 9);
    }),
  );
});

test("the detectable difference is found with the stated power", () => {
  fc.assert(
    fc.property(
      fc.record({
        p: fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        items: fc.integer({ min: 5, max: 500 }),
        replicates: fc.integer({ min: 1, max: 10 }),
        icc: fc.double({ min: 0, max: 1, noNaN: true }),
        power: fc.double({ min: 0.3, max: 0.99, noNaN: true }),
        alpha: fc.constantFrom(0.01, 0.05, 0.1),
        correlation: fc.double({ min: 0, max: 0.9, noNaN: true }),
      }),
      (plan) => {
        const difference = minimumDetectableDifference(plan) as number;
        const item = plan.p * (1 - plan.p) * (plan.icc + (1 - plan.icc) / plan.replicates);
        const error = Math.sqrt((2 * item * (1 - plan.correlation)) / plan.items);
        const distance = normalQuantileUpper(plan.alpha / 2) - difference / error;
        const beyond = normalTwoSided(distance) / 2;
        expect(distance < 0 ? 1 - beyond : beyond).toBeCloseTo(plan.power, 9);
      },
    ),
  );
});

test("resampled clusters give nearly the interval of Student's t, and the same for the same seed", () => {
  const random = seededRandom(5);
  const values: number[] = [];
  const clusters: number[] = [];
  for (let item = 0; item < 100; item++) {
    const level = random() * 2;
    for (let k = 0; k < 3; k++) {
      values.push(level + random());
      clusters.push(item);
    }
  }
  const options = { confidence: 0.95, resamples: 4000, seed: 3 };
  const resampled = bootstrapMean(values, clusters, options);
  const exact = clusteredMean(values, clusters, 0.95);
  const width = (exact?.high as number) - (exact?.low as number);
  expect(Math.abs((resampled?.low as number) - (exact?.low as number))).toBeLessThan(0.1 * width);
  expect(Math.abs((resampled?.high as number) - (exact?.high as number))).toBeLessThan(0.1 * width);
  expect(bootstrapMean(values, clusters, options)).toEqual(resampled);
  expect(bootstrapMean(values, clusters, { ...options, seed: 4 })).not.toEqual(resampled);
});

test("tails and quantiles undo each other", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1e-6, max: 0.999, noNaN: true }),
      fc.integer({ min: 1, max: 5000 }),
      (outside, df) => {
        expect(studentTwoSided(studentQuantile(1 - outside, df), df) / outside).toBeCloseTo(1, 8);
        expect((2 * normalTwoSided(normalQuantileUpper(outside / 2))) / outside).toBeCloseTo(2, 8);
      },
    ),
  );
});

test("a large common offset costs clusters no digits, and what overflows is null", () => {
  const values = [5, 4, 3, 0, 2, 5, 5, 0, 4, 5];
  const labels = [4, 5, 0, 5, 5, 6, 7, 8, 8, 3];
  const far = clusteredMean(
    values.map((value) => value + 1e9),
    labels,
  );
  const error = clusteredMean(values, labels)?.standardError as number;
  expect(Math.abs((far?.standardError as number) / error - 1)).toBeLessThan(1e-12);
  expect(clusteredMean([1e300, 0, 1], null)).toMatchObject({ standardError: null, low: null, high: null });
  expect(oneWayVarianceComponents([1, 1e300, 4], ["a", "a", "a"])).toMatchObject({ within: null });
});

test("bad arguments are named", () => {
  const calls: readonly (readonly [() => unknown, RegExp])[] = [
    [() => percentile([1], 101), /`q`/],
    [() => mean(undefined as never), /`values` to be a list/],
    [() => clusteredMean([1, 2], [1, Number.NaN], 0.95), /`clusters\[1\]`/],
    [() => percentile([Number.NaN], 50), /`values\[0\]`/],
    [() => mean([1, Number.POSITIVE_INFINITY]), /`values\[1\]`/],
    [() => clusteredMean([1, 2], ["a"], 0.95), /`clusters` to be as long as `values` \(2\)/],
    [() => clusteredWilson([1, 0.5], null, 0.95), /`values\[1\]` to be 0 or 1/],
    [() => pairedDifference([1], [1, 2], null, 0.95), /`b`/],
    [() => wilcoxonSignedRank([1], "best" as "exact"), /`method`/],
    [() => permutationTestPaired([1], [1], { resamples: 0 }), /`resamples`/],
    [() => oneWayVarianceComponents([1, 2], ["a"]), /`groups`/],
    [() => bootstrapMean([1, 2], null, { confidence: 2 }), /`confidence`/],
    [() => bootstrapMean([1, 2], null, null as never), /`options` to be an object, got `null`/],
    [() => permutationTestPaired([1], [1], null as never), /`options` to be an object/],
    [() => minimumDetectableDifference(null as never), /`plan` to be an object/],
    [
      () =>
        minimumDetectableDifference({
          p: 2,
          items: 1,
          replicates: 1,
          icc: 0,
          power: 0.8,
          alpha: 0.05,
          correlation: 0,
        }),
      /`p`/,
    ],
  ];
  for (const [call, message] of calls) {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  }
});
