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
