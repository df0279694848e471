import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepEqual } from "../values/json.ts";
import type { Check } from "./check.ts";
import { evaluateCheck } from "./evaluate-check.ts";

type Row = [parameters: object, value: unknown, expected: unknown, verdict: boolean | null];

/** true and false as the check says, null if it cannot be evaluated. */
function answer(type: Check["type"], [parameters, value, expected]: Row): boolean | null {
  const result = evaluateCheck({ type, ...parameters } as Check, value, expected);
  return result.evaluable ? result.passes : null;
}

function checks(type: Check["type"], rows: readonly Row[]): void {
  describe(type, () => {
    it.each(rows)("%j: %j against %j is %j", (...row) => expect(answer(type, row)).toBe(row[3]));
  });
}

checks("exact_match", [
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
]);

checks("contains_any", [
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
]);

checks("contains_all", [
  [{ substrings: ["a", "b"] }, "ba", null, true],
  [{ substrings: ["a", "b"] }, "a", null, false],
  [{ substrings: ["ab", "bc"] }, "abc", null, true],
  [{ substrings: [] }, "", null, true],
  [{ substrings: [] }, null, null, null],
]);

checks("regex_match", [
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
]);

checks("one_of", [
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
]);

checks("set_containment", [
  [{}, ["a", "b"], ["b", "a"], true],
  [{}, ["a", "a"], ["a"], true],
  [{}, ["a"], ["a", "b"], false],
  [{}, [], [], true],
  [{}, ["A"], ["a"], false],
  [{}, [1], ["1"], false],
  [{}, [1, true], [true, 1], true],
  [{}, [1], [true], false],
  [{}, [null], [], false],
  [{}, [{ a: 1, b: [2] }], [{ b: [2], a: 1 }], true],
  [{}, [[1, 2]], [[2, 1]], false],
  [{ mode: "subset" }, ["a"], ["a", "b"], true],
  [{ mode: "subset" }, ["a", "c"], ["a", "b"], false],
  [{ mode: "subset" }, [], [], true],
  [{ mode: "superset" }, ["a", "b"], ["a"], true],
  [{ mode: "superset" }, ["a"], [], true],
  [{ mode: "superset" }, ["a"], ["a", "b"], false],
  [{ mode: "overlap" }, ["a", "x"], ["a", "b"], true],
  [{ mode: "overlap" }, ["x"], ["a"], false],
  [{ mode: "overlap" }, [], [], false],
  [{ mode: "overlap", minOverlap: 2 }, ["a", "a"], ["a", "b"], false],
  [{ mode: "overlap", minOverlap: 2 }, ["b", "a"], ["a", "b"], true],
  [{ mode: "overlap", minOverlap: 0 }, ["x"], ["a"], false],
  [{ mode: "overlap", minOverlap: null }, ["a"], ["a"], true],
  [{}, "ab", ["a", "b"], null],
  [{}, ["a"], "a", null],
  [{}, null, [], null],
  [{}, { 0: "a", length: 1 }, ["a"], null],
  [{ mode: "zzz" }, ["a"], ["a"], null],
  [{ mode: "overlap", minOverlap: -1 }, ["a"], ["a"], null],
  [{ mode: "overlap", minOverlap: 1.5 }, ["a"], ["a"], null],
]);

checks("ordered_match", [
  [{}, ["A", " b"], ["a", "b"], true],
  [{}, ["b", "a"], ["a", "b"], false],
  [{}, ["a"], ["a", "b"], false],
  [{}, [], [], true],
  [{}, [1, true], ["1", "TRUE"], true],
  [{}, [null], [null], true],
  [{}, [null], ["null"], false],
  [{}, [""], [null], false],
  [{ normalize: [] }, ["A"], ["a"], false],
  [{ normalize: [{ mapping: { x: "a" } }] }, ["x"], ["a"], true],
  [{}, [["a"]], [["a"]], null],
  [{}, ["b", {}], ["a", "c"], null],
  [{}, ["a"], [{}], null],
  [{}, [{}], [], false],
  [{}, "ab", ["a", "b"], null],
  [{}, ["a"], null, null],
  [{ normalize: ["nope"] }, ["a"], ["a"], null],
]);

checks("date_match", [
  [{}, "1 March 2024", "2024-03-01", true],
  [{}, "Mar 1st, 2024", "3/1/2024", true],
  [{}, "1/3/2024", "2024-03-01", false],
  [{}, "2024-03-01T23:30:00-05:00", "2024-03-01", true],
  [{}, "2024-03-02T04:30:00Z", "2024-03-01T23:30:00-05:00", false],
  [{}, "2024-03-01T00:00", "2024-03-01T23:59:59", true],
  [{}, "2024-02-30", "2024-02-30", false],
  [{}, "bad", "bad", false],
  [{}, null, null, false],
  [{}, 20240301, "2024-03-01", false],
  [{}, "2024-03-01", "someday", false],
  [{ format: null }, "2024-03-01", "2024-03-01", true],
  [{ format: "dd/MM/yyyy" }, "1/3/2024", "01/03/2024", true],
  [{ format: "dd/MM/yyyy" }, "03/01/2024", "01/03/2024", false],
  [{ format: "dd/MM/yyyy" }, "2024-03-01", "01/03/2024", false],
  [{ format: "dd/MM/yyyy" }, "01/03/2024", "2024-03-01", false],
  [{ format: "%d/%m/%Y" }, "01/03/2024", "01/03/2024", null],
  [{ format: 5 }, "01/03/2024", "01/03/2024", null],
]);

checks("date_tolerance", [
  [{ tolerance: 2 }, "2024-03-03", "2024-03-01", true],
  [{ tolerance: 2 }, "2024-02-28", "2024-03-01", true],
  [{ tolerance: 2 }, "2024-03-03T00:00:00.001", "2024-03-01", false],
  [{ tolerance: 0 }, "March 1, 2024", "2024-03-01T00:00Z", true],
  [{ tolerance: 0.5 }, "2024-03-01T12:00", "2024-03-01", true],
  [{ tolerance: 1, unit: "hours" }, "2024-03-01T00:00:00-01:00", "2024-03-01", true],
  [{ tolerance: 1, unit: "hours" }, "2024-03-01T01:00:01", "2024-03-01", false],
  [{ tolerance: 90, unit: "minutes" }, "2024-03-01T01:30", "2024-03-01", true],
  [{ tolerance: 2 }, "bad", "2024-03-01", false],
  [{ tolerance: 2 }, null, "2024-03-01", false],
  [{ tolerance: 2, unit: "weeks" }, "2024-03-01", "2024-03-01", null],
  [{ tolerance: -1 }, "2024-03-01", "2024-03-01", null],
  [{}, "2024-03-01", "2024-03-01", null],
]);

checks("numeric_exact", [
  [{}, 3, 3, true],
  [{}, "3.0", 3, true],
  [{}, " 1e3 ", "1000", true],
  [{}, -0, 0, true],
  [{}, 0.1 + 0.2, 0.3, false],
  [{}, 3, 4, false],
  [{}, true, 1, null],
  [{}, 1, true, null],
  [{}, "", 0, null],
  [{}, "three", 3, null],
  [{}, null, null, null],
  [{}, [3], 3, null],
]);

checks("numeric_tolerance", [
  [{ tolerance: 0.1 }, 90, 100, true],
  [{ tolerance: 0.1 }, 110, 100, true],
  [{ tolerance: 0.1 }, 110.001, 100, false],
  [{ tolerance: 0.1 }, -95, -100, true],
  [{ tolerance: 0.1 }, -110, 100, false],
  [{ tolerance: 0.1 }, 0, 0, true],
  [{ tolerance: 1e9 }, 1e-9, 0, false],
  [{ tolerance: 0 }, 5, "5", true],
  [{ tolerance: 1 }, 0, 100, true],
  [{ tolerance: 5, mode: "absolute" }, 95, 100, true],
  [{ tolerance: 5, mode: "absolute" }, 94.9, 100, false],
  [{ tolerance: 5, mode: "absolute" }, 3, 0, true],
  [{ tolerance: 1, mode: "absolute" }, 1e308, -1e308, false],
  [{ tolerance: 0.1, mode: null }, 90, 100, true],
  [{ tolerance: 0.1 }, null, 0, null],
  [{ tolerance: 0.1 }, 1, null, null],
  [{ tolerance: -0.1 }, 1, 1, null],
  [{ tolerance: "0.1" }, 1, 1, null],
  [{ tolerance: 0.1, mode: "Relative" }, 1, 1, null],
  [{}, 1, 1, null],
]);

checks("numeric_range", [
  [{ min: 1, max: 3 }, 1, null, true],
  [{ min: 1, max: 3 }, "3", null, true],
  [{ min: 1, max: 3 }, 3.0001, null, false],
  [{ min: 1, max: 3, exclusiveMin: true }, 1, null, false],
  [{ min: 1, max: 3, exclusiveMin: true }, 3, null, true],
  [{ min: 1, max: 3, exclusiveMax: true }, 3, null, false],
  [{ min: 2, max: 2 }, 2, null, true],
  [{ min: 3 }, 1e300, null, true],
  [{ max: 3 }, -1e300, null, true],
  [{ min: null, max: 3 }, -1, null, true],
  [{}, 0, null, true],
  [{ min: 5, max: 1 }, 3, null, false],
  [{ min: 5, max: 1 }, 6, null, false],
  [{}, "x", null, null],
  [{}, null, null, null],
  [{ min: "1" }, 2, null, null],
  [{ min: 1, minimum: 2 }, 2, null, null],
  [{ exclusiveMin: "yes", min: 1 }, 2, null, null],
]);

checks("trace_regex", [
  [{ pattern: "PMID" }, "see PMID 1", null, true],
  [{ pattern: "PMID" }, "see pmid 1", null, false],
  [{ pattern: "(?i)PMID" }, "see pmid 1", null, true],
  [{ pattern: "\\d+", countMin: 2 }, "1 and 22", null, true],
  [{ pattern: "\\d+", countMin: 3 }, "1 and 22", null, false],
  [{ pattern: "x", countMin: 0 }, "", null, true],
  [{ pattern: "x", countMin: 1 }, "", null, false],
  [{ pattern: "x", countMin: null }, "x", null, true],
  [{ pattern: "a", countMin: 1_000_000 }, "aaa", null, false],
  [{ pattern: "x" }, null, null, null],
  [{ pattern: "5" }, 5, null, null],
  [{ pattern: "(" }, "(", null, null],
  [{ pattern: "x", countMin: -1 }, "x", null, null],
  [{ pattern: "x", countMin: 1.5 }, "x", null, null],
  [{}, "x", null, null],
]);

checks("trace_contains", [
  [{ substring: "know" }, "I don't know.", null, true],
  [{ substring: "Know" }, "I don't know.", null, false],
  [{ substring: "" }, "", null, true],
  [{ substring: "5" }, 5, null, null],
  [{ substring: "x" }, null, null, null],
  [{ substring: "x" }, ["x"], null, null],
  [{ substring: 5 }, "5", null, null],
  [{}, "x", null, null],
]);

checks("trace_length", [
  [{ min: 3, max: 3 }, "abc", null, true],
  [{ min: 4 }, "abc", null, false],
  [{ max: 2 }, "abc", null, false],
  [{ max: 2 }, "😀é", null, true],
  [{}, "", null, true],
  [{ min: 1 }, "", null, false],
  [{ min: 0 }, "", null, true],
  [{ min: 2, max: 2, unit: "words" }, "  two\u00a0words\n", null, true],
  [{ max: 0, unit: "words" }, " \n ", null, true],
  [{ min: 5, max: 3 }, "abcd", null, false],
  [{ min: null, max: 5 }, "abcd", null, true],
  [{}, null, null, null],
  [{}, 5, null, null],
  [{ unit: "lines" }, "a", null, null],
  [{ min: -1 }, "a", null, null],
  [{ max: 2.5 }, "a", null, null],
]);

checks("boolean_match", [
  [{}, true, true, true],
  [{}, false, false, true],
  [{}, true, false, false],
  [{}, null, null, true],
  [{}, undefined, null, true],
  [{}, null, true, false],
  [{}, false, null, false],
  [{}, undefined, false, false],
  [{}, "true", true, null],
  [{}, true, "true", null],
  [{}, 1, true, null],
  [{}, true, 1, null],
  [{}, 0, null, null],
  [{}, null, "", null],
  [{}, [], true, null],
  [{}, {}, {}, null],
]);

checks("literal_match", [
  [{}, "a", "a", true],
  [{}, "A", "a", false],
  [{}, "a ", "a", false],
  [{}, 1, 1, true],
  [{}, 1, "1", false],
  [{}, 0, false, false],
  [{}, null, null, true],
  [{}, undefined, null, true],
  [{}, null, 0, false],
  [{}, [1, [2]], [1, [2]], true],
  [{}, [1, 2], [2, 1], false],
  [{}, { a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{}, { a: 1 }, { a: 1, b: null }, false],
  [{}, {}, [], false],
]);

checks("is_null", [
  [{}, null, "ignored", true],
  [{}, undefined, "ignored", true],
  [{}, 0, "ignored", false],
  [{}, "", "ignored", false],
  [{}, false, "ignored", false],
  [{}, "null", "ignored", false],
  [{}, [], "ignored", false],
  [{}, Number.NaN, "ignored", false],
]);

it("follows the expected text from call to call", () => {
  const check = Object.freeze({ type: "exact_match" } as const);
  const verdicts = ["a", "B", "b ", "a"].map((expected) => evaluateCheck(check, "A", expected).passes);
  expect(verdicts).toEqual([true, false, false, true]);
  expect(evaluateCheck(check, " ", "").passes).toBe(true);
});

it("compares big lists", () => {
  const numbers = Array.from({ length: 200_000 }, (_, index) => index);
  expect(answer("set_containment", [{}, numbers, numbers.toReversed(), true])).toBe(true);
});

describe("sets of values", () => {
  const same = (left: unknown[], right: unknown[]): boolean | null =>
    answer("set_containment", [{}, left, right, true]);

  it("counts equal values once, by content and without conversion", () => {
    expect(same([1, 1, "1", true, "true"], [1, "1", true, "true"])).toBe(true);
    expect(
      same(
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [{ a: 1, b: 2 }],
      ),
    ).toBe(true);
    expect(same([{ a: 1 }, [1]], ['{"a":1}', "[1]"])).toBe(false);
    expect(same([0, undefined], [-0, null])).toBe(true);
  });

  it("agrees with deep equality", () => {
    const values = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 5 });
    fc.assert(
      fc.property(values, values, (left, right) => {
        const isIn = (value: unknown, list: unknown[]): boolean =>
          list.some((other) => deepEqual(value, other));
        const within = left.every((value) => isIn(value, right));
        expect(answer("set_containment", [{ mode: "subset" }, left, right, within])).toBe(within);
        expect(same(left, right)).toBe(within && right.every((value) => isIn(value, left)));
        const distinct = left.filter((value, index) => !isIn(value, left.slice(0, index)));
        const common = distinct.filter((value) => isIn(value, right)).length;
        for (const minOverlap of [common, common + 1].filter((count) => count > 0))
          expect(answer("set_containment", [{ mode: "overlap", minOverlap }, left, right, null])).toBe(
            minOverlap === common,
          );
      }),
    );
  });
});

describe("date_range", () => {
  const year = { min: "2024-01-01", max: "2024-12-31" };
  it.each<Row>([
    [year, "2024-01-01", null, true],
    [year, "2024-12-31", null, true],
    [year, "December 31, 2024", null, true],
    [year, "2024-12-31T23:59:59.999Z", null, true],
    [year, "2025-01-01", null, false],
    [year, "2023-12-31T23:59:59", null, false],
    [year, "2024-12-31T23:30:00-05:00", null, false],
    [{ max: "2024-12-31T12:00" }, "2024-12-31T12:00", null, true],
    [{ max: "2024-12-31T12:00" }, "2024-12-31T12:00:00.001", null, false],
    [{ max: "2024-12-31T00:00" }, "2024-12-31T00:00:01", null, false],
    [{ min: "2024-01-01" }, "9999-12-31", null, true],
    [{ max: "2024-01-01" }, "0001-01-01", null, true],
    [{ min: null, max: null }, "2024-01-01", null, true],
    [{}, "bad", null, false],
    [{}, null, null, false],
    [{ min: "2025-01-01", max: "2024-01-01" }, "2024-06-01", null, false],
    [{ min: "whenever" }, "2024-06-01", null, null],
    [{ max: "2024-02-30" }, "2024-06-01", null, null],
    [{ min: 2024 }, "2024-06-01", null, null],
  ])("%j: %j (%j) is %j", (...row) => expect(answer("date_range", row)).toBe(row[3]));
});

it("a date that cannot be read is a wrong answer with a reason", () => {
  expect(evaluateCheck({ type: "date_match" }, "bad", "2024-03-01")).toEqual({
    evaluable: true,
    passes: false,
    score: 0,
    reason: 'The value is "bad", which cannot be read as a date.',
  });
});

describe("numeric_minimum and numeric_maximum", () => {
  it.each<Row>([
    [{}, 5, 5, true],
    [{}, 4, 5, false],
    [{}, "6", 5, true],
    [{ exclusive: true }, 5, 5, false],
    [{ exclusive: true }, 5.1, "5", true],
    [{ exclusive: null }, 5, 5, true],
    [{}, null, 5, null],
    [{}, 5, null, null],
    [{ exclusive: 1 }, 5, 5, null],
  ])("at least, %j: %j against %j is %j", (...row) => expect(answer("numeric_minimum", row)).toBe(row[3]));

  it("mirror each other", () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(double, double, fc.boolean(), (value, expected, exclusive) => {
        const minimum = evaluateCheck({ type: "numeric_minimum", exclusive }, value, expected);
        expect(evaluateCheck({ type: "numeric_maximum", exclusive }, -value, -expected)).toBe(minimum);
      }),
    );
  });
});

describe("graded checks", () => {
  type Row = [parameters: object, value: unknown, expected: unknown, passes: boolean | null, score: number];

  function expectRow(type: Check["type"], [parameters, value, expected, passes, score]: Row): void {
    const result = evaluateCheck({ type, ...parameters } as Check, value, expected);
    expect(result.evaluable ? result.passes : null).toBe(passes);
    expect(result.score).toBeCloseTo(score, 9);
  }

  describe("numeric_graded", () => {
    it.each<Row>([
      [{ cutoff: 0.2 }, 100, 100, true, 1],
      [{ cutoff: 0.2 }, 110, 100, true, 0.5],
      [{ cutoff: 0.2 }, 90, 100, true, 0.5],
      [{ cutoff: 0.2 }, 120, 100, true, 0],
      [{ cutoff: 0.2 }, 120.1, 100, false, 0],
      [{ cutoff: 0.2 }, -90, -100, true, 0.5],
      [{ cutoff: 0.2 }, 0, 0, true, 1],
      [{ cutoff: 0.2 }, 0.0001, 0, false, 0],
      [{ cutoff: 0.2, decay: "quadratic" }, 110, 100, true, 0.75],
      [{ cutoff: 10, mode: "absolute" }, 104, 100, true, 0.6],
      [{ cutoff: 10, mode: "absolute" }, 4, 0, true, 0.6],
      [{ cutoff: 0.2, fullCredit: 0.05 }, 105, 100, true, 1],
      [{ cutoff: 0.2, fullCredit: 0.05 }, 110, 100, false, 2 / 3],
      [{ cutoff: 0.2, fullCredit: 0.05, decay: "quadratic" }, 110, 100, false, 8 / 9],
      [{ cutoff: 0.2, fullCredit: 0.05 }, 120, 100, false, 0],
      [{ cutoff: 0.2, fullCredit: 0 }, 100, 100, true, 1],
      [{ cutoff: 0.2, fullCredit: 0 }, 110, 100, false, 0.5],
      [{ cutoff: 0.2, fullCredit: null }, 110, 100, true, 0.5],
      [{ cutoff: 0.2 }, "110", "100", true, 0.5],
      [{ cutoff: 1 }, 1e308, -1e308, false, 0],
      [{ cutoff: 0.2 }, null, 100, null, 0],
      [{ cutoff: 0.2 }, 100, "x", null, 0],
      [{ cutoff: 0 }, 1, 1, null, 0],
      [{ cutoff: 0.2, fullCredit: 0.2 }, 1, 1, null, 0],
      [{ cutoff: 0.2, fullCredit: -0.1 }, 1, 1, null, 0],
      [{ cutoff: 0.2, decay: "cubic" }, 1, 1, null, 0],
      [{}, 1, 1, null, 0],
    ])("%j: %j against %j passes %j, scores %d", (...row) => expectRow("numeric_graded", row));
  });

  describe("numeric_range_graded", () => {
    const band = { min: 10, max: 20, margin: 5 };
    it.each<Row>([
      [band, 10, null, true, 1],
      [band, 20, null, true, 1],
      [band, 7.5, null, false, 0.5],
      [band, 22.5, null, false, 0.5],
      [band, 5, null, false, 0],
      [band, 25.1, null, false, 0],
      [{ ...band, decay: "quadratic" }, 21, null, false, 0.96],
      [{ ...band, mode: "relative", margin: 0.5 }, 21, null, false, 0.8],
      [{ ...band, exclusiveMin: true }, 10, null, false, 1],
      [{ ...band, exclusiveMin: true }, 20, null, true, 1],
      [{ ...band, exclusiveMax: true }, 20, null, false, 1],
      [{ min: -20, max: -10, margin: 5 }, -22.5, null, false, 0.5],
      [band, null, null, null, 0],
      [{ ...band, min: 20 }, 20, null, null, 0],
      [{ ...band, margin: 0 }, 15, null, null, 0],
      [{ min: 10, margin: 5 }, 15, null, null, 0],
      [{ min: 10, max: null, margin: 5 }, 15, null, null, 0],
    ])("%j: %j (%j) passes %j, scores %d", (...row) => expectRow("numeric_range_graded", row));
  });

  describe("numeric_threshold_graded", () => {
    const max = { direction: "max", margin: 0.5 };
    const min = { direction: "min", margin: 0.5 };
    it.each<Row>([
      [max, -100, 10, true, 1],
      [max, 10, 10, true, 1],
      [max, 12, 10, false, 0.6],
      [max, 15, 10, false, 0],
      [max, 0, 0, true, 1],
      [max, 0.1, 0, false, 0],
      [max, -9, -10, false, 0.8],
      [{ ...max, exclusive: true }, 10, 10, false, 1],
      [{ ...max, exclusive: true }, 9, 10, true, 1],
      [{ ...max, decay: "quadratic" }, 12, 10, false, 0.84],
      [{ ...max, mode: "absolute", margin: 4 }, 1, 0, false, 0.75],
      [min, 100, 10, true, 1],
      [min, 8, 10, false, 0.6],
      [min, -1, 0, false, 0],
      [{ ...min, exclusive: true }, 10, 10, false, 1],
      [max, null, 10, null, 0],
      [max, 10, null, null, 0],
      [{ margin: 0.5 }, 1, 1, null, 0],
      [{ direction: "up", margin: 0.5 }, 1, 1, null, 0],
      [{ direction: "max" }, 1, 1, null, 0],
      [{ direction: "max", margin: -1 }, 1, 1, null, 0],
    ])("%j: %j against %j passes %j, scores %d", (...row) => expectRow("numeric_threshold_graded", row));
  });

  it("scores stay between 0 and 1 and fall with the distance", () => {
    const any = fc.double({ noNaN: true, noDefaultInfinity: true });
    const positive = fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true });
    const mode = fc.constantFrom("relative" as const, "absolute" as const);
    const decay = fc.constantFrom("linear" as const, "quadratic" as const);
    fc.assert(
      fc.property(any, any, any, positive, mode, decay, (near, far, expected, cutoff, mode, decay) => {
        const check: Check = { type: "numeric_graded", cutoff, mode, decay };
        const [first, second] = [near, far]
          .sort((left, right) => Math.abs(left - expected) - Math.abs(right - expected))
          .map((value) => evaluateCheck(check, value, expected).score) as [number, number];
        expect(first).toBeLessThanOrEqual(1);
        expect(second).toBeGreaterThanOrEqual(0);
        expect(first).toBeGreaterThanOrEqual(second);
      }),
    );
  });
});

it("semantic_match says that it needs an embedding model", () => {
  expect(evaluateCheck({ type: "semantic_match" }, "a", "a")).toMatchObject({
    evaluable: false,
    reason: expect.stringMatching(/embedding model/),
  });
});
