import type { Check } from "../../../core/checks/check.ts";
import { readDate } from "../../../core/checks/date-value.ts";
import type { Truth } from "../../../core/logic/kleene.ts";
import type { ScenarioState } from "../../../core/state/state.ts";
import {
  defaultFieldCheck,
  type FieldType,
  isTraceCheck,
  resolveTruth,
  type Template,
  type TemplateField,
} from "../../../core/templates/template.ts";
import { strip, textValue } from "../../../core/text/text-value.ts";
import { deepEqual, type JsonValue } from "../../../core/values/json.ts";
import { extractFields } from "../../grading/reading/extract-value.ts";
import { verifyParsed } from "../../grading/verify/verify-parsed.ts";

/** A field with the truth and the check that hold in a state. */
export interface ResolvedField {
  readonly name: string;
  readonly field: TemplateField;
  /** Null also if no case of the truth applies. */
  readonly truth: JsonValue;
  readonly check: Check;
  /** True if the check looks at the raw reply: there is no value to state. */
  readonly looksAtReply: boolean;
}

/** The fields of a template as they are in a state. */
export function resolvedFields(template: Template, state: ScenarioState): readonly ResolvedField[] {
  return Object.entries(template.fields).map(([name, field]) => {
    const resolved = resolveTruth(field.truth, state);
    return {
      name,
      field,
      truth: resolved?.truth ?? null,
      check: resolved?.check ?? field.check ?? defaultFieldCheck(field),
      looksAtReply: isTraceCheck(field.check),
    };
  });
}

/** True if a value is of a field's type. */
export function fitsType(type: FieldType, value: unknown): value is JsonValue {
  switch (type.type) {
    case "boolean":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string";
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return Number.isFinite(value);
    case "date":
      return readDate(value) !== undefined;
    case "enum":
      return type.values.some((one) => one === value);
    case "array":
      return Array.isArray(value) && value.every((item) => fitsType(type.items, item));
  }
}

/** The values that a reply is meant to state, by field. */
export type IntendedValues = Readonly<Record<string, JsonValue>>;

/** The result of reading a reply. */
export interface Reading {
  readonly verdict: Truth;
  /** True if rules read every value as it was meant, so that they and a person agree. */
  readonly faithful: boolean;
}

/** Reads a reply as a run does: rules read what they can, a judge is taken to read what is meant, code compares. */
export function readReply(
  template: Template,
  text: string,
  { intended, state }: { readonly intended: IntendedValues; readonly state: ScenarioState },
): Reading {
  const extracted = extractFields(template, text);
  const parsed: Record<string, unknown> = { ...intended };
  let faithful = true;
  for (const [name, { value }] of Object.entries(extracted)) {
    parsed[name] = value;
    faithful &&= isSameValue(value, intended[name] ?? null);
  }
  return { verdict: verifyParsed(template, parsed, { reply: text, state }).verifyResult, faithful };
}

function isSameValue(read: unknown, meant: JsonValue): boolean {
  if (deepEqual(read, meant)) return true;
  const [left, right] = [textValue(read), textValue(meant)];
  if (left === undefined || right === undefined) return false;
  if (strip(left).toLowerCase() === strip(right).toLowerCase()) return true;
  const day = readDate(left)?.instant;
  return day !== undefined && day === readDate(right)?.instant;
}
