import {
  boolean,
  described,
  either,
  integerFrom,
  list,
  type NumberShape,
  number,
  numberFrom,
  oneOfTexts,
  type RuleProblem,
  reference,
  type ShapeRule,
  type Typed,
  text,
  type VariantsOf,
  variant,
  variantShapes,
} from "../schema/shape.ts";
import { compileDateFormat, dateSpan, isBeforeEnd } from "./date-value.ts";
import { compileLinearRegex } from "./linear-regex.ts";
import { NORMALIZERS_SHAPE } from "./normalize.ts";

// Rules over several parameters. A rule runs only on parameters that have their shapes, which is why it may take them for
// what they should be.

function wrong(message: string): RuleProblem {
  return { code: "invalid_parameter", message };
}

const boundsInOrder: ShapeRule = (value, report) => {
  const { min, max } = value as ParametersOf<"numeric_range">;
  if (min !== undefined && max !== undefined && min > max)
    report("min", wrong(`min must not be above max, but ${min} is above ${max}.`));
};

const boundsApart: ShapeRule = (value, report) => {
  const { min, max } = value as ParametersOf<"numeric_range_graded">;
  if (min >= max) report("min", wrong(`min must be below max, but ${min} is not below ${max}.`));
};

const fullCreditInside: ShapeRule = (value, report) => {
  const { fullCredit, cutoff } = value as ParametersOf<"numeric_graded">;
  if (fullCredit !== undefined && fullCredit >= cutoff)
    report("fullCredit", wrong(`fullCredit must be below cutoff, but ${fullCredit} is not below ${cutoff}.`));
};

/** A cosine is not above 1. */
const thresholdUpToOne: ShapeRule = (value, report) => {
  const { threshold } = value as ParametersOf<"semantic_match">;
  if (threshold !== undefined && threshold > 1) report("threshold", wrong("threshold must be from 0 to 1."));
};

/** The pattern and its flags can be used. */
export const usablePattern: ShapeRule = (value, report) => {
  const { pattern, flags } = value as ParametersOf<"regex_match">;
  const regex = compileLinearRegex(pattern, flags);
  if (!("problem" in regex)) return;
  if (regex.part === "flags") report("flags", wrong(`${regex.problem}.`));
  else report("pattern", { code: "invalid_pattern", pattern, message: regex.problem });
};

const usableDateFormat: ShapeRule = (value, report) => {
  const { format } = value as ParametersOf<"date_match">;
  const compiled = format === undefined ? {} : compileDateFormat(format);
  if ("problem" in compiled) report("format", wrong(`The format cannot be used: ${compiled.problem}.`));
};

const datesInOrder: ShapeRule = (value, report) => {
  const range = value as ParametersOf<"date_range">;
  const span = dateSpan(range);
  if ("problem" in span) return report(span.key, wrong(span.problem));
  if (isBeforeEnd(span.start, span)) return;
  report("min", wrong(`min must not be after max, but ${range.min} is after ${range.max}.`));
};

const positive: NumberShape & Typed<number> = { kind: "number", exclusiveMinimum: 0 };
const fromZero = numberFrom(0);
const wholeFromZero = integerFrom(0);
const mode = oneOfTexts("relative", "absolute");
const decay = oneOfTexts("linear", "quadratic");
const normalize = NORMALIZERS_SHAPE;
const substrings = list(text);
const exclusiveBounds = { exclusiveMin: boolean, exclusiveMax: boolean };

/** What each check does, for editors, and the parameters it has. */
const CHECKS = {
  boolean_match: { description: "Both are true or both are false; null equals only null." },
  exact_match: {
    description: "The normalised texts are equal; null equals only null.",
    optional: { normalize },
  },
  contains_any: {
    description: "At least one of the substrings occurs.",
    required: { substrings },
    optional: { normalize },
  },
  contains_all: {
    description: "Every one of the substrings occurs.",
    required: { substrings },
    optional: { normalize },
  },
  regex_match: {
    description: "The pattern occurs anywhere in the text.",
    required: { pattern: text },
    optional: { flags: text },
    rule: usablePattern,
  },
  numeric_exact: { description: "The numbers are equal." },
  numeric_tolerance: {
    description: "The number is near enough to the expected one.",
    required: { tolerance: fromZero },
    optional: { mode },
  },
  numeric_range: {
    description: "The number is inside the range; the expected value is ignored.",
    optional: { min: number, max: number, ...exclusiveBounds },
    rule: boundsInOrder,
  },
  numeric_minimum: {
    description: "The number is at least the expected one.",
    optional: { exclusive: boolean },
  },
  numeric_maximum: {
    description: "The number is at most the expected one.",
    optional: { exclusive: boolean },
  },
  numeric_graded: {
    description: "The number is near the expected one, with less credit the further away it is.",
    required: { cutoff: positive },
    optional: { fullCredit: fromZero, mode, decay },
    rule: fullCreditInside,
  },
  numeric_range_graded: {
    description: "The number is inside the band, with less credit the further outside it is.",
    required: { min: number, max: number, margin: positive },
    optional: { mode, decay, ...exclusiveBounds },
    rule: boundsApart,
  },
  numeric_threshold_graded: {
    description:
      "The number is on the right side of the expected one, with less credit the further beyond it is.",
    required: { direction: oneOfTexts("max", "min"), margin: positive },
    optional: { mode, decay, exclusive: boolean },
  },
  set_containment: {
    description: "The arrays are compared as sets of values.",
    optional: { mode: oneOfTexts("exact", "subset", "superset", "overlap"), minOverlap: wholeFromZero },
  },
  ordered_match: {
    description: "The arrays have the same normalised texts in the same order.",
    optional: { normalize },
  },
  literal_match: { description: "The values are equal without any conversion." },
  date_match: {
    description: "The dates are the same calendar day.",
    optional: { format: described(text, "Unicode date tokens, such as dd/MM/yyyy.") },
    rule: usableDateFormat,
  },
  date_tolerance: {
    description: "The dates are not further apart than the tolerance.",
    required: { tolerance: fromZero },
    optional: { unit: oneOfTexts("days", "hours", "minutes") },
  },
  date_range: {
    description: "The date is inside the range, bounds included; the expected value is ignored.",
    optional: { min: text, max: text },
    rule: datesInOrder,
  },
  trace_regex: {
    description: "The pattern occurs often enough in the raw reply.",
    required: { pattern: text },
    optional: { countMin: wholeFromZero },
    rule: usablePattern,
  },
  trace_contains: {
    description: "The substring occurs in the raw reply as it is written.",
    required: { substring: text },
  },
  trace_length: {
    description: "The length of the raw reply is inside the bounds.",
    optional: { min: wholeFromZero, max: wholeFromZero, unit: oneOfTexts("chars", "words") },
    rule: boundsInOrder,
  },
  one_of: {
    description: "The normalised text equals one of the values.",
    required: { values: list(either(text, number, boolean)) },
    optional: { normalize },
  },
  is_null: { description: "The value is null or missing." },
  semantic_match: {
    description: "The texts mean about the same; needs an embedding model.",
    optional: { threshold: fromZero },
    rule: thresholdUpToOne,
  },
} as const;

type Checks = VariantsOf<typeof CHECKS>;

/** The name of a check, as it stands in files. */
export type CheckType = keyof Checks;

/** The check of one type, as data. */
export type CheckOf<Type extends CheckType> = Checks[Type];

/** The parameters of the check of one type: its data without `type`. */
export type ParametersOf<Type extends CheckType> = Omit<Checks[Type], "type">;

/** A small serialisable comparison: `{ type: "numeric_range", min: 3 }`. */
export type Check = Checks[CheckType];

export type Decay = NonNullable<CheckOf<"numeric_graded">["decay"]>;
export type DistanceMode = NonNullable<CheckOf<"numeric_graded">["mode"]>;

/** The shape of each check by its `type`. */
export const CHECK_SHAPES = variantShapes(CHECKS, (type) => `the check ${type}`);

/** A check, as it stands in files. */
export const CHECK_SHAPE = reference("check", () => variant("a check", CHECK_SHAPES));
