import { expect, it } from "vitest";
import { describeValue, incomparable } from "./incomparable.ts";

it("says what was found and what is needed", () => {
  expect(incomparable("value", null, "a number")).toEqual({
    evaluable: false,
    passes: false,
    score: 0,
    reason: "The value is null, but a number is needed.",
  });
});

it.each<[unknown, string]>([
  ["maybe", '"maybe"'],
  ["x".repeat(41), `"${"x".repeat(39)}…"`],
  [3, "the number 3"],
  [Number.NaN, "the number NaN"],
  [true, "true"],
  [undefined, "null"],
  [[1], "an array"],
  [{}, "an object"],
  [Symbol("s"), "a symbol"],
  [1n, "a bigint"],
  [() => 1, "a function"],
])("describes %s as %s", (value, expected) => expect(describeValue(value)).toBe(expected));
