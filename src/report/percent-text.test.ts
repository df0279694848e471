import * as fc from "fast-check";
import { expect, test } from "vitest";
import { intervalText, percentText } from "./percent-text.ts";
import { wilsonInterval } from "./wilson-interval.ts";

test.each([
  [0, 0, "–"],
  [0, 7, "0.0 %"],
  [7, 7, "100.0 %"],
  [5, 6, "83.3 %"],
  [999, 1000, "99.9 %"],
  [9999, 10_000, "> 99.9 %"],
  [1, 1000, "0.1 %"],
  [1, 10_000, "< 0.1 %"],
])("%i of %i is %s", (part, whole, text) => {
  expect(percentText(part, whole)).toBe(text);
});

test.each([
  [0, 0, "–"],
  [66, 66, "94–100 %"],
  [0, 66, "0–6 %"],
  [55, 66, "73–90 %"],
  [65, 66, "91.9–99.7 %"],
  [999, 1000, "99.44–99.98 %"],
  [83_300, 100_000, "83.1–83.5 %"],
])("the interval of %i of %i is %s", (part, whole, text) => {
  expect(intervalText(wilsonInterval(part, whole))).toBe(text);
});

test("neither says all or nothing of what is not", () => {
  const parts = fc
    .integer({ min: 2, max: 100_000 })
    .chain((whole) => fc.tuple(fc.integer({ min: 1, max: whole - 1 }), fc.constant(whole)));
  fc.assert(
    fc.property(parts, ([part, whole]) => {
      expect(percentText(part, whole)).not.toMatch(/^(0|100)\.0 %$/);
      const [low, high] = intervalText(wilsonInterval(part, whole)).replace(" %", "").split("–");
      expect(Number(low)).toBeGreaterThan(0);
      expect(Number(high)).toBeLessThan(100);
      expect(low).not.toBe(high);
    }),
  );
});
