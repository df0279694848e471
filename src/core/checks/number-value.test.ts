import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { numberValue } from "./number-value.ts";

describe("numberValue", () => {
  it.each<[unknown, number]>([
    [3, 3],
    [-0.5, -0.5],
    ["3", 3],
    [" 3.5 ", 3.5],
    ["\u00a07\n", 7],
    ["1e3", 1000],
    ["1E-2", 0.01],
    ["+4", 4],
    ["-4", -4],
    [".5", 0.5],
    ["5.", 5],
    ["007", 7],
  ])("%j is %d", (value, expected) => expect(numberValue(value)).toBe(expected));

  it.each([
    [
      "",
      " ",
      "abc",
      "3a",
      "0x10",
      "0b1",
      "0o7",
      "1_000",
      "1,000",
      "Infinity",
      "-Infinity",
      "inf",
      "NaN",
      "nan",
      "1e400",
    ],
    ["--1", "1 2", "e5", "1e", ".", "+", "٣", "3%", "\ufeff3", "1n"],
    [
      true,
      false,
      null,
      undefined,
      [],
      [3],
      {},
      { valueOf: (): number => 3 },
      3n,
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ],
  ])("other values are no numbers (%#)", (...values) => {
    expect(values.filter((value) => numberValue(value) !== undefined)).toEqual([]);
  });

  it("reads every finite number from its own text", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(numberValue(` ${number} `)).toBe(number === 0 ? 0 : number);
      }),
    );
  });
});
