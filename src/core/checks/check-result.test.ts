import { describe, expect, it } from "vitest";
import { describeValue, FAILED, incomparable, PASSED, passedIf } from "./check-result.ts";

it("shares the two plain results, which nobody can change", () => {
  expect(passedIf(true)).toBe(PASSED);
  expect(passedIf(false)).toBe(FAILED);
  expect(Object.isFrozen(PASSED) && Object.isFrozen(FAILED)).toBe(true);
});

describe("values that cannot be compared", () => {
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
});
