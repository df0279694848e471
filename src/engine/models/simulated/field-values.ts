import type { Check } from "../../../core/checks/check.ts";
import { readDate } from "../../../core/checks/date-value.ts";
import { evaluateCheck } from "../../../core/checks/evaluate-check.ts";
import { convertText } from "../../../core/templates/convert-value.ts";
import { optionLetters } from "../../../core/templates/extract-rule.ts";
import { isCaseTruth, isTruthFrom } from "../../../core/templates/template.ts";
import { deepEqual, type JsonValue } from "../../../core/values/json.ts";
import { extractValue } from "../../grading/reading/extract-value.ts";
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
function chosenValues(
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

/** Invented names, used if there is no better wrong answer: they cannot be mistaken for facts. */
export const INVENTED: readonly string[] = ["Valdoria", "Halvenmark", "Quillon"];

/**
 * Values that are certainly wrong: each is compared with the truth. Those that the author or a challenger names come first.
 */
export function wrongValues(resolved: ResolvedField, suggested: readonly string[]): readonly JsonValue[] {
  const { field, truth, check } = resolved;
  const converted = suggested.flatMap((text) => {
    const value = convertText(text, field);
    return value === undefined || value === null ? [] : [value.value];
  });
  return chosenValues(
    [...converted, ...byRule(resolved), ...otherCases(resolved), ...byType(resolved)],
    (value) => {
      if (value === null || !fitsType(field, value)) return false;
      const { evaluable, passes } = evaluateCheck(check, value, truth);
      return evaluable && !passes;
    },
  );
}

/** Values that the rule of the field can read at all. */
function byRule({ field }: ResolvedField): readonly unknown[] {
  const rule = field.extract;
  switch (rule?.type) {
    case "letter": {
      const letters = [...optionLetters(rule.options, field)];
      return field.type === "enum" ? field.values : letters.slice(0, 5);
    }
    case "aliases":
      return Object.keys(rule.values).map((name) => convertText(name, field)?.value);
    case "regex":
      return [0, 1, 2, 3, 4].map(
        (variant) => extractValue(rule, field, patternSample(rule.pattern, { variant })).value,
      );
    default:
      return [];
  }
}

/** What would be right if the conversation had gone another way. */
function otherCases({ field: { truth } }: ResolvedField): readonly JsonValue[] {
  if (!isTruthFrom(truth)) return [];
  return Object.values(truth.cases).map((value) => (isCaseTruth(value) ? value.truth : value));
}

function byType(resolved: ResolvedField): readonly unknown[] {
  const { field, truth } = resolved;
  switch (field.type) {
    case "boolean":
      return [truth !== true, truth === true];
    case "enum":
      return field.values;
    case "integer":
    case "number":
      return otherNumbers(resolved);
    case "date":
      return otherDates(resolved);
    case "string":
      return [...otherTexts(resolved), ...INVENTED];
    case "array":
      return otherLists(resolved, field.items.type === "enum" ? field.items.values : INVENTED);
  }
}

function otherNumbers({ truth, check }: ResolvedField): readonly number[] {
  const bounds = "min" in check || "max" in check ? [check.min, check.max] : [];
  const anchors = [truth, ...bounds].flatMap((bound) => (typeof bound === "number" ? [bound] : []));
  const near = anchors.flatMap((anchor) => [anchor + 1, anchor - 1, anchor + 10, anchor - 10]);
  const far = anchors.flatMap((anchor) => [anchor * 2, anchor * 10, -anchor, anchor + 1_000, anchor - 1_000]);
  // Floating point would write 0.1 + 1 as 1.1, but 0.7 + 0.1 as 0.7999….
  return [...near, ...far, 7, 0, 1_000_003, -1_000_003].map((number) => Number(number.toPrecision(12)));
}

const DAY = 86_400_000;

function otherDates({ truth, check }: ResolvedField): readonly string[] {
  const bounds = check.type === "date_range" ? [check.min, check.max] : [];
  return [truth, ...bounds].flatMap((date) => {
    const known = readDate(date);
    if (known === undefined) return ["1999-12-31"];
    return [1, -1, 40, -40, 400, -400, 10_000, -10_000].flatMap((days) => {
      const shifted = new Date(Date.UTC(known.year, known.month - 1, known.day) + days * DAY);
      const written = shifted.toISOString().slice(0, 10);
      return readDate(written) === undefined ? [] : [written];
    });
  });
}

/** The same text with another number in it: "BCL-3" for "BCL-2". */
function otherTexts({ truth }: ResolvedField): readonly string[] {
  if (typeof truth !== "string" || truth.length > 200) return [];
  return [...truth.matchAll(/\d{1,9}/g)].slice(-3).flatMap((match) =>
    [1, -1].flatMap((step) => {
      const number = Number(match[0]) + step;
      if (number < 0) return [];
      const written = String(number).padStart(match[0].length, "0");
      return [truth.slice(0, match.index) + written + truth.slice(match.index + match[0].length)];
    }),
  );
}

function otherLists({ truth }: ResolvedField, items: readonly JsonValue[]): readonly unknown[] {
  const list = Array.isArray(truth) ? truth : [];
  const others = items.filter((item) => !list.includes(item));
  const numbers = list.flatMap((item) => (typeof item === "number" ? [item + 1] : []));
  return [
    others.slice(0, 1),
    numbers,
    ["1999-12-31"],
    [true],
    [false],
    [...list].reverse(),
    list.slice(0, -1),
    [...list, ...others.slice(0, 1)],
    [],
  ];
}
