import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { METRIC_NAMES, type MetricName } from "../../../core/templates/rubric.ts";
import { type MetricCounts, metricCounts, metricValue, metricValues } from "./trait-value.ts";

function counts(tp: number, fn: number, fp: number, tn: number): MetricCounts {
  return { tp, fn, fp, tn, unknown: { expected: 0, unexpected: 0 } };
}

describe("values", () => {
  test.each<[MetricCounts, (number | null)[]]>([
    // precision, recall, f1, specificity, accuracy
    [counts(3, 1, 1, 5), [0.75, 0.75, 0.75, 5 / 6, 0.8]],
    [counts(4, 0, 0, 2), [1, 1, 1, 1, 1]],
    [counts(0, 3, 2, 0), [0, 0, 0, 0, 0]],
    [counts(0, 3, 0, 2), [null, 0, 0, 1, 0.4]],
    [counts(2, 2, 0, 0), [1, 0.5, 2 / 3, null, 0.5]],
    [counts(0, 3, 0, 0), [null, 0, 0, null, 0]],
    [counts(0, 0, 1, 1), [0, null, 0, 0.5, 0.5]],
    [counts(0, 0, 0, 1), [null, null, null, 1, 1]],
    [counts(0, 0, 0, 0), [null, null, null, null, null]],
  ])("%j", (given, values) => {
    expect(METRIC_NAMES.map((metric) => metricValues(given)[metric])).toEqual(values);
  });

  test("an empty denominator has a reason", () => {
    expect(metricValue("precision", counts(0, 3, 0, 2))).toEqual({
      value: null,
      reason: "precision is undefined: its denominator is empty",
    });
  });
});

describe("an answer that is not known", () => {
  test.each<[MetricName, (boolean | null)[], (boolean | null)[], number | null]>([
    ["recall", [true, null], [], null],
    ["recall", [true, false], [null], 0.5],
    ["precision", [true, null], [false], 1],
    ["precision", [true, null], [true], null],
    ["precision", [false, null], [false], null],
    ["precision", [false, false], [true, null], 0],
    ["precision", [false, false], [null], null],
    ["f1", [false, false], [null], 0],
    ["f1", [true, true], [null], null],
    ["specificity", [null, null], [true, false], 0.5],
    ["specificity", [true], [null], null],
    ["accuracy", [true, true, true], [null], null],
  ])("%s %j %j → %j", (metric, expected, unexpected, value) => {
    expect(metricValue(metric, metricCounts({ expected, unexpected })).value).toBe(value);
  });

  test("is named as the reason", () => {
    const reason = (expected: null[]): string | undefined =>
      metricValue("recall", metricCounts({ expected })).reason;
    expect(reason([null])).toBe("recall depends on an instruction that the judge could not decide");
    expect(reason([null, null])).toBe("recall depends on 2 instructions that the judge could not decide");
  });
});

const count = fc.integer({ min: 0, max: 20 });
const known = fc.tuple(count, count, count, count).map((four) => counts(...four));

test("bounds: from 0 to 1 or null, never NaN; null exactly where the denominator is empty", () => {
  fc.assert(
    fc.property(known, (given) => {
      const { tp, fn, fp, tn } = given;
      const { precision, recall, f1, specificity, accuracy } = metricValues(given);
      for (const value of [precision, recall, f1, specificity, accuracy]) {
        if (value === null) continue;
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }
      expect(precision === null).toBe(tp + fp === 0);
      expect(recall === null).toBe(tp + fn === 0);
      expect(f1 === null).toBe(tp + fp + fn === 0);
      expect(specificity === null).toBe(tn + fp === 0);
      expect(accuracy === null).toBe(tp + fn + fp + tn === 0);
    }),
  );
});

test("f1 is the harmonic mean of precision and recall, and lies between them", () => {
  fc.assert(
    fc.property(known, (given) => {
      const { precision, recall, f1 } = metricValues(given);
      if (precision === null || recall === null || f1 === null) return;
      if (precision + recall === 0) expect(f1).toBe(0);
      else expect(f1).toBeCloseTo((2 * precision * recall) / (precision + recall), 12);
      expect(f1).toBeGreaterThanOrEqual(Math.min(precision, recall) - 1e-12);
      expect(f1).toBeLessThanOrEqual(Math.max(precision, recall) + 1e-12);
    }),
  );
});

test("symmetries: fn and fp swap precision and recall; both kinds swapped, recall becomes specificity", () => {
  fc.assert(
    fc.property(known, ({ tp, fn, fp, tn }) => {
      const values = metricValues(counts(tp, fn, fp, tn));
      const swapped = metricValues(counts(tp, fp, fn, tn));
      expect([swapped.precision, swapped.recall, swapped.f1]).toEqual([
        values.recall,
        values.precision,
        values.f1,
      ]);
      const mirrored = metricValues(counts(tn, fp, fn, tp));
      expect([mirrored.specificity, mirrored.recall, mirrored.accuracy]).toEqual([
        values.recall,
        values.specificity,
        values.accuracy,
      ]);
    }),
  );
});

test("with unknown answers, the value is that of every way they can turn out, or null", () => {
  const answers = fc.array(fc.constantFrom(true, false, null), { maxLength: 5 });
  const completions = (given: readonly (boolean | null)[]): boolean[][] =>
    given.reduce<boolean[][]>(
      (all, answer) =>
        all.flatMap((start) =>
          answer === null
            ? [
                [...start, true],
                [...start, false],
              ]
            : [[...start, answer]],
        ),
      [[]],
    );
  fc.assert(
    fc.property(answers, answers, fc.constantFrom(...METRIC_NAMES), (expected, unexpected, metric) => {
      const values = new Set(
        completions(expected).flatMap((e) =>
          completions(unexpected).map(
            (u) => metricValue(metric, metricCounts({ expected: e, unexpected: u })).value,
          ),
        ),
      );
      const [only = null] = values;
      const { value, reason } = metricValue(metric, metricCounts({ expected, unexpected }));
      expect(value).toBe(values.size === 1 ? only : null);
      expect(reason === undefined).toBe(value !== null);
    }),
  );
});
