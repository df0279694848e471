import fc from "fast-check";
import { expect, test } from "vitest";
import { deepEqual } from "./json.ts";

test.each([
  [1, 1, true],
  [1, "1", false],
  [null, undefined, false],
  [[1, 2], [1, 2], true],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: undefined }, { b: undefined }, false],
  [{ a: 1 }, Object.create({ a: 1 }), false],
])("%j and %j: %s", (left, right, equal) => {
  expect(deepEqual(left, right)).toBe(equal);
});

test("equal to its copy, and only to what has the same canonical text", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      expect(deepEqual(left, structuredClone(left))).toBe(true);
      expect(deepEqual(left, right)).toBe(deepEqual(right, left));
    }),
  );
});
