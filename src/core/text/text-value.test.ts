import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collapseWhiteSpace, numberValue, strip, textValue, words } from "./text-value.ts";

/** Every character for which Python's `str.isspace` is true. */
const PYTHON_SPACES = [
  ..."\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680",
  ..."\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000",
];

describe("strip", () => {
  it("takes away exactly the white space that Python does", () => {
    const stripped: string[] = [];
    for (let code = 0; code <= 0xffff; code++) {
      if (strip(String.fromCharCode(code)) === "") stripped.push(String.fromCharCode(code));
    }
    expect(stripped).toEqual(PYTHON_SPACES);
  });

  it.each([
    ["", ""],
    ["   ", ""],
    ["a", "a"],
    [" \u00a0a b\n", "a b"],
    ["\ufeffa", "\ufeffa"],
    ["\u200ba", "\u200ba"],
  ])("%j becomes %j", (text, expected) => expect(strip(text)).toBe(expected));
});

describe("words and collapseWhiteSpace", () => {
  it.each([
    ["", []],
    [" \t ", []],
    ["one", ["one"]],
    ["  one\u00a0two\r\n three ", ["one", "two", "three"]],
  ])("%j is %j", (text, expected) => {
    expect(words(text)).toEqual(expected);
    expect(collapseWhiteSpace(text)).toBe(expected.join(" "));
  });
});

describe("a value read as text", () => {
  it.each<[unknown, string | undefined]>([
    ["", ""],
    [" a ", " a "],
    [5, "5"],
    [5.5, "5.5"],
    [-0, "0"],
    [1e21, "1e+21"],
    [true, "true"],
    [false, "false"],
    [null, undefined],
    [undefined, undefined],
    [[], undefined],
    [["a"], undefined],
    [{ toString: () => "a" }, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [5n, undefined],
    [Symbol("a"), undefined],
  ])("the text of %s is %j", (value, expected) => expect(textValue(value)).toBe(expected));
});

describe("a value read as a number", () => {
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
});
