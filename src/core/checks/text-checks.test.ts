import { describe, expect, it } from "vitest";
import type { Check } from "./check.ts";
import { evaluateCheck } from "./evaluate-check.ts";

type Row = [parameters: object, value: unknown, expected: unknown, verdict: boolean | null];

/** true and false as the check says, null if it cannot be evaluated. */
function answer(type: Check["type"], [parameters, value, expected]: Row): boolean | null {
  const result = evaluateCheck({ type, ...parameters } as Check, value, expected);
  return result.evaluable ? result.passes : null;
}

describe("exact_match", () => {
  it.each<Row>([
    [{}, " BCL2\u00a0", "bcl2", true],
    [{}, "Bcl-2", "bcl2", false],
    [{}, "", "", true],
    [{}, " ", "", true],
    [{}, "", null, false],
    [{}, null, "", false],
    [{}, null, "null", false],
    [{}, null, null, true],
    [{}, undefined, null, true],
    [{}, 5, "5", true],
    [{}, "5.0", 5, false],
    [{}, true, "TRUE", true],
    [{}, false, false, true],
    [{}, "ß", "SS", false],
    [{}, "ÄÖ", "äö", true],
    [{ normalize: null }, "A", "a", true],
    [{ normalize: [] }, "A", "a", false],
    [{ normalize: [] }, "a", "a", true],
    [{ normalize: ["strip"] }, "A ", "A", true],
    [{ normalize: ["unicode", "lowercase"] }, "ＢＣＬ２", "bcl2", true],
    [{ normalize: ["lowercase", { synonyms: { aspirin: "asa" } }] }, "Aspirin", "ASA", true],
    [{}, ["a"], "a", null],
    [{}, "a", { a: 1 }, null],
    [{}, null, [], null],
    [{}, Number.NaN, "NaN", null],
    [{ normalize: ["nope"] }, "a", "a", null],
    [{ normalize: ["Lowercase"] }, "a", "a", null],
    [{ normalize: "lowercase" }, "a", "a", null],
    [{ normalize: [{}] }, "a", "a", null],
    [{ normalize: [{ synonyms: { a: 1 } }] }, "a", "a", null],
  ])("%j: %j against %j is %j", (...row) => expect(answer("exact_match", row)).toBe(row[3]));

  it("follows the expected text from call to call", () => {
    const check = Object.freeze({ type: "exact_match" } as const);
    const verdicts = ["a", "B", "b ", "a"].map((expected) => evaluateCheck(check, "A", expected).passes);
    expect(verdicts).toEqual([true, false, false, true]);
    expect(evaluateCheck(check, " ", "").passes).toBe(true);
  });
});

describe("contains_any", () => {
  it.each<Row>([
    [{ substrings: ["foo", "Bar"] }, "xx foo", null, true],
    [{ substrings: ["foo", "Bar"] }, "BAR", null, false],
    [{ substrings: ["foo", "Bar"] }, "", null, false],
    [{ substrings: [] }, "x", null, false],
    [{ substrings: [""] }, "", null, true],
    [{ substrings: ["5"] }, 1500, null, true],
    [{ substrings: ["ru"] }, true, null, true],
    [{ substrings: ["B.C."], normalize: ["remove_punctuation", "lowercase"] }, "the bc era", null, true],
    [{ substrings: ["a"] }, null, null, null],
    [{ substrings: ["a"] }, ["a"], null, null],
    [{ substrings: ["a"], normalize: ["nope"] }, "a", null, null],
    [{ substrings: "a" }, "a", null, null],
    [{ substrings: [1] }, "1", null, null],
    [{}, "a", null, null],
  ])("%j in %j (%j) is %j", (...row) => expect(answer("contains_any", row)).toBe(row[3]));
});

describe("contains_all", () => {
  it.each<Row>([
    [{ substrings: ["a", "b"] }, "ba", null, true],
    [{ substrings: ["a", "b"] }, "a", null, false],
    [{ substrings: ["ab", "bc"] }, "abc", null, true],
    [{ substrings: [] }, "", null, true],
    [{ substrings: [] }, null, null, null],
  ])("%j in %j (%j) is %j", (...row) => expect(answer("contains_all", row)).toBe(row[3]));
});

describe("regex_match", () => {
  it.each<Row>([
    [{ pattern: "bcl-?2" }, "the bcl-2 gene", null, true],
    [{ pattern: "^bcl2$" }, "the bcl2", null, false],
    [{ pattern: "BCL", flags: "i" }, "bcl", null, true],
    [{ pattern: "BCL", flags: null }, "bcl", null, false],
    [{ pattern: "^\\d+$" }, 42, null, true],
    [{ pattern: "" }, "", null, true],
    [{ pattern: "a" }, null, null, null],
    [{ pattern: "(" }, "(", null, null],
    [{ pattern: "a(?=b)" }, "ab", null, null],
    [{ pattern: "a", flags: "g" }, "a", null, null],
    [{ pattern: "a", flags: ["i"] }, "a", null, null],
    [{ pattern: 5 }, "5", null, null],
    [{}, "a", null, null],
  ])("%j in %j (%j) is %j", (...row) => expect(answer("regex_match", row)).toBe(row[3]));
});

describe("one_of", () => {
  it.each<Row>([
    [{ values: ["Yes", "no "] }, " YES", null, true],
    [{ values: ["yes"] }, "yes!", null, false],
    [{ values: [1, true] }, "1", null, true],
    [{ values: ["1"] }, 1, null, true],
    [{ values: [] }, "a", null, false],
    [{ values: ["a"], normalize: [] }, "A", null, false],
    [{ values: ["a"] }, null, null, null],
    [{ values: [null] }, "null", null, null],
    [{ values: "abc" }, "a", null, null],
    [{}, "a", null, null],
  ])("%j for %j (%j) is %j", (...row) => expect(answer("one_of", row)).toBe(row[3]));
});
