import fc from "fast-check";
import { expect, test } from "vitest";
import {
  cohenKappa,
  flipSummary,
  kaplanMeier,
  krippendorffAlpha,
  logRank,
  mean,
  medianSurvival,
  numberOfFlips,
  percentAgreement,
  restrictedMean,
  sampleVariance,
  transitionMatrix,
  turnOfFlip,
} from "../../apps/public/statistics.ts";

const watched = fc.array(fc.tuple(fc.nat(8), fc.boolean()), { minLength: 1, maxLength: 20 });
const split = (entries: readonly (readonly [number, boolean])[]) => ({
  times: entries.map(([time]) => time),
  observed: entries.map(([, happened]) => happened),
});

/** Efron's second definition: whoever is censored hands their weight in equal parts to all who are watched longer. */
function redistributed(entries: readonly (readonly [number, boolean])[]): Map<number, number> {
  const order = [...entries].sort((a, b) => a[0] - b[0] || Number(b[1]) - Number(a[1]));
  const weights = order.map(() => 1 / order.length);
  let survival = 1;
  const curve = new Map<number, number>();
  for (const [i, [time, happened]] of order.entries()) {
    const weight = weights[i] as number;
    if (happened) {
      survival -= weight;
      curve.set(time, survival);
    } else
      for (let j = i + 1; j < order.length; j++)
        weights[j] = (weights[j] as number) + weight / (order.length - i - 1);
  }
  return curve;
}

test("Kaplan–Meier hands the weight of the censored to those that are watched longer", () => {
  fc.assert(
    fc.property(watched, (entries) => {
      const { times, observed } = split(entries);
      const steps = kaplanMeier(times, observed, 0.95);
      const curve = redistributed(entries);
      expect(steps.map(({ time }) => time)).toEqual([...curve.keys()]);
      for (const { time, survival, low, high } of steps) {
        expect(survival).toBeCloseTo(curve.get(time) as number, 9);
        if (survival > 0) {
          expect(low).toBeLessThan(survival);
          expect(high).toBeGreaterThan(survival);
        } else expect([low, high]).toEqual([null, null]);
      }
      const half = [...curve].find(([, survival]) => survival <= 0.5 + 1e-9)?.[0] ?? null;
      expect(medianSurvival(times, observed)).toBe(half);
    }),
  );
});

test("watched to the end, the restricted mean is the mean of the shorter of time and horizon", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(8), { minLength: 2, maxLength: 20 }), fc.nat(10), (times, horizon) => {
      const cut = times.map((time) => Math.min(time, horizon));
      const result = restrictedMean(
        times,
        times.map(() => true),
        horizon,
      );
      expect(result?.mean).toBeCloseTo(mean(cut) as number, 9);
      const variance = ((sampleVariance(cut) as number) * (cut.length - 1)) / cut.length;
      expect(result?.standardError).toBeCloseTo(Math.sqrt(variance / cut.length), 6);
    }),
  );
});

test("the log-rank test of two groups adds up fourfold tables, and knows no order", () => {
  fc.assert(
    fc.property(watched, watched, watched, (first, second, third) => {
      const everybody = [...first, ...second];
      let excess = 0;
      let variance = 0;
      for (const time of new Set(everybody.filter(([, happened]) => happened).map(([at]) => at))) {
        const n = everybody.filter(([at]) => at >= time).length;
        const n1 = first.filter(([at]) => at >= time).length;
        const d = everybody.filter(([at, happened]) => at === time && happened).length;
        excess += first.filter(([at, happened]) => at === time && happened).length - (d * n1) / n;
        if (n > 1) variance += (d * n1 * (n - n1) * (n - d)) / (n * n * (n - 1));
      }
      const result = logRank([split(first), split(second)]);
      if (variance > 1e-12) expect(result?.chiSquare).toBeCloseTo((excess * excess) / variance, 7);
      else expect(result).toBeNull();
      const three = logRank([split(first), split(second), split(third)]);
      const turned = logRank([split(third), split(first), split(second), { times: [], observed: [] }]);
      expect(turned?.chiSquare.toFixed(6)).toBe(three?.chiSquare.toFixed(6));
      expect(turned?.df).toBe(three?.df);
    }),
  );
});

const labels = fc.array(
  fc.tuple(fc.constantFrom("x", "y", "z", null), fc.constantFrom("x", "y", "z", null)),
  {
    minLength: 1,
    maxLength: 30,
  },
);

test("a rater who always says the same has a kappa of 0 with an error of exactly 0", () => {
  expect(cohenKappa(["b", "b", "b", "b", "b"], ["a", "b", "b", "a", "b"])).toEqual({
    kappa: 0,
    standardError: 0,
    n: 5,
  });
});

test("kappa and its error follow from the shares by the delta method", () => {
  fc.assert(
    fc.property(labels, (pairs) => {
      const complete = pairs.filter(([a, b]) => a !== null && b !== null);
      const result = cohenKappa(
        pairs.map(([a]) => a),
        pairs.map(([, b]) => b),
      );
      const n = complete.length;
      const equal = complete.filter(([a, b]) => a === b).length;
      expect(
        percentAgreement(
          pairs.map(([a]) => a),
          pairs.map(([, b]) => b),
        ),
      ).toBe(n === 0 ? null : equal / n);
      if (n === 0) {
        expect(result).toBeNull();
        return;
      }
      const states = ["x", "y", "z"];
      const shares = states.map((a) =>
        states.map((b) => complete.filter(([c, d]) => c === a && d === b).length / n),
      );
      const kappa = (table: readonly (readonly number[])[]): number => {
        const total = table.flat().reduce((sum, share) => sum + share, 0);
        const rows = table.map((line) => line.reduce((sum, share) => sum + share, 0) / total);
        const columns = states.map(
          (_, j) => table.reduce((sum, line) => sum + (line[j] as number), 0) / total,
        );
        const agreed = states.reduce((sum, _, i) => sum + (table[i]?.[i] as number), 0) / total;
        const chance = rows.reduce((sum, share, i) => sum + share * (columns[i] as number), 0);
        return (agreed - chance) / (1 - chance);
      };
      if (result?.kappa === null) {
        expect(Number.isFinite(kappa(shares))).toBe(false);
        return;
      }
      expect(result?.kappa).toBeCloseTo(kappa(shares), 9);
      const step = 1e-5;
      const slope = (i: number, j: number): number => {
        const moved = (by: number) =>
          shares.map((line, k) => line.map((share, l) => (k === i && l === j ? share + by : share)));
        return (kappa(moved(step)) - kappa(moved(-step))) / (2 * step);
      };
      let first = 0;
      let second = 0;
      for (const [i, line] of shares.entries())
        for (const [j, share] of line.entries()) {
          first += share * slope(i, j) ** 2;
          second += share * slope(i, j);
        }
      expect(result?.standardError).toBeCloseTo(Math.sqrt(Math.max(0, first - second ** 2) / n), 3);
    }),
  );
});

test("Krippendorff's alpha compares every pair of ratings", () => {
  const unit = fc.array(fc.constantFrom(1, 2, 3, 7, null), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(
      fc.array(unit, { maxLength: 8 }),
      fc.constantFrom("nominal", "ordinal", "interval"),
      (units, metric) => {
        const rated = units
          .map((list) => list.filter((value) => value !== null))
          .filter((list) => list.length > 1);
        const all = rated.flat();
        const rank = (x: number): number =>
          all.filter((y) => y < x).length + (all.filter((y) => y === x).length + 1) / 2;
        const distance = (x: number, y: number): number =>
          metric === "nominal"
            ? Number(x !== y)
            : metric === "interval"
              ? (x - y) ** 2
              : (rank(x) - rank(y)) ** 2;
        const pairs = (list: readonly number[]): number =>
          list.reduce((sum, x) => sum + list.reduce((inner, y) => inner + distance(x, y), 0), 0);
        const observed = rated.reduce((sum, list) => sum + pairs(list) / (list.length - 1), 0) / all.length;
        const expected = pairs(all) / (all.length * (all.length - 1));
        const alpha = krippendorffAlpha(units, metric);
        if (new Set(all).size < 2) expect(alpha).toBeNull();
        else expect(alpha).toBeCloseTo(1 - observed / expected, 9);
      },
    ),
  );
});

test("flips are what the text of a sequence shows", () => {
  const sequence = fc.array(fc.constantFrom(true, false, null), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(sequence, { maxLength: 6 }), (sequences) => {
      for (const verdicts of sequences) {
        const text = verdicts.map((verdict) => (verdict === null ? "?" : verdict ? "T" : "F")).join("");
        const lead = /^T*/.exec(text)?.[0].length ?? 0;
        expect(turnOfFlip(verdicts)).toBe(text === "" || text[lead] === "?" ? null : lead);
        expect(numberOfFlips(verdicts)).toBe(
          text === "" || text.includes("?") ? null : [...text.matchAll(/T(?=F)|F(?=T)/g)].length,
        );
      }
      const known = sequences.map(turnOfFlip).filter((value) => value !== null);
      expect(flipSummary(sequences).turnOfFlip).toEqual({
        mean: mean(known),
        n: known.length,
        inconclusive: sequences.length - known.length,
      });
      const { counts, proportions } = transitionMatrix(sequences, [true, false]);
      const all = sequences
        .map((verdicts) => verdicts.map((verdict) => (verdict === null ? "?" : verdict ? "T" : "F")).join(""))
        .join(" ");
      const seen = (pair: RegExp): number => [...all.matchAll(pair)].length;
      expect(counts).toEqual([
        [seen(/T(?=T)/g), seen(/T(?=F)/g)],
        [seen(/F(?=T)/g), seen(/F(?=F)/g)],
      ]);
      for (const line of proportions)
        if (line[0] !== null) expect((line[0] as number) + (line[1] as number)).toBeCloseTo(1, 12);
    }),
  );
});

test("bad arguments are named", () => {
  const calls: readonly (readonly [() => unknown, RegExp])[] = [
    [() => kaplanMeier([1], [], 0.95), /`observed`/],
    [() => kaplanMeier([-1], [true], 0.95), /`times\[0\]`/],
    [() => restrictedMean([1], [true], Number.NaN), /`horizon`/],
    [() => logRank([{ times: [1], observed: [true, false] }]), /`groups\[0\]\.observed`/],
    [() => cohenKappa(["a"], []), /`b`/],
    [() => krippendorffAlpha([["a", "b"]], "interval"), /`units\[0\]\[0\]`/],
    [() => krippendorffAlpha([], "ratio" as "interval"), /`metric`/],
    [() => transitionMatrix([["a", "q"]], ["a", "b"]), /`sequences\[0\]\[1\]`.*`q`/],
    [() => turnOfFlip([1 as unknown as boolean]), /`sequence\[0\]`/],
  ];
  for (const [call, message] of calls) {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  }
});
