import { expect, test } from "vitest";
import { allOf, anyOf, atLeastN, type Composed, evaluateComposition, not } from "./composition.ts";
import type { Truth } from "./kleene.ts";

const value = (node: Composed<Truth>): Truth => evaluateComposition<Truth>(node, (leaf) => leaf);

test.each<[Composed<Truth>, Truth]>([
  [true, true],
  [null, null],
  [allOf(true, null), null],
  [allOf(false, null), false],
  [anyOf(allOf(true, true), null), true],
  [anyOf(), false],
  [allOf(), true],
  [atLeastN(2, true, not(false), null), true],
  [atLeastN(2, true, false, null), null],
  [atLeastN(3, true, false, null), false],
  [not(not(null)), null],
])("%j", (node, expected) => {
  expect(value(node)).toBe(expected);
});

test("compositions are plain data", () => {
  expect(atLeastN(1, allOf("a"), not("b"))).toEqual({
    type: "at_least_n",
    n: 1,
    conditions: [
      { type: "all_of", conditions: ["a"] },
      { type: "not", condition: "b" },
    ],
  });
});
