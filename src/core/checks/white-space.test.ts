import { describe, expect, it } from "vitest";
import { collapseWhiteSpace, strip, words } from "./white-space.ts";

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
