import type { Check } from "../../core/checks/check.ts";
import { evaluateCheck } from "../../core/checks/evaluate-check.ts";
import { deepEqual } from "../../core/values/deep-equal.ts";
import type { JsonValue } from "../../core/values/json.ts";
import { patternSample } from "./pattern-sample.ts";
import { fitsType, type ResolvedField } from "./resolved-field.ts";

const MOST = 8;

/** Values that pass the check of a field, the plainest first; null is one of them if it is right to say nothing. */
export function rightValues(resolved: ResolvedField, rawAnswer: string): readonly JsonValue[] {
  const { field, truth, check } = resolved;
  const candidates = [truth, ...byCheck(check, truth), rawAnswer, ...ofType(resolved)];
  return chosenValues(
    candidates,
    (value) =>
      (value === null || fitsType(field, value)) && evaluateCheck(check, value, truth).passes === true,
  );
}

/** The first few values that will do, each only once. */
export function chosenValues(
  candidates: readonly unknown[],
  willDo: (value: JsonValue) => boolean,
): readonly JsonValue[] {
  const chosen: JsonValue[] = [];
  for (const candidate of candidates) {
    if (chosen.length >= MOST) break;
    // Candidates are parts of a definition, or made here: data either way.
    const value = candidate as JsonValue;
    if (!chosen.some((other) => deepEqual(other, value)) && willDo(value)) chosen.push(value);
  }
  return chosen;
}

function byCheck(check: Check, truth: JsonValue): readonly JsonValue[] {
  switch (check.type) {
    case "contains_any":
      return check.substrings;
    case "contains_all":
      return [check.substrings.join(", ")];
    case "regex_match":
      return [0, 1, 2].map((variant) => patternSample(check.pattern, { variant }));
    case "one_of":
      return [...check.values, ...check.values.map(Number), ...check.values.map(String)];
    case "numeric_range":
    case "numeric_range_graded":
      return insideRange(check.min, check.max);
    case "numeric_minimum":
    case "numeric_maximum":
    case "numeric_threshold_graded":
      return [Number(truth) + 1, Number(truth) - 1, Number(truth) + 0.5, Number(truth) - 0.5];
    case "date_range":
      return [check.min, check.max, "2000-01-01"].flatMap((bound) => bound ?? []);
    case "is_null":
      return [null];
    case "set_containment":
      return Array.isArray(truth) ? [truth.slice(0, 1), []] : [];
    default:
      return [];
  }
}

function insideRange(min?: number, max?: number): readonly number[] {
  const low = min ?? (max ?? 0) - 10;
  const high = max ?? low + 10;
  const middle = (low + high) / 2;
  return [Math.round(middle), middle, low, high, low + 1, high - 1];
}

/** All values of a type that has few; else numbers and texts of the truth in the other form. */
function ofType({ field, truth }: ResolvedField): readonly JsonValue[] {
  if (field.type === "enum") return field.values;
  if (field.type === "boolean") return [true, false];
  if (typeof truth === "number") return [String(truth), Math.round(truth)];
  return typeof truth === "string" ? [Number(truth)] : [];
}
