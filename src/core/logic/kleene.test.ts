import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allTrue, anyTrue, atLeastTrue, negate, type Truth } from "./kleene.ts";

const truth = fc.constantFrom<Truth>(true, false, null);
const truths = fc.array(truth, { maxLength: 6 });

describe("tables", () => {
  test.each<[Truth, Truth, Truth, Truth]>([
    [true, true, true, true],
    [true, false, false, true],
    [true, null, null, true],
    [false, false, false, false],
    [false, null, false, null],
    [null, null, null, null],
  ])("%s and/or %s", (left, right, and, or) => {
    for (const pair of [
      [left, right],
      [right, left],
    ]) {
      expect(allTrue(pair)).toBe(and);
      expect(anyTrue(pair)).toBe(or);
    }
  });

  test("with nothing", () => {
    expect(allTrue([])).toBe(true);
    expect(anyTrue([])).toBe(false);
    expect(atLeastTrue(0, [])).toBe(true);
    expect(atLeastTrue(1, [])).toBe(false);
    expect(negate(null)).toBe(null);
  });
});

describe("laws", () => {
  test("De Morgan", () => {
    fc.assert(
      fc.property(truths, (values) => {
        expect(negate(allTrue(values))).toBe(anyTrue(values.map(negate)));
        expect(negate(anyTrue(values))).toBe(allTrue(values.map(negate)));
      }),
    );
  });

  test("double negation", () => {
    fc.assert(fc.property(truth, (value) => negate(negate(value)) === value));
  });

  test("order and grouping do not matter", () => {
    fc.assert(
      fc.property(truths, truths, (left, right) => {
        expect(allTrue([...left, ...right])).toBe(allTrue([...right, ...left]));
        expect(allTrue([...left, ...right])).toBe(allTrue([allTrue(left), allTrue(right)]));
        expect(anyTrue([...left, ...right])).toBe(anyTrue([anyTrue(left), anyTrue(right)]));
      }),
    );
  });

  test("at least one is any, at least all is all", () => {
    fc.assert(
      fc.property(truths, (values) => {
        expect(atLeastTrue(1, values)).toBe(anyTrue(values));
        expect(atLeastTrue(values.length, values)).toBe(allTrue(values));
        expect(atLeastTrue(0, values)).toBe(true);
        expect(atLeastTrue(values.length + 1, values)).toBe(false);
      }),
    );
  });

  test("knowing more never changes an answer that was known", () => {
    fc.assert(
      fc.property(truths, fc.nat(6), fc.func(fc.boolean()), (values, n, decide) => {
        const known = values.map((value, index) => value ?? decide(index));
        for (const evaluate of [allTrue, anyTrue, (list: Truth[]) => atLeastTrue(n, list)]) {
          const before = evaluate(values);
          if (before !== null) expect(evaluate(known)).toBe(before);
        }
      }),
    );
  });
});
