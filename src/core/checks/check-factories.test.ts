import { expect, it } from "vitest";
import type { Check } from "./check.ts";
import { CHECK_SHAPES } from "./check.ts";
import * as factories from "./check-factories.ts";
import { evaluateCheck } from "./evaluate-check.ts";

it("there is one factory for each check, named after its type", () => {
  const names = Object.keys(CHECK_SHAPES).map((type) =>
    type.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  expect(Object.keys(factories).sort()).toEqual(names.sort());
});

it.each<[Check, Check]>([
  [factories.booleanMatch(), { type: "boolean_match" }],
  [factories.exactMatch(), { type: "exact_match" }],
  [factories.exactMatch({ normalize: ["strip"] }), { type: "exact_match", normalize: ["strip"] }],
  [factories.containsAny({ substrings: ["a"] }), { type: "contains_any", substrings: ["a"] }],
  [factories.containsAll({ substrings: ["a"] }), { type: "contains_all", substrings: ["a"] }],
  [factories.regexMatch({ pattern: "a", flags: "i" }), { type: "regex_match", pattern: "a", flags: "i" }],
  [factories.numericExact(), { type: "numeric_exact" }],
  [factories.numericTolerance({ tolerance: 1 }), { type: "numeric_tolerance", tolerance: 1 }],
  [factories.numericRange({ min: 3 }), { type: "numeric_range", min: 3 }],
  [factories.numericMinimum({ exclusive: true }), { type: "numeric_minimum", exclusive: true }],
  [factories.numericMaximum(), { type: "numeric_maximum" }],
  [factories.numericGraded({ cutoff: 1 }), { type: "numeric_graded", cutoff: 1 }],
  [
    factories.numericRangeGraded({ min: 1, max: 2, margin: 1 }),
    { type: "numeric_range_graded", min: 1, max: 2, margin: 1 },
  ],
  [
    factories.numericThresholdGraded({ direction: "max", margin: 1 }),
    { type: "numeric_threshold_graded", direction: "max", margin: 1 },
  ],
  [factories.setContainment(), { type: "set_containment" }],
  [factories.orderedMatch(), { type: "ordered_match" }],
  [factories.literalMatch(), { type: "literal_match" }],
  [factories.dateMatch({ format: "dd/MM/yyyy" }), { type: "date_match", format: "dd/MM/yyyy" }],
  [factories.dateTolerance({ tolerance: 1 }), { type: "date_tolerance", tolerance: 1 }],
  [factories.dateRange(), { type: "date_range" }],
  [factories.traceRegex({ pattern: "a" }), { type: "trace_regex", pattern: "a" }],
  [factories.traceContains({ substring: "a" }), { type: "trace_contains", substring: "a" }],
  [factories.traceLength({ max: 5 }), { type: "trace_length", max: 5 }],
  [factories.oneOf({ values: ["a"] }), { type: "one_of", values: ["a"] }],
  [factories.isNull(), { type: "is_null" }],
  [factories.semanticMatch({ threshold: 0.9 }), { type: "semantic_match", threshold: 0.9 }],
])("a factory returns the plain data %j", (made, data) => {
  expect(made).toEqual(data);
  expect(JSON.parse(JSON.stringify(made))).toEqual(data);
});

it("what a factory returns can be evaluated", () => {
  expect(evaluateCheck(factories.numericRange({ min: 3 }), 4, null).passes).toBe(true);
});
