import fc from "fast-check";
import { expect, test } from "vitest";
import {
  benjaminiHochberg,
  clopperPearson,
  holm,
  mcnemarExact,
  newcombeDifference,
  newcombePaired,
  passAtK,
  passHatK,
  signTest,
  twoProportionZ,
  wilson,
} from "../../apps/public/statistics.ts";
import { chiSquareTail, normalQuantile, normalTwoSided } from "./distributions.ts";

/** C(n, k) exactly. */
function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n;
  let result = 1n;
  for (let i = 0; i < k; i++) result = (result * BigInt(n - i)) / BigInt(i + 1);
  return result;
}

const ratio = (a: bigint, b: bigint): number => Number((a * 10n ** 30n) / b) / 1e30;

/** The chance of k or more successes in n trials. */
function binomialTail(k: number, n: number, p: number): number {
  let total = 0;
  for (let i = k; i <= n; i++) total += Number(choose(n, i)) * p ** i * (1 - p) ** (n - i);
  return total;
}

const trials = fc
  .integer({ min: 1, max: 60 })
  .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));
const confidence = fc.constantFrom(0.5, 0.8, 0.9, 0.95, 0.99);
const table = fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: 0, max: 40 })));

test("Wilson's limits solve the score equation", () => {
  fc.assert(
    fc.property(trials, confidence, ([s, n], level) => {
      const limits = wilson(s, n, level);
      for (const limit of [limits?.low, limits?.high]) {
        const x = limit as number;
        const distance = normalQuantile(level) * Math.sqrt((x * (1 - x)) / n);
        expect(Math.abs(s / n - x)).toBeCloseTo(distance, 7);
      }
      expect(limits?.low).toBeCloseTo(1 - (wilson(n - s, n, level)?.high as number), 12);
    }),
  );
});

test("exact limits leave exactly the tail outside", () => {
  fc.assert(
    fc.property(trials, confidence, ([s, n], level) => {
      const { low, high } = clopperPearson(s, n, level) ?? { low: -1, high: -1 };
      const tail = (1 - level) / 2;
      if (s > 0) expect(binomialTail(s, n, low)).toBeCloseTo(tail, 9);
      if (s < n) expect(1 - binomialTail(s + 1, n, high)).toBeCloseTo(tail, 9);
    }),
  );
});

test("a difference changes its sign with its groups", () => {
  fc.assert(
    fc.property(trials, trials, confidence, ([s1, n1], [s2, n2], level) => {
      const there = newcombeDifference(s1, n1, s2, n2, level);
      const back = newcombeDifference(s2, n2, s1, n1, level);
      expect(there?.low).toBeCloseTo(-(back?.high ?? 9), 12);
      expect(there?.high).toBeCloseTo(-(back?.low ?? 9), 12);
    }),
  );
});

test("pairs without correlation give the interval of independent groups", () => {
  fc.assert(
    fc.property(table, confidence, ([a = 0, b = 0, c = 0, d = 0], level) => {
      const n = a + b + c + d;
      fc.pre(n > 0);
      const paired = newcombePaired(a, b, c, d, level);
      const swapped = newcombePaired(a, c, b, d, level);
      expect(paired?.low).toBeCloseTo(-(swapped?.high ?? 9), 12);
      const cross = a * d - b * c;
      const independent = newcombeDifference(a + b, n, a + c, n, level);
      if (cross === 0 || (cross > 0 && cross <= n / 2)) {
        expect(paired?.low).toBeCloseTo(independent?.low ?? 9, 12);
        expect(paired?.high).toBeCloseTo(independent?.high ?? 9, 12);
      } else if (cross > 0) {
        // Pairs that agree narrow the interval; pairs that disagree widen it.
        expect(paired?.high).toBeLessThan((independent?.high ?? 9) + 1e-12);
      } else expect(paired?.high).toBeGreaterThan((independent?.high ?? 9) - 1e-12);
    }),
  );
});

test("McNemar's and the sign test count coin tosses exactly", () => {
  fc.assert(
    fc.property(fc.nat(80), fc.nat(80), (b, c) => {
      fc.pre(b + c > 0);
      const n = b + c;
      let even = 0n;
      let uneven = 0n;
      for (let i = 0; i <= n; i++) {
        const distance = Math.abs(2 * i - n);
        if (distance > Math.abs(b - c)) uneven += choose(n, i);
        if (distance === Math.abs(b - c)) even += choose(n, i);
      }
      const all = 2n ** BigInt(n);
      const { p, midP } = mcnemarExact(b, c);
      expect(p).toBeCloseTo(ratio(even + uneven, all), 12);
      expect(midP).toBeCloseTo(ratio(2n * uneven + even, 2n * all), 12);
      const signs = [...Array.from({ length: b }, () => 2), ...Array.from({ length: c }, () => -0.5), 0];
      expect(signTest(signs)).toEqual({ positive: b, negative: c, zero: 1, p });
    }),
  );
  expect(mcnemarExact(400_000, 401_000).p).toBeCloseTo(normalTwoSided(999 / Math.sqrt(801_000)), 5);
});

test("z of two proportions is the root of Pearson's chi-square", () => {
  fc.assert(
    fc.property(trials, trials, ([s1, n1], [s2, n2]) => {
      const passed = s1 + s2;
      const n = n1 + n2;
      fc.pre(passed > 0 && passed < n);
      const cells = [
        [s1, (passed * n1) / n],
        [s2, (passed * n2) / n],
        [n1 - s1, ((n - passed) * n1) / n],
        [n2 - s2, ((n - passed) * n2) / n],
      ] as const;
      const chiSquare = cells.reduce(
        (total, [seen, expected]) => total + (seen - expected) ** 2 / expected,
        0,
      );
      const result = twoProportionZ(s1, n1, s2, n2);
      expect((result?.z ?? 9) ** 2).toBeCloseTo(chiSquare, 9);
      expect(result?.p).toBeCloseTo(chiSquareTail(chiSquare, 1), 9);
    }),
  );
});

test("adjusted p-values reject what the procedures reject", () => {
  const pValue = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.01, 0.04, 1));
  fc.assert(
    fc.property(
      fc.array(pValue, { maxLength: 8 }),
      fc.double({ min: 0.001, max: 0.9, noNaN: true }),
      (list, level) => {
        const sorted = [...list].sort((a, b) => a - b);
        const m = sorted.length;
        const kept = sorted.findIndex((p, i) => p * (m - i) > level);
        const limit = kept === -1 ? m : kept;
        const found = (adjusted: readonly (number | null)[]): number =>
          adjusted.filter((p) => (p ?? 9) <= level).length;
        expect(found(holm(list))).toBe(limit);
        const last = sorted.findLastIndex((p, i) => (p * m) / (i + 1) <= level);
        expect(found(benjaminiHochberg(list))).toBe(last + 1);
        expect(holm([null, ...list, null])).toEqual([null, ...holm(list), null]);
        expect(benjaminiHochberg([null, ...list])).toEqual([null, ...benjaminiHochberg(list)]);
      },
    ),
  );
});

test("pass@k and pass^k are the shares of all draws", () => {
  fc.assert(
    fc.property(trials, fc.integer({ min: 1, max: 60 }), ([c, n], k) => {
      if (k > n) {
        expect([passAtK(n, c, k), passHatK(n, c, k)]).toEqual([null, null]);
        return;
      }
      expect(passAtK(n, c, k)).toBeCloseTo(1 - ratio(choose(n - c, k), choose(n, k)), 12);
      expect(passHatK(n, c, k)).toBeCloseTo(ratio(choose(c, k), choose(n, k)), 12);
      // All k pass exactly if none of the k fails.
      expect(passHatK(n, c, k)).toBeCloseTo(1 - (passAtK(n, n - c, k) ?? 9), 12);
    }),
  );
  expect(passAtK(100_000, 1, 50_000)).toBeCloseTo(0.5, 9);
});

test("bad arguments are named", () => {
  const calls: readonly (readonly [() => unknown, RegExp])[] = [
    [() => wilson(-1, 3, 0.95), /`successes`.*whole number.*`-1`/],
    [() => wilson(4, 3, 0.95), /`successes` to be at most `n` \(3\)/],
    [() => wilson(1, 2.5, 0.95), /`n`/],
    [() => wilson(1, 2, 1), /`confidence`/],
    [() => clopperPearson(1, Number.NaN, 0.9), /`n`/],
    [() => newcombeDifference(1, 2, 3, 2, 0.9), /`s2`/],
    [() => newcombePaired(1, 2, -3, 2, 0.9), /`c`/],
    [() => mcnemarExact(0.5, 1), /`b`/],
    [() => twoProportionZ(1, 0, 0, 0), /`s1`/],
    [() => holm([0.1, 1.5]), /`pValues\[1\]`/],
    [() => benjaminiHochberg([Number.NaN]), /`pValues\[0\]`/],
    [() => passAtK(3, 1, 0), /`k`/],
    [() => passHatK(3, 4, 1), /`c`/],
    [() => signTest([1, Number.POSITIVE_INFINITY]), /`differences\[1\]`/],
  ];
  for (const [call, message] of calls) {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  }
});
