import fc from "fast-check";
import { expect, it } from "vitest";
import { deepEqual } from "../values/deep-equal.ts";
import { ValueSet } from "./set-checks.ts";

it("counts equal values once, by content and without conversion", () => {
  expect(new ValueSet([1, 1, "1", true, "true", null, "null"]).size).toBe(6);
  expect(new ValueSet([{ a: 1, b: 2 }, { b: 2, a: 1 }, '{"a":1,"b":2}', [1], "[1]"]).size).toBe(4);
  expect(new ValueSet([0, -0, undefined, null]).size).toBe(2);
});

it("agrees with deep equality", () => {
  const values = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 5 });
  fc.assert(
    fc.property(values, values, (left, right) => {
      const distinct = left.filter(
        (value, index) => !left.slice(0, index).some((other) => deepEqual(value, other)),
      );
      const common = distinct.filter((value) => right.some((other) => deepEqual(value, other)));
      expect(new ValueSet(left).size).toBe(distinct.length);
      expect(new ValueSet(left).overlap(new ValueSet(right))).toBe(common.length);
      expect(new ValueSet(left).isSubsetOf(new ValueSet(right))).toBe(common.length === distinct.length);
    }),
  );
});
