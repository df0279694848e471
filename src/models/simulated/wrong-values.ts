import { readDate } from "../../core/checks/date-value.ts";
import { evaluateCheck } from "../../core/checks/evaluate-check.ts";
import { convertText } from "../../core/templates/convert-value.ts";
import { optionLetters } from "../../core/templates/option-letters.ts";
import { isCaseTruth, isTruthFrom } from "../../core/templates/truth-from.ts";
import type { JsonValue } from "../../core/values/json.ts";
import { extractValue } from "../../grading/reading/extract-value.ts";
import { patternSample } from "./pattern-sample.ts";
import { fitsType, type ResolvedField } from "./resolved-field.ts";
import { chosenValues } from "./right-values.ts";

/** Names that mean nothing, for where nothing better is known: nobody takes them for a fact. */
const INVENTED = ["Valdoria", "Halvenmark", "Quillon"];

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
