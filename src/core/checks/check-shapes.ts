import {
  boolean,
  described,
  either,
  list,
  type NumberShape,
  number,
  type ObjectShape,
  object,
  oneOfTexts,
  type ReferenceShape,
  type RuleProblem,
  reference,
  type Shape,
  type ShapeRule,
  text,
} from "../schema/shape.ts";
import type { UnknownRecord } from "../values/json.ts";
import type { CheckType, ParametersOf } from "./check.ts";
import { dateSpan, isBeforeEnd } from "./date-checks.ts";
import { compileDateFormat } from "./date-value.ts";
import { compileLinearRegex } from "./linear-regex.ts";
import { NORMALIZER_NAMES } from "./normalize.ts";

// Rules over parameters that the shape of each key by itself cannot express. A rule runs only on parameters that have
// their shapes, which is why it may take them for what they should be.

/** `min` must not be above `max`. */
export const boundsInOrder: ShapeRule = (value, report) => {
  const { min, max } = value as ParametersOf<"numeric_range">;
  if (min !== undefined && max !== undefined && min > max) {
    report("min", wrong(`min must not be above max, but ${min} is above ${max}.`));
  }
};

/** `min` must be below `max`, so that the band has a width. */
export const boundsApart: ShapeRule = (value, report) => {
  const { min, max } = value as ParametersOf<"numeric_range_graded">;
  if (min >= max) report("min", wrong(`min must be below max, but ${min} is not below ${max}.`));
};

/** The inner band must lie inside the outer one. */
export const fullCreditInside: ShapeRule = (value, report) => {
  const { fullCredit, cutoff } = value as ParametersOf<"numeric_graded">;
  if (fullCredit !== undefined && fullCredit >= cutoff) {
    report("fullCredit", wrong(`fullCredit must be below cutoff, but ${fullCredit} is not below ${cutoff}.`));
  }
};

/** A cosine is not above 1. */
export const thresholdUpToOne: ShapeRule = (value, report) => {
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

/** The format of dates can be used. */
export const usableDateFormat: ShapeRule = (value, report) => {
  const { format } = value as ParametersOf<"date_match">;
  const compiled = format === undefined ? {} : compileDateFormat(format);
  if ("problem" in compiled) report("format", wrong(`The format cannot be used: ${compiled.problem}.`));
};

/** Both dates can be read and are in order. */
export const datesInOrder: ShapeRule = (value, report) => {
  const range = value as ParametersOf<"date_range">;
  const span = dateSpan(range);
  if ("problem" in span) return report(span.key, wrong(span.problem));
  if (isBeforeEnd(span.start, span)) return;
  report("min", wrong(`min must not be after max, but ${range.min} is after ${range.max}.`));
};

/** A normaliser that is an object has synonyms under one of the two names. */
export const oneSynonymMap: ShapeRule = (value: UnknownRecord, report) => {
  if (Object.hasOwn(value, "synonyms") === Object.hasOwn(value, "mapping")) {
    report(null, wrong("A normaliser that is an object needs synonyms, and nothing else."));
  }
};

function wrong(message: string): RuleProblem {
  return { code: "invalid_parameter", message };
}

const SYNONYMS: Shape = described(
  { kind: "record", values: text },
  "Whole texts and what each of them stands for.",
);

/** A list of normalisers: names, or `{ synonyms: { … } }`. */
export const NORMALIZERS_SHAPE: Shape = reference("normalizers", () =>
  described(
    list(
      either(
        oneOfTexts(...NORMALIZER_NAMES),
        object(
          "a normaliser",
          {},
          { optional: { synonyms: SYNONYMS, mapping: SYNONYMS }, rule: oneSynonymMap },
        ),
      ),
    ),
    "Steps that make texts comparable, applied in order to both sides.",
  ),
);

const positive: NumberShape = { kind: "number", exclusiveMinimum: 0 };
const fromZero: NumberShape = { kind: "number", minimum: 0 };
const wholeFromZero: NumberShape = { kind: "number", integer: true, minimum: 0 };
const distanceMode = oneOfTexts("relative", "absolute");
const decay = oneOfTexts("linear", "quadratic");
const normalize = NORMALIZERS_SHAPE;
const substrings = list(text);
const exclusiveBounds = { exclusiveMin: boolean, exclusiveMax: boolean };

type Keys = Readonly<Record<string, Shape>>;
interface CheckKeys {
  readonly required?: Keys;
  readonly optional?: Keys;
  readonly rule?: ShapeRule;
}

/** What each check does, for editors, and the parameters it has. */
const CHECKS: Readonly<Record<CheckType, readonly [description: string, keys: CheckKeys]>> = {
  boolean_match: ["Both are true or both are false; null equals only null.", {}],
  exact_match: ["The normalised texts are equal; null equals only null.", { optional: { normalize } }],
  contains_any: [
    "At least one of the substrings occurs.",
    { required: { substrings }, optional: { normalize } },
  ],
  contains_all: [
    "Every one of the substrings occurs.",
    { required: { substrings }, optional: { normalize } },
  ],
  regex_match: [
    "The pattern occurs anywhere in the text.",
    { required: { pattern: text }, optional: { flags: text }, rule: usablePattern },
  ],
  numeric_exact: ["The numbers are equal.", {}],
  numeric_tolerance: [
    "The number is near enough to the expected one.",
    { required: { tolerance: fromZero }, optional: { mode: distanceMode } },
  ],
  numeric_range: [
    "The number is inside the range; the expected value is ignored.",
    { optional: { min: number, max: number, ...exclusiveBounds }, rule: boundsInOrder },
  ],
  numeric_minimum: ["The number is at least the expected one.", { optional: { exclusive: boolean } }],
  numeric_maximum: ["The number is at most the expected one.", { optional: { exclusive: boolean } }],
  numeric_graded: [
    "The number is near the expected one, with less credit the further away it is.",
    {
      required: { cutoff: positive },
      optional: { fullCredit: fromZero, mode: distanceMode, decay },
      rule: fullCreditInside,
    },
  ],
  numeric_range_graded: [
    "The number is inside the band, with less credit the further outside it is.",
    {
      required: { min: number, max: number, margin: positive },
      optional: { mode: distanceMode, decay, ...exclusiveBounds },
      rule: boundsApart,
    },
  ],
  numeric_threshold_graded: [
    "The number is on the right side of the expected one, with less credit the further beyond it is.",
    {
      required: { direction: oneOfTexts("max", "min"), margin: positive },
      optional: { mode: distanceMode, decay, exclusive: boolean },
    },
  ],
  set_containment: [
    "The arrays are compared as sets of values.",
    { optional: { mode: oneOfTexts("exact", "subset", "superset", "overlap"), minOverlap: wholeFromZero } },
  ],
  ordered_match: [
    "The arrays have the same normalised texts in the same order.",
    { optional: { normalize } },
  ],
  literal_match: ["The values are equal without any conversion.", {}],
  date_match: [
    "The dates are the same calendar day.",
    {
      optional: { format: described(text, "Unicode date tokens, such as dd/MM/yyyy.") },
      rule: usableDateFormat,
    },
  ],
  date_tolerance: [
    "The dates are not further apart than the tolerance.",
    { required: { tolerance: fromZero }, optional: { unit: oneOfTexts("days", "hours", "minutes") } },
  ],
  date_range: [
    "The date is inside the range, bounds included; the expected value is ignored.",
    { optional: { min: text, max: text }, rule: datesInOrder },
  ],
  trace_regex: [
    "The pattern occurs often enough in the raw reply.",
    { required: { pattern: text }, optional: { countMin: wholeFromZero }, rule: usablePattern },
  ],
  trace_contains: [
    "The substring occurs in the raw reply as it is written.",
    { required: { substring: text } },
  ],
  trace_length: [
    "The length of the raw reply is inside the bounds.",
    {
      optional: { min: wholeFromZero, max: wholeFromZero, unit: oneOfTexts("chars", "words") },
      rule: boundsInOrder,
    },
  ],
  one_of: [
    "The normalised text equals one of the values.",
    { required: { values: list(either(text, number, boolean)) }, optional: { normalize } },
  ],
  is_null: ["The value is null or missing.", {}],
  semantic_match: [
    "The texts mean about the same; needs an embedding model.",
    { optional: { threshold: fromZero }, rule: thresholdUpToOne },
  ],
};

/** The shape of each check by its `type`. */
export const CHECK_SHAPES: Readonly<Record<CheckType, ObjectShape>> = mapChecks();

function mapChecks(): Record<CheckType, ObjectShape> {
  const shapes = Object.entries(CHECKS).map(([type, [description, { required, ...options }]]) => [
    type,
    described(object(`the check ${type}`, { type: oneOfTexts(type), ...required }, options), description),
  ]);
  // The entries have exactly the keys of the table above, which `fromEntries` forgets.
  return Object.fromEntries(shapes) as Record<CheckType, ObjectShape>;
}

/** A check, as it stands in files. */
export const CHECK_SHAPE: ReferenceShape = reference("check", () => ({
  kind: "variant",
  owner: "a check",
  variants: CHECK_SHAPES,
}));
