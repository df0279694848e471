import { type JudgedTrait, scoreRange } from "../../core/templates/rubric.ts";
import type { FieldType, ScalarType } from "../../core/templates/template.ts";

type PlainType = Exclude<ScalarType["type"], "enum">;

const ONE: Readonly<Record<PlainType, string>> = {
  boolean: "true, false or null",
  string: "text or null",
  integer: "a whole number or null",
  number: "a number or null",
  date: 'a date as "YYYY-MM-DD" or null',
};

const MANY: Readonly<Record<PlainType, string>> = {
  boolean: "a list of true and false, or null",
  string: "a list of texts, or null",
  integer: "a list of whole numbers, or null",
  number: "a list of numbers, or null",
  date: 'a list of dates as "YYYY-MM-DD", or null',
};

/** What a field may hold, in the words that a judge sees in the request and in complaints about its answer. */
export function fieldWords(type: FieldType): string {
  if (type.type === "enum") return `one of ${listed(type.values)}, or null`;
  if (type.type !== "array") return ONE[type.type];
  const { items } = type;
  return items.type === "enum" ? `a list with any of ${listed(items.values)}, or null` : MANY[items.type];
}

/** What may be answered to a trait, in words; for a metric, to each of its items. */
export function traitWords(trait: JudgedTrait): string {
  if (trait.type === "metric" || trait.kind === "boolean") return ONE.boolean;
  if (trait.kind === "literal") return `one of ${listed(Object.keys(trait.classes))}, or null`;
  const { min, max } = scoreRange(trait);
  return `a whole number from ${min} to ${max}, or null`;
}

/** What stands in place of the expected value; never the value itself, which is not ours to repeat. */
export function givenWords(given: unknown): string {
  if (given === null) return "null";
  if (Array.isArray(given)) return "a list";
  switch (typeof given) {
    case "string":
      return "other text";
    case "number":
      return "another number";
    case "boolean":
      return String(given);
    default:
      return "an object";
  }
}

function listed(values: readonly (string | number)[]): string {
  return values.map((value) => JSON.stringify(value)).join(", ");
}
