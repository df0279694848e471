import { describe, expect, it } from "vitest";
import golden from "../../../test/golden/checks.json" with { type: "json" };
import type { Issue } from "../schema/issue.ts";
import type { Shape } from "../schema/shape.ts";
import { validateShape } from "../schema/validate-shape.ts";
import { CHECK_SHAPE, CHECK_SHAPES, type Check } from "./check.ts";
import { NORMALIZERS_SHAPE } from "./normalize.ts";

function issuesOf(shape: Shape, value: unknown): Issue[] {
  const issues: Issue[] = [];
  validateShape(shape, value, [], (issue) => issues.push(issue));
  return issues;
}

/** `code at path` of each issue. */
function problemsOf(value: unknown, shape: Shape = CHECK_SHAPE): string[] {
  return issuesOf(shape, value).map((issue) => `${issue.code} at ${issue.path.join(".")}`);
}

it("accepts every golden check that is meant to be right", () => {
  const wrong = golden
    .filter(({ check }) => problemsOf(check).length > 0)
    .map(({ check }) => JSON.stringify(check));
  expect([...new Set(wrong)]).toEqual([
    '{"type":"exact_match","normalize":["nope"]}',
    '{"type":"numeric_range","min":5,"max":1,"exclusiveMin":false,"exclusiveMax":false}',
    '{"type":"set_containment","mode":"zzz"}',
  ]);
});

it("has a description for every check", () => {
  expect(Object.values(CHECK_SHAPES).filter((shape) => !shape.description?.endsWith("."))).toEqual([]);
});

describe("what is wrong with a check", () => {
  it.each<[unknown, string]>([
    [null, "wrong_type at "],
    [5, "wrong_type at "],
    [{}, "missing_key at "],
    [{ type: "exact_mach" }, "unknown_value at type"],
    [{ type: "constructor" }, "unknown_value at type"],
    [{ type: "boolean_match", normalize: [] }, "unknown_key at normalize"],
    [{ type: "exact_match", normalize: ["lower"] }, "unknown_value at normalize.0"],
    [{ type: "exact_match", normalize: "strip" }, "wrong_type at normalize"],
    [{ type: "contains_any" }, "missing_key at "],
    [{ type: "contains_all", substrings: ["a", 1] }, "wrong_type at substrings.1"],
    [{ type: "regex_match", pattern: "(" }, "invalid_pattern at pattern"],
    [{ type: "regex_match", pattern: "a(?=b)" }, "invalid_pattern at pattern"],
    [{ type: "regex_match", pattern: "a", flags: "g" }, "invalid_parameter at flags"],
    [{ type: "numeric_tolerance", tolerance: -1 }, "wrong_type at tolerance"],
    [{ type: "numeric_tolerance", tolerance: Number.NaN }, "wrong_type at tolerance"],
    [{ type: "numeric_range", min: 2, max: 1 }, "invalid_parameter at min"],
    [{ type: "numeric_graded", cutoff: 0 }, "wrong_type at cutoff"],
    [{ type: "numeric_graded", cutoff: 1, fullCredit: 1 }, "invalid_parameter at fullCredit"],
    [{ type: "numeric_graded", cutoff: 1, fullCredit: -1 }, "wrong_type at fullCredit"],
    [{ type: "numeric_range_graded", min: 1, max: 1, margin: 1 }, "invalid_parameter at min"],
    [{ type: "numeric_range_graded", min: 1, max: 2, margin: 0 }, "wrong_type at margin"],
    [{ type: "numeric_threshold_graded", direction: "up", margin: 1 }, "unknown_value at direction"],
    [{ type: "set_containment", mode: "zzz" }, "unknown_value at mode"],
    [{ type: "set_containment", minOverlap: 1.5 }, "wrong_type at minOverlap"],
    [{ type: "date_match", format: "DD/MM/YYYY" }, "invalid_parameter at format"],
    [{ type: "date_tolerance", tolerance: 1, unit: "weeks" }, "unknown_value at unit"],
    [{ type: "date_range", min: "soon" }, "invalid_parameter at min"],
    [{ type: "date_range", max: "2024-02-30" }, "invalid_parameter at max"],
    [{ type: "date_range", min: "2024-02-02", max: "2024-02-01" }, "invalid_parameter at min"],
    [{ type: "date_range", min: "2024-02-01T10:00", max: "2024-02-01T09:00" }, "invalid_parameter at min"],
    [{ type: "trace_regex", pattern: "(a)\\1" }, "invalid_pattern at pattern"],
    [{ type: "trace_regex", pattern: "a", countMin: -1 }, "wrong_type at countMin"],
    [{ type: "trace_length", min: 3, max: 2 }, "invalid_parameter at min"],
    [{ type: "one_of", values: [null] }, "wrong_type at values.0"],
    [{ type: "semantic_match", threshold: 1.1 }, "invalid_parameter at threshold"],
    [{ type: "semantic_match", threshold: -0.1 }, "wrong_type at threshold"],
  ])("%j: %s", (check, problem) => expect(problemsOf(check)).toEqual([problem]));
});

it.each([
  { type: "numeric_range", min: 1, max: 1 },
  { type: "date_range", min: "2024-02-01", max: "2024-02-01" },
  { type: "date_range", min: "2024-02-01T10:00", max: "2024-02-01T10:00" },
  { type: "date_range", min: "2024-02-01T10:00", max: "2024-02-01" },
  { type: "numeric_graded", cutoff: 1, fullCredit: 0 },
  { type: "set_containment", mode: "overlap", minOverlap: 0 },
  { type: "trace_regex", pattern: "a", countMin: 0 },
  { type: "semantic_match", threshold: 1 },
  { type: "one_of", values: [] },
])("accepts the edge %j", (check) => expect(problemsOf(check)).toEqual([]));

describe("NORMALIZERS_SHAPE", () => {
  it.each<[unknown, string[]]>([
    [["lowercase", "strip", "remove_punctuation", "collapse_whitespace", "unicode"], []],
    [[{ synonyms: { a: "b" } }, { mapping: {} }], []],
    [["Strip"], ["unknown_value at 0"]],
    [[5], ["wrong_type at 0"]],
    [[{}], ["invalid_parameter at 0"]],
    [[{ synonyms: {}, mapping: {} }], ["invalid_parameter at 0"]],
    [[{ synonims: {} }], ["unknown_key at 0.synonims"]],
    [[{ synonyms: { a: 1 } }], ["wrong_type at 0.synonyms.a"]],
  ])("%j: %j", (normalizers, problems) =>
    expect(problemsOf(normalizers, NORMALIZERS_SHAPE)).toEqual(problems),
  );
});

it.each<[Check, string]>([
  [{ type: "numeric_range", min: 2, max: 1 }, "min must not be above max, but 2 is above 1."],
  [
    { type: "numeric_range_graded", min: 1, max: 1, margin: 1 },
    "min must be below max, but 1 is not below 1.",
  ],
  [
    { type: "numeric_graded", fullCredit: 2, cutoff: 1 },
    "fullCredit must be below cutoff, but 2 is not below 1.",
  ],
  [{ type: "semantic_match", threshold: 2 }, "threshold must be from 0 to 1."],
  [{ type: "regex_match", pattern: "(" }, "missing closing )"],
  [{ type: "regex_match", pattern: "a", flags: "x" }, '"x" is not a flag; there are i, m and s.'],
  [{ type: "date_match", format: "HH:mm" }, "The format cannot be used: it has no year, month or day."],
  [{ type: "date_range", min: "soon" }, '"soon" cannot be read as a date.'],
  [
    { type: "date_range", min: "2024-02-01", max: "2024-01-31" },
    "min must not be after max, but 2024-02-01 is after 2024-01-31.",
  ],
  [
    { type: "exact_match", normalize: [{}] },
    "A normaliser that is an object needs synonyms, and nothing else.",
  ],
])("%j: %s", (check, message) => expect(issuesOf(CHECK_SHAPE, check)).toMatchObject([{ message }]));
