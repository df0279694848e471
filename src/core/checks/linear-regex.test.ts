import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileLinearRegex, type LinearRegex } from "./linear-regex.ts";

function compiled(pattern: string, flags?: string): LinearRegex {
  const regex = compileLinearRegex(pattern, flags);
  if ("problem" in regex) throw new Error(regex.problem);
  return regex;
}

describe("find", () => {
  it.each<[string, string | undefined, string, boolean]>([
    ["b+", undefined, "abbc", true],
    ["^b", undefined, "ab", false],
    ["", undefined, "", true],
    ["BCL", undefined, "bcl", false],
    ["BCL", "i", "bcl", true],
    ["^b$", undefined, "a\nb", false],
    ["^b$", "m", "a\nb", true],
    ["a.b", undefined, "a\nb", false],
    ["a.b", "s", "a\nb", true],
    ["^B.$", "ims", "a\nb\n\nc", true],
    ["^a.b$", undefined, "a😀b", true],
    ["(?i)abc", undefined, "ABC", true],
    ["(?P<year>\\d{4})", undefined, "in 2024", true],
    ["(?<year>\\d{4})", undefined, "in 2024", true],
    ["\\p{Greek}", undefined, "α", true],
    ["ä", "i", "Ä", true],
  ])("%j with flags %j in %j: %s", (pattern, flags, text, expected) => {
    expect(compiled(pattern, flags).find(text)).toBe(expected);
  });
});

describe("count", () => {
  it.each<[string, string, number]>([
    ["a", "banana", 3],
    ["aa", "aaaaa", 2],
    ["x", "banana", 0],
    ["", "ab", 3],
    ["\\b\\w", "one two", 2],
  ])("%j in %j: %d", (pattern, text, expected) => expect(compiled(pattern).count(text)).toBe(expected));

  it("stops once there are enough", () => expect(compiled("a").count("banana", 2)).toBe(2));
});

describe("captures", () => {
  it.each<[string, string | number, string, string[]]>([
    ["(\\d)(x)?", 1, "1x 2", ["1", "2"]],
    ["(\\d)(x)?", 2, "1x 2 3x", ["x", "x"]],
    ["(\\d)x?", 0, "1x 2", ["1x", "2"]],
    ["(?P<n>\\d)", "n", "1 2", ["1", "2"]],
    ["(?P<n>\\d)", "m", "1 2", []],
    ["(?P<n>\\d)", "__proto__", "1 2", []],
    ["(\\d)", 2, "1 2", []],
    ["(\\d)", -1, "1 2", []],
    ["(\\d)", 0.5, "1 2", []],
  ])("of %j, group %j, in %j: %j", (pattern, group, text, texts) => {
    const { found, complete } = compiled(pattern).captures(text, group, 10);
    expect(found.map((capture) => capture.text)).toEqual(texts);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(texts);
    expect(complete).toBe(true);
  });

  it("stops once there are enough, and says so", () => {
    expect(compiled("a").captures("banana", 0, 2)).toMatchObject({
      found: [{ start: 1 }, { start: 3 }],
      complete: false,
    });
    expect(compiled("a").captures("banana", 0, 3)).toMatchObject({ complete: true });
  });

  it("counts and names groups", () => {
    expect(compiled("(a)(?P<n>b)(?:c)")).toMatchObject({ groupCount: 2, groupNames: ["n"] });
  });
});

describe("problems", () => {
  it.each([
    ["a(?=b)", /^lookahead is not supported/],
    ["a(?!b)", /^lookahead is not supported/],
    ["(?<=a)b", /^lookbehind is not supported/],
    ["(?<!a)b", /^lookbehind is not supported/],
    ["(a)\\1", /^backreferences are not supported/],
    ["(?P<x>a)\\k<x>", /^backreferences are not supported/],
    ["\\u00e9", /^\\u is not supported/],
    ["a\\Z", /^\\Z is not supported/],
    ["(", /^missing closing \)$/],
    ["[a", /^missing closing \]$/],
    ["*", /^missing argument to repetition operator/],
    ["a**", /^invalid nested repetition operator/],
    ["a++", /^invalid nested repetition operator/],
    ["a{2,1}", /^invalid repeat count/],
    ["\\", /^trailing backslash/],
    ["(?>a)", /^invalid or unsupported Perl syntax/],
    ["(a{1000}){1000}", /^invalid repeat count/],
    ["(?:[ab]{1000}){1}".repeat(10), /too large once its repeats are written out/],
    ["(".repeat(2000) + ")".repeat(2000), /^expression nests too deeply/],
    ["a".repeat(5001), /longer than 5000 characters/],
  ])("of the pattern %.40s", (pattern, problem) => {
    expect(compileLinearRegex(pattern)).toEqual({ part: "pattern", problem: expect.stringMatching(problem) });
  });

  it.each(["g", "ix", "I", " "])("of the flags %j", (flags) => {
    expect(compileLinearRegex("a", flags)).toMatchObject({ part: "flags" });
  });
});

it("takes linear time where backtracking takes for ever", () => {
  const text = `${"a".repeat(100_000)}!`;
  for (const pattern of ["(a+)+$", "^(a|a)*$", "(a|aa)+$", "(.*a){20}b", "^(\\w+\\s?)*$"]) {
    expect(compiled(pattern).find(text)).toBe(false);
  }
});

it("agrees with RegExp on simple patterns", () => {
  const part = fc.constantFrom("a", "b", ".", "a*", "b+", "(ab)?", "[ab]", "a|b", "^", "$");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.stringMatching(/^[ab]{0,8}$/), (parts, text) => {
      const pattern = parts.join("");
      expect(compiled(pattern).find(text)).toBe(new RegExp(pattern).test(text));
    }),
  );
});

it("never throws", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ maxLength: 3 }), (pattern, flags) => {
      const regex = compileLinearRegex(pattern, flags);
      expect("problem" in regex || typeof regex.find("some text") === "boolean").toBe(true);
    }),
  );
});
