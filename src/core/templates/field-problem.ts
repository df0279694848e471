import type { Check } from "../checks/check.ts";
import { evaluateCheck, usesTruth } from "../checks/evaluate-check.ts";
import { hasTexts } from "../liquid/fill-texts.ts";
import { isTemplate } from "../liquid/text-template.ts";
import { nearestOf } from "../schema/nearest-name.ts";
import type { JsonValue } from "../values/json.ts";
import { type Converted, convertText, stancePair, wholeNumber } from "./convert-value.ts";
import { ALPHABET, type ExtractRule, type ExtractTarget, enumValues, optionLetters } from "./extract-rule.ts";
import {
  type CaseTruth,
  defaultFieldCheck,
  type FieldType,
  isCaseTruth,
  isTraceCheck,
  isTruthFrom,
  type TemplateField,
} from "./template.ts";

/** A mistake in a field: the key that it is about, and a sentence. */
interface FieldProblem {
  readonly key: "truth" | "check" | "extract";
  readonly message: string;
}

/** Checks that a value equal to the truth must pass. */
const EQUALITIES: ReadonlySet<Check["type"]> = new Set([
  "boolean_match",
  "exact_match",
  "numeric_exact",
  "literal_match",
  "date_match",
  "ordered_match",
]);

const TEXT_EQUALITIES: ReadonlySet<Check["type"]> = new Set(["exact_match", "literal_match"]);

/** What is wrong between the type of a field, its check and its truth; the field has the right shape otherwise. */
export function fieldProblem(field: TemplateField): FieldProblem | null {
  const { extract } = field;
  // What has variables is looked at when they have values.
  const isOpen = hasTexts(extract) || ("values" in field && hasTexts(field.values));
  const unreadable = extract === undefined || isOpen ? null : extractProblem(extract, field);
  if (unreadable !== null) return { key: "extract", message: unreadable };
  const check = field.check ?? defaultFieldCheck(field);
  if (isOpen || hasTexts(field.check)) return null;
  if (field.truth === undefined) {
    if (field.check === undefined) return null;
    // Without a truth, a check on the raw reply must hold.
    if (usesTruth(check)) return { key: "check", message: `${check.type} needs a truth to compare with.` };
    return pairProblem(field, check, isTraceCheck(check) ? true : null);
  }
  if (!isTruthFrom(field.truth)) return pairProblem(field, check, field.truth);
  const { cases, otherwise } = field.truth;
  for (const truth of [...Object.values(cases), ...(otherwise === undefined ? [] : [otherwise])]) {
    const { truth: value, check: own }: CaseTruth = isCaseTruth(truth) ? truth : { truth };
    const problem = hasTexts(own) ? null : pairProblem(field, own ?? check, value);
    if (problem !== null) return { ...problem, key: "truth" };
  }
  return null;
}

function pairProblem(
  field: FieldType & Pick<TemplateField, "extract">,
  check: Check,
  truth: JsonValue,
): FieldProblem | null {
  if (field.type === "date" && check.type === "date_match" && check.format !== undefined) {
    return {
      key: "check",
      message: "A date is always read as ISO 8601, so it never has this format; leave it out.",
    };
  }
  if (isTraceCheck(check)) {
    // It holds or not: its truth says which of the two is right.
    if (truth === null || typeof truth === "boolean" || isTemplate(truth)) return null;
    const message = `The truth of a check on the raw reply is true or false, not ${JSON.stringify(truth)}.`;
    return { key: "truth", message };
  }
  if (check.type === "semantic_match") return null;
  const samples = samplesOf(field, check);
  const looksAtTruth = usesTruth(check);
  // With a truth of its own type the check must be able to look at the field at all.
  const suits = samples.some(
    (sample) => evaluateCheck(check, sample, looksAtTruth ? sample : null).evaluable,
  );
  if (!suits) return { key: "check", message: `${check.type} cannot look at a field of type ${field.type}.` };
  if (!looksAtTruth || truth === null || hasTexts(truth)) return null;
  const wrong = {
    key: "truth",
    message: `${JSON.stringify(truth)} can never match a field of type ${typeOf(field)}.${advice(field, truth)}`,
  } as const;
  if (!samples.some((sample) => evaluateCheck(check, sample, truth).evaluable)) return wrong;
  if (EQUALITIES.has(check.type) && !evaluateCheck(check, truth, truth).passes) return wrong;
  if (!canHold(field, check, truth)) return wrong;
  const readable = field.extract === undefined ? null : readableValues(field.extract, field);
  if (readable === null || !EQUALITIES.has(check.type)) return null;
  if (readable.some((value) => evaluateCheck(check, value, truth).passes)) return null;
  const nearest = typeof truth === "string" ? nearestOf(truth, readable.map(String)).nearest : undefined;
  const meant = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
  return { key: "truth", message: `The rule never reads ${JSON.stringify(truth)}.${meant}` };
}

/** How a truth is written that a person probably meant. */
function advice(field: FieldType, truth: JsonValue): string {
  switch (field.type) {
    case "string":
      return typeof truth === "number" || typeof truth === "boolean"
        ? ` Put quotes around it: "${truth}".`
        : "";
    case "number":
    case "integer": {
      const isComma = typeof truth === "string" && /^-?\d+,\d+$/.test(truth);
      return isComma ? ` Write ${truth.replace(",", ".")}.` : "";
    }
    case "boolean":
      return " Write true or false.";
    case "date":
      return " Write a day of the calendar as 2024-12-31.";
    case "enum": {
      const { nearest } = typeof truth === "string" ? nearestOf(truth, field.values.map(String)) : {};
      return nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
    }
    case "array":
      return "";
  }
}

/** All values that a rule can read, or null if there is no end of them. */
function readableValues(rule: ExtractRule, target: ExtractTarget): readonly JsonValue[] | null {
  switch (rule.type) {
    case "letter":
      return [...optionLetters(rule.options, target)];
    case "option":
      return ALPHABET.slice(0, rule.options.length);
    case "aliases": {
      // What an alias list gives for any other answer is a value, too.
      const names = [...Object.keys(rule.values), ...[rule.otherwise ?? []].flat()];
      return names.flatMap((name) => valuesIn(convertText(name, target)));
    }
    default:
      return null;
  }
}

function valuesIn(converted: Converted): JsonValue[] {
  return converted === undefined || converted === null ? [] : [converted.value as JsonValue];
}

/** False if no value of the field's type can be what an equality asks for. */
function canHold(field: FieldType, check: Check, truth: JsonValue): boolean {
  switch (field.type) {
    case "string":
      return !TEXT_EQUALITIES.has(check.type) || typeof truth === "string";
    case "integer":
      return check.type !== "numeric_exact" || Number.isInteger(Number(truth));
    case "enum":
      return (
        !EQUALITIES.has(check.type) || field.values.some((value) => evaluateCheck(check, value, truth).passes)
      );
    case "array":
      return (
        !Array.isArray(truth) ||
        !needsAll(check) ||
        truth.every((item) => canHold(field.items, defaultFieldCheck(field.items), item))
      );
    default:
      return true;
  }
}

function needsAll(check: Check): boolean {
  return (
    check.type === "ordered_match" ||
    (check.type === "set_containment" && (check.mode ?? "exact") !== "subset" && check.mode !== "overlap")
  );
}

/** Values that a field may have, such that some check can be evaluated on one of them. */
function samplesOf(field: FieldType, check: Check): readonly JsonValue[] {
  switch (field.type) {
    case "boolean":
      return [true];
    case "integer":
    case "number":
      return [1];
    case "date":
      return ["2024-01-01"];
    case "string":
      return check.type.startsWith("numeric_") ? ["1"] : ["2024-01-01"];
    case "enum":
      return field.values;
    case "array":
      return [samplesOf(field.items, check).slice(0, 1)];
  }
}

function typeOf(field: FieldType): string {
  if (field.type === "enum") return `enum (${field.values.map((value) => JSON.stringify(value)).join(", ")})`;
  return field.type === "array" ? `array of ${typeOf(field.items)}` : field.type;
}

/** The types of fields that a rule can read, where it cannot read all. */
const READABLE: Readonly<Partial<Record<ExtractRule["type"], readonly FieldType["type"][]>>> = {
  letter: ["string", "enum"],
  option: ["string", "enum"],
  number: ["integer", "number", "string", "enum"],
  date: ["date", "string"],
  stance: ["boolean", "enum"],
};

/** Why a rule can never read a value of the target's type, as a sentence; null if it can. */
export function extractProblem(rule: ExtractRule, target: ExtractTarget): string | null {
  if (target.type === "array") return "No rule reads a list; leave `extract` out, and a judge reads it.";
  if (READABLE[rule.type]?.includes(target.type) === false)
    return `The rule ${rule.type} never reads a value of the type ${target.type}.`;
  const foreign = foreignValue(rule, target);
  if (foreign !== undefined)
    return target.type === "enum"
      ? `The value ${JSON.stringify(foreign)} of the rule is none of the field's values.`
      : `The value ${JSON.stringify(foreign)} of the rule is not of the type ${target.type}.`;
  const values = enumValues(target);
  switch (target.type === "enum" && rule.type) {
    case "letter":
      return optionLetters(undefined, target).size > 0 ? null : "None of the field's values is a letter.";
    case "number": {
      const isNumber = (value: string | number): boolean => wholeNumber(String(value)) !== undefined;
      return values.some(isNumber) ? null : "None of the field's values is a number.";
    }
    case "stance":
      return stancePair(values) === undefined
        ? 'A stance is yes or no, but the field has no pair of values such as "yes" and "no" or "true" and "false".'
        : null;
    default:
      return null;
  }
}

/** A value that a rule names and the field cannot have. */
function foreignValue(rule: ExtractRule, target: ExtractTarget): string | undefined {
  if (rule.type === "aliases")
    return [...Object.keys(rule.values), ...[rule.otherwise ?? []].flat()].find(
      (name) => valuesIn(convertText(name, target)).length === 0,
    );
  if (target.type !== "enum" || (rule.type !== "letter" && rule.type !== "option")) return undefined;
  const known = optionLetters(undefined, target);
  const letters =
    rule.type === "option"
      ? ALPHABET.slice(0, rule.options.length)
      : [...optionLetters(rule.options, target)];
  return letters.find((letter) => !known.has(letter));
}
