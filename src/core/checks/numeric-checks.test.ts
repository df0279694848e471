import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Check } from "./check.ts";
import { evaluateCheck } from "./evaluate-check.ts";

type Row = [parameters: object, value: unknown, expected: unknown, verdict: boolean | null];

/** true and false as the check says, null if it cannot be evaluated. */
function answer(type: Check["type"], [parameters, value, expected]: Row): boolean | null {
  const result = evaluateCheck({ type, ...parameters } as Check, value, expected);
  return result.evaluable ? result.passes : null;
}

describe("numeric_exact", () => {
  it.each<Row>([
    [{}, 3, 3, true],
    [{}, "3.0", 3, true],
    [{}, " 1e3 ", "1000", true],
    [{}, -0, 0, true],
    [{}, 0.1 + 0.2, 0.3, false],
    [{}, 3, 4, false],
    [{}, true, 1, null],
    [{}, 1, true, null],
    [{}, "", 0, null],
    [{}, "three", 3, null],
    [{}, null, null, null],
    [{}, [3], 3, null],
  ])("%j: %j against %j is %j", (...row) => expect(answer("numeric_exact", row)).toBe(row[3]));
});

describe("numeric_tolerance", () => {
  it.each<Row>([
    [{ tolerance: 0.1 }, 90, 100, true],
    [{ tolerance: 0.1 }, 110, 100, true],
    [{ tolerance: 0.1 }, 110.001, 100, false],
    [{ tolerance: 0.1 }, -95, -100, true],
    [{ tolerance: 0.1 }, -110, 100, false],
    [{ tolerance: 0.1 }, 0, 0, true],
    [{ tolerance: 1e9 }, 1e-9, 0, false],
    [{ tolerance: 0 }, 5, "5", true],
    [{ tolerance: 1 }, 0, 100, true],
    [{ tolerance: 5, mode: "absolute" }, 95, 100, true],
    [{ tolerance: 5, mode: "absolute" }, 94.9, 100, false],
    [{ tolerance: 5, mode: "absolute" }, 3, 0, true],
    [{ tolerance: 1, mode: "absolute" }, 1e308, -1e308, false],
    [{ tolerance: 0.1, mode: null }, 90, 100, true],
    [{ tolerance: 0.1 }, null, 0, null],
    [{ tolerance: 0.1 }, 1, null, null],
    [{ tolerance: -0.1 }, 1, 1, null],
    [{ tolerance: "0.1" }, 1, 1, null],
    [{ tolerance: 0.1, mode: "Relative" }, 1, 1, null],
    [{}, 1, 1, null],
  ])("%j: %j against %j is %j", (...row) => expect(answer("numeric_tolerance", row)).toBe(row[3]));
});

describe("numeric_range", () => {
  it.each<Row>([
    [{ min: 1, max: 3 }, 1, null, true],
    [{ min: 1, max: 3 }, "3", null, true],
    [{ min: 1, max: 3 }, 3.0001, null, false],
    [{ min: 1, max: 3, exclusiveMin: true }, 1, null, false],
    [{ min: 1, max: 3, exclusiveMin: true }, 3, null, true],
    [{ min: 1, max: 3, exclusiveMax: true }, 3, null, false],
    [{ min: 2, max: 2 }, 2, null, true],
    [{ min: 3 }, 1e300, null, true],
    [{ max: 3 }, -1e300, null, true],
    [{ min: null, max: 3 }, -1, null, true],
    [{}, 0, null, true],
    [{ min: 5, max: 1 }, 3, null, false],
    [{ min: 5, max: 1 }, 6, null, false],
    [{}, "x", null, null],
    [{}, null, null, null],
    [{ min: "1" }, 2, null, null],
    [{ min: 1, minimum: 2 }, 2, null, null],
    [{ exclusiveMin: "yes", min: 1 }, 2, null, null],
  ])("%j: %j (%j) is %j", (...row) => expect(answer("numeric_range", row)).toBe(row[3]));
});

describe("numeric_minimum and numeric_maximum", () => {
  it.each<Row>([
    [{}, 5, 5, true],
    [{}, 4, 5, false],
    [{}, "6", 5, true],
    [{ exclusive: true }, 5, 5, false],
    [{ exclusive: true }, 5.1, "5", true],
    [{ exclusive: null }, 5, 5, true],
    [{}, null, 5, null],
    [{}, 5, null, null],
    [{ exclusive: 1 }, 5, 5, null],
  ])("at least, %j: %j against %j is %j", (...row) => expect(answer("numeric_minimum", row)).toBe(row[3]));

  it("mirror each other", () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(double, double, fc.boolean(), (value, expected, exclusive) => {
        const minimum = evaluateCheck({ type: "numeric_minimum", exclusive }, value, expected);
        expect(evaluateCheck({ type: "numeric_maximum", exclusive }, -value, -expected)).toBe(minimum);
      }),
    );
  });
});

describe("graded checks", () => {
  type Row = [parameters: object, value: unknown, expected: unknown, passes: boolean | null, score: number];

  function expectRow(type: Check["type"], [parameters, value, expected, passes, score]: Row): void {
    const result = evaluateCheck({ type, ...parameters } as Check, value, expected);
    expect(result.evaluable ? result.passes : null).toBe(passes);
    expect(result.score).toBeCloseTo(score, 9);
  }

  describe("numeric_graded", () => {
    it.each<Row>([
      [{ cutoff: 0.2 }, 100, 100, true, 1],
      [{ cutoff: 0.2 }, 110, 100, true, 0.5],
      [{ cutoff: 0.2 }, 90, 100, true, 0.5],
      [{ cutoff: 0.2 }, 120, 100, true, 0],
      [{ cutoff: 0.2 }, 120.1, 100, false, 0],
      [{ cutoff: 0.2 }, -90, -100, true, 0.5],
      [{ cutoff: 0.2 }, 0, 0, true, 1],
      [{ cutoff: 0.2 }, 0.0001, 0, false, 0],
      [{ cutoff: 0.2, decay: "quadratic" }, 110, 100, true, 0.75],
      [{ cutoff: 10, mode: "absolute" }, 104, 100, true, 0.6],
      [{ cutoff: 10, mode: "absolute" }, 4, 0, true, 0.6],
      [{ cutoff: 0.2, fullCredit: 0.05 }, 105, 100, true, 1],
      [{ cutoff: 0.2, fullCredit: 0.05 }, 110, 100, false, 2 / 3],
      [{ cutoff: 0.2, fullCredit: 0.05, decay: "quadratic" }, 110, 100, false, 8 / 9],
      [{ cutoff: 0.2, fullCredit: 0.05 }, 120, 100, false, 0],
      [{ cutoff: 0.2, fullCredit: 0 }, 100, 100, true, 1],
      [{ cutoff: 0.2, fullCredit: 0 }, 110, 100, false, 0.5],
      [{ cutoff: 0.2, fullCredit: null }, 110, 100, true, 0.5],
      [{ cutoff: 0.2 }, "110", "100", true, 0.5],
      [{ cutoff: 1 }, 1e308, -1e308, false, 0],
      [{ cutoff: 0.2 }, null, 100, null, 0],
      [{ cutoff: 0.2 }, 100, "x", null, 0],
      [{ cutoff: 0 }, 1, 1, null, 0],
      [{ cutoff: 0.2, fullCredit: 0.2 }, 1, 1, null, 0],
      [{ cutoff: 0.2, fullCredit: -0.1 }, 1, 1, null, 0],
      [{ cutoff: 0.2, decay: "cubic" }, 1, 1, null, 0],
      [{}, 1, 1, null, 0],
    ])("%j: %j against %j passes %j, scores %d", (...row) => expectRow("numeric_graded", row));
  });

  describe("numeric_range_graded", () => {
    const band = { min: 10, max: 20, margin: 5 };
    it.each<Row>([
      [band, 10, null, true, 1],
      [band, 20, null, true, 1],
      [band, 7.5, null, false, 0.5],
      [band, 22.5, null, false, 0.5],
      [band, 5, null, false, 0],
      [band, 25.1, null, false, 0],
      [{ ...band, decay: "quadratic" }, 21, null, false, 0.96],
      [{ ...band, mode: "relative", margin: 0.5 }, 21, null, false, 0.8],
      [{ ...band, exclusiveMin: true }, 10, null, false, 1],
      [{ ...band, exclusiveMin: true }, 20, null, true, 1],
      [{ ...band, exclusiveMax: true }, 20, null, false, 1],
      [{ min: -20, max: -10, margin: 5 }, -22.5, null, false, 0.5],
      [band, null, null, null, 0],
      [{ ...band, min: 20 }, 20, null, null, 0],
      [{ ...band, margin: 0 }, 15, null, null, 0],
      [{ min: 10, margin: 5 }, 15, null, null, 0],
      [{ min: 10, max: null, margin: 5 }, 15, null, null, 0],
    ])("%j: %j (%j) passes %j, scores %d", (...row) => expectRow("numeric_range_graded", row));
  });

  describe("numeric_threshold_graded", () => {
    const max = { direction: "max", margin: 0.5 };
    const min = { direction: "min", margin: 0.5 };
    it.each<Row>([
      [max, -100, 10, true, 1],
      [max, 10, 10, true, 1],
      [max, 12, 10, false, 0.6],
      [max, 15, 10, false, 0],
      [max, 0, 0, true, 1],
      [max, 0.1, 0, false, 0],
      [max, -9, -10, false, 0.8],
      [{ ...max, exclusive: true }, 10, 10, false, 1],
      [{ ...max, exclusive: true }, 9, 10, true, 1],
      [{ ...max, decay: "quadratic" }, 12, 10, false, 0.84],
      [{ ...max, mode: "absolute", margin: 4 }, 1, 0, false, 0.75],
      [min, 100, 10, true, 1],
      [min, 8, 10, false, 0.6],
      [min, -1, 0, false, 0],
      [{ ...min, exclusive: true }, 10, 10, false, 1],
      [max, null, 10, null, 0],
      [max, 10, null, null, 0],
      [{ margin: 0.5 }, 1, 1, null, 0],
      [{ direction: "up", margin: 0.5 }, 1, 1, null, 0],
      [{ direction: "max" }, 1, 1, null, 0],
      [{ direction: "max", margin: -1 }, 1, 1, null, 0],
    ])("%j: %j against %j passes %j, scores %d", (...row) => expectRow("numeric_threshold_graded", row));
  });

  it("scores stay between 0 and 1 and fall with the distance", () => {
    const any = fc.double({ noNaN: true, noDefaultInfinity: true });
    const positive = fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true });
    const mode = fc.constantFrom("relative" as const, "absolute" as const);
    const decay = fc.constantFrom("linear" as const, "quadratic" as const);
    fc.assert(
      fc.property(any, any, any, positive, mode, decay, (near, far, expected, cutoff, mode, decay) => {
        const check: Check = { type: "numeric_graded", cutoff, mode, decay };
        const [first, second] = [near, far]
          .sort((left, right) => Math.abs(left - expected) - Math.abs(right - expected))
          .map((value) => evaluateCheck(check, value, expected).score) as [number, number];
        expect(first).toBeLessThanOrEqual(1);
        expect(second).toBeGreaterThanOrEqual(0);
        expect(first).toBeGreaterThanOrEqual(second);
      }),
    );
  });
});
