import type { CheckOf, ParametersOf } from "./check.ts";

// One function per check, named as its type, with the parameters of its data form: what it returns is that data.

/** Both are true or both are false; null equals only null. */
export function booleanMatch(): CheckOf<"boolean_match"> {
  return { type: "boolean_match" };
}

/** The normalised texts are equal: `exactMatch({ normalize: ["lowercase"] })`. */
export function exactMatch(parameters: ParametersOf<"exact_match"> = {}): CheckOf<"exact_match"> {
  return { type: "exact_match", ...parameters };
}

/** At least one of the substrings occurs: `containsAny({ substrings: ["BCL2", "Bcl-2"] })`. */
export function containsAny(parameters: ParametersOf<"contains_any">): CheckOf<"contains_any"> {
  return { type: "contains_any", ...parameters };
}

/** Every one of the substrings occurs: `containsAll({ substrings: ["apoptosis", "BCL2"] })`. */
export function containsAll(parameters: ParametersOf<"contains_all">): CheckOf<"contains_all"> {
  return { type: "contains_all", ...parameters };
}

/** The pattern occurs anywhere in the text: `regexMatch({ pattern: "bcl-?2", flags: "i" })`. */
export function regexMatch(parameters: ParametersOf<"regex_match">): CheckOf<"regex_match"> {
  return { type: "regex_match", ...parameters };
}

/** The numbers are equal. */
export function numericExact(): CheckOf<"numeric_exact"> {
  return { type: "numeric_exact" };
}

/** The number is near enough to the expected one: `numericTolerance({ tolerance: 0.05 })`. */
export function numericTolerance(
  parameters: ParametersOf<"numeric_tolerance">,
): CheckOf<"numeric_tolerance"> {
  return { type: "numeric_tolerance", ...parameters };
}

/** The number is inside the range: `numericRange({ min: 3 })`. */
export function numericRange(parameters: ParametersOf<"numeric_range"> = {}): CheckOf<"numeric_range"> {
  return { type: "numeric_range", ...parameters };
}

/** The number is at least the expected one, or above it if `exclusive`. */
export function numericMinimum(parameters: ParametersOf<"numeric_minimum"> = {}): CheckOf<"numeric_minimum"> {
  return { type: "numeric_minimum", ...parameters };
}

/** The number is at most the expected one, or below it if `exclusive`. */
export function numericMaximum(parameters: ParametersOf<"numeric_maximum"> = {}): CheckOf<"numeric_maximum"> {
  return { type: "numeric_maximum", ...parameters };
}

/** Credit by the distance from the expected number: `numericGraded({ cutoff: 0.2 })`. */
export function numericGraded(parameters: ParametersOf<"numeric_graded">): CheckOf<"numeric_graded"> {
  return { type: "numeric_graded", ...parameters };
}

/** Credit by the distance from a band: `numericRangeGraded({ min: 10, max: 20, margin: 5 })`. */
export function numericRangeGraded(
  parameters: ParametersOf<"numeric_range_graded">,
): CheckOf<"numeric_range_graded"> {
  return { type: "numeric_range_graded", ...parameters };
}

/** Credit by the distance beyond the expected number: `numericThresholdGraded({ direction: "max", margin: 0.5 })`. */
export function numericThresholdGraded(
  parameters: ParametersOf<"numeric_threshold_graded">,
): CheckOf<"numeric_threshold_graded"> {
  return { type: "numeric_threshold_graded", ...parameters };
}

/** The arrays are compared as sets of values: `setContainment({ mode: "subset" })`. */
export function setContainment(parameters: ParametersOf<"set_containment"> = {}): CheckOf<"set_containment"> {
  return { type: "set_containment", ...parameters };
}

/** The arrays have the same normalised texts in the same order. */
export function orderedMatch(parameters: ParametersOf<"ordered_match"> = {}): CheckOf<"ordered_match"> {
  return { type: "ordered_match", ...parameters };
}

/** The values are equal without any conversion. */
export function literalMatch(): CheckOf<"literal_match"> {
  return { type: "literal_match" };
}

/** The dates are the same calendar day: `dateMatch({ format: "dd/MM/yyyy" })`. */
export function dateMatch(parameters: ParametersOf<"date_match"> = {}): CheckOf<"date_match"> {
  return { type: "date_match", ...parameters };
}

/** The dates are not further apart than this: `dateTolerance({ tolerance: 2, unit: "days" })`. */
export function dateTolerance(parameters: ParametersOf<"date_tolerance">): CheckOf<"date_tolerance"> {
  return { type: "date_tolerance", ...parameters };
}

/** The date is inside the range: `dateRange({ min: "2024-01-01", max: "2024-12-31" })`. */
export function dateRange(parameters: ParametersOf<"date_range"> = {}): CheckOf<"date_range"> {
  return { type: "date_range", ...parameters };
}

/** The pattern occurs often enough in the raw reply: `traceRegex({ pattern: "PMID", countMin: 2 })`. */
export function traceRegex(parameters: ParametersOf<"trace_regex">): CheckOf<"trace_regex"> {
  return { type: "trace_regex", ...parameters };
}

/** The substring occurs in the raw reply as it is written: `traceContains({ substring: "I don't know" })`. */
export function traceContains(parameters: ParametersOf<"trace_contains">): CheckOf<"trace_contains"> {
  return { type: "trace_contains", ...parameters };
}

/** The length of the raw reply is inside the bounds: `traceLength({ max: 50, unit: "words" })`. */
export function traceLength(parameters: ParametersOf<"trace_length"> = {}): CheckOf<"trace_length"> {
  return { type: "trace_length", ...parameters };
}

/** The normalised text equals one of the values: `oneOf({ values: ["yes", "no"] })`. */
export function oneOf(parameters: ParametersOf<"one_of">): CheckOf<"one_of"> {
  return { type: "one_of", ...parameters };
}

/** The value is null or missing. */
export function isNull(): CheckOf<"is_null"> {
  return { type: "is_null" };
}

/** The texts mean about the same; needs an embedding model in the run. */
export function semanticMatch(parameters: ParametersOf<"semantic_match"> = {}): CheckOf<"semantic_match"> {
  return { type: "semantic_match", ...parameters };
}
