import type { Check } from "../checks/check.ts";
import { evaluateCheck } from "../checks/evaluate-check.ts";
import type { JsonValue } from "../values/json.ts";
import { extractProblem } from "./extract-problem.ts";
import { defaultFieldCheck } from "./field-check.ts";
import { isRowVariable } from "./row-variable.ts";
import { type FieldType, isTraceCheck, type TemplateField } from "./template.ts";
import { type CaseTruth, isCaseTruth, isTruthFrom } from "./truth-from.ts";

/** A mistake in a field: the key that it is about, and a sentence. */
export interface FieldProblem {
  readonly key: "truth" | "check" | "extract";
  readonly message: string;
}

/** Checks that do not look at the truth. */
const WITHOUT_TRUTH: ReadonlySet<Check["type"]> = new Set([
  "contains_any",
  "contains_all",
  "regex_match",
  "numeric_range",
  "numeric_range_graded",
  "date_range",
  "one_of",
  "is_null",
  "trace_regex",
  "trace_contains",
  "trace_length",
]);

/** Checks that a value equal to the truth must pass. */
const EQUALITIES: ReadonlySet<Check["type"]> = new Set([
  "boolean_match",
  "exact_match",
  "numeric_exact",
  "literal_match",
  "date_match",
  "ordered_match",
]);

/** What is wrong between the type of a field, its check and its truth; the field has the right shape otherwise. */
export function fieldProblem(field: TemplateField): FieldProblem | null {
  const unreadable = field.extract === undefined ? null : extractProblem(field.extract, field);
  if (unreadable !== null) return { key: "extract", message: unreadable };
  const check = field.check ?? defaultFieldCheck(field);
  if (!isTruthFrom(field.truth)) return pairProblem(field, check, field.truth);
  const { cases, otherwise } = field.truth;
  for (const truth of [...Object.values(cases), ...(otherwise === undefined ? [] : [otherwise])]) {
    const { truth: value, check: own }: CaseTruth = isCaseTruth(truth) ? truth : { truth };
    const problem = pairProblem(field, own ?? check, value);
    if (problem !== null) return { ...problem, key: "truth" };
  }
  return null;
}

function pairProblem(field: FieldType, check: Check, truth: JsonValue): FieldProblem | null {
  if (field.type === "date" && check.type === "date_match" && check.format !== undefined) {
    return {
      key: "check",
      message: "A date is always read as ISO 8601, so it never has this format; leave it out.",
    };
  }
  if (isTraceCheck(check) || check.type === "semantic_match") return null;
  const samples = samplesOf(field, check);
  const usesTruth = !WITHOUT_TRUTH.has(check.type);
  // With a truth of its own type the check must be able to look at the field at all.
  const suits = samples.some((sample) => evaluateCheck(check, sample, usesTruth ? sample : null).evaluable);
  if (!suits) return { key: "check", message: `${check.type} cannot look at a field of type ${field.type}.` };
  if (!usesTruth || truth === null || isRowVariable(truth)) return null;
  const wrong = {
    key: "truth",
    message: `${JSON.stringify(truth)} can never match a field of type ${typeOf(field)}.`,
  } as const;
  if (!samples.some((sample) => evaluateCheck(check, sample, truth).evaluable)) return wrong;
  if (EQUALITIES.has(check.type) && !evaluateCheck(check, truth, truth).passes) return wrong;
  return canHold(field, check, truth) ? null : wrong;
}

/** False if no value of the field's type can be what an equality asks for. */
function canHold(field: FieldType, check: Check, truth: JsonValue): boolean {
  switch (field.type) {
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
