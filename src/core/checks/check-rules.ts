import type { RuleProblem, ShapeRule } from "../schema/shape.ts";
import type { UnknownRecord } from "../values/json.ts";
import type { ParametersOf } from "./check.ts";
import { dateSpan, isBeforeEnd } from "./date-checks.ts";
import { compileDateFormat } from "./date-format.ts";
import { compileLinearRegex } from "./linear-regex.ts";

/**
 * Rules over parameters that the shape of each key by itself cannot express. A rule runs only on parameters that
 * have their shapes, which is why it may take them for what they should be.
 */

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
