import { describe, expect, it } from "vitest";
import {
  describeValue,
  FAILED,
  incomparable,
  notEvaluable,
  PASSED,
  passedIf,
  unusableCheck,
} from "./check-result.ts";

it("shares the two plain results, which nobody can change", () => {
  expect(passedIf(true)).toBe(PASSED);
  expect(passedIf(false)).toBe(FAILED);
  expect(Object.isFrozen(PASSED) && Object.isFrozen(FAILED)).toBe(true);
});

it("what cannot be evaluated never passes and never scores", () => {
  expect(notEvaluable("Why.")).toEqual({ evaluable: false, passes: false, score: 0, reason: "Why." });
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

describe("a check that cannot be used", () => {
  it("gives its reason, whatever it is asked", () => {
    const check = unusableCheck("No.");
    expect(check(1, 1)).toEqual({ evaluable: false, passes: false, score: 0, reason: "No." });
    expect(check(null, "a")).toBe(check(1, 1));
  });
});
