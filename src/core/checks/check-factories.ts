import type { CheckOf, CheckType, ParametersOf } from "./check.ts";

// One function per check, named as its type, with the parameters of its data form: what it returns is that data.

type Factory<Type extends CheckType> = [keyof ParametersOf<Type>] extends [never]
  ? () => CheckOf<Type>
  : Record<never, never> extends ParametersOf<Type>
    ? (parameters?: ParametersOf<Type>) => CheckOf<Type>
    : (parameters: ParametersOf<Type>) => CheckOf<Type>;

function factory<Type extends CheckType>(type: Type): Factory<Type> {
  // Its parameters are all that a check has besides its type.
  return ((parameters?: object) => ({ type, ...parameters })) as Factory<Type>;
}

/** Both are true or both are false; null equals only null. */
export const booleanMatch = factory("boolean_match");
/** The normalised texts are equal: `exactMatch({ normalize: ["lowercase"] })`. */
export const exactMatch = factory("exact_match");
/** At least one of the substrings occurs: `containsAny({ substrings: ["BCL2", "Bcl-2"] })`. */
export const containsAny = factory("contains_any");
/** Every one of the substrings occurs: `containsAll({ substrings: ["apoptosis", "BCL2"] })`. */
export const containsAll = factory("contains_all");
/** The pattern occurs anywhere in the text: `regexMatch({ pattern: "bcl-?2", flags: "i" })`. */
export const regexMatch = factory("regex_match");
/** The numbers are equal. */
export const numericExact = factory("numeric_exact");
/** The number is near enough to the expected one: `numericTolerance({ tolerance: 0.05 })`. */
export const numericTolerance = factory("numeric_tolerance");
/** The number is inside the range: `numericRange({ min: 3 })`. */
export const numericRange = factory("numeric_range");
/** The number is at least the expected one, or above it if `exclusive`. */
export const numericMinimum = factory("numeric_minimum");
/** The number is at most the expected one, or below it if `exclusive`. */
export const numericMaximum = factory("numeric_maximum");
/** Credit by the distance from the expected number: `numericGraded({ cutoff: 0.2 })`. */
export const numericGraded = factory("numeric_graded");
/** Credit by the distance from a band: `numericRangeGraded({ min: 10, max: 20, margin: 5 })`. */
export const numericRangeGraded = factory("numeric_range_graded");
/** Credit by the distance beyond the expected number: `numericThresholdGraded({ direction: "max", margin: 0.5 })`. */
export const numericThresholdGraded = factory("numeric_threshold_graded");
/** The arrays are compared as sets of values: `setContainment({ mode: "subset" })`. */
export const setContainment = factory("set_containment");
/** The arrays have the same normalised texts in the same order. */
export const orderedMatch = factory("ordered_match");
/** The values are equal without any conversion. */
export const literalMatch = factory("literal_match");
/** The dates are the same calendar day: `dateMatch({ format: "dd/MM/yyyy" })`. */
export const dateMatch = factory("date_match");
/** The dates are not further apart than this: `dateTolerance({ tolerance: 2, unit: "days" })`. */
export const dateTolerance = factory("date_tolerance");
/** The date is inside the range: `dateRange({ min: "2024-01-01", max: "2024-12-31" })`. */
export const dateRange = factory("date_range");
/** The pattern occurs often enough in the raw reply: `traceRegex({ pattern: "PMID", countMin: 2 })`. */
export const traceRegex = factory("trace_regex");
/** The substring occurs in the raw reply as it is written: `traceContains({ substring: "I don't know" })`. */
export const traceContains = factory("trace_contains");
/** The length of the raw reply is inside the bounds: `traceLength({ max: 50, unit: "words" })`. */
export const traceLength = factory("trace_length");
/** The normalised text equals one of the values: `oneOf({ values: ["yes", "no"] })`. */
export const oneOf = factory("one_of");
/** The value is null or missing. */
export const isNull = factory("is_null");
/** The texts mean about the same; needs an embedding model in the run. */
export const semanticMatch = factory("semantic_match");
