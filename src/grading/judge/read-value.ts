import { readDate } from "../../core/checks/date-value.ts";
import { numberValue } from "../../core/checks/number-value.ts";
import type { FieldType, ScalarType } from "../../core/templates/template.ts";

/** A value that was read; undefined stands for one that is not of the type. */
export type ReadValue = { readonly value: unknown } | undefined;

const NOTHING: ReadValue = { value: null };

/**
 * A value of a field from a judge's answer: of the type itself, or what can be turned into it without doubt or loss, such
 * as `"3"` for a number or a member of an enum in another case. Null is always in order.
 */
export function readValue(type: FieldType, given: unknown): ReadValue {
  if (given === null) return NOTHING;
  if (type.type !== "array") return readScalar(type, given);
  if (!Array.isArray(given)) return isNullWord(given) ? NOTHING : undefined;
  const items: unknown[] = [];
  for (const item of given) {
    const read = readScalar(type.items, item);
    // A list with a hole is neither the list nor none.
    if (read === undefined || read.value === null) return undefined;
    items.push(read.value);
  }
  return { value: items };
}

function readScalar(type: ScalarType, given: unknown): ReadValue {
  switch (type.type) {
    case "string":
      return readText(given);
    case "enum":
      return readMember(type.values, given);
    case "boolean":
      return readBoolean(given);
    case "date":
      return isNullWord(given) ? NOTHING : readIsoDate(given);
    case "integer":
    case "number": {
      const number = numberValue(given);
      if (number === undefined) return isNullWord(given) ? NOTHING : undefined;
      return type.type === "number" || Number.isSafeInteger(number) ? { value: number } : undefined;
    }
  }
}

/** A blank text states nothing. Whole numbers are texts written without quotes; others may have lost digits. */
function readText(given: unknown): ReadValue {
  if (typeof given === "string") return given.trim() === "" ? NOTHING : { value: given };
  return Number.isSafeInteger(given) ? { value: String(given) } : undefined;
}

/** True or false, also as a text. */
export function readBoolean(given: unknown): ReadValue {
  if (typeof given === "boolean" || given === null) return { value: given };
  switch (typeof given === "string" ? given.trim().toLowerCase() : undefined) {
    case "true":
      return { value: true };
    case "false":
      return { value: false };
    case "null":
      return NOTHING;
    default:
      return undefined;
  }
}

/** A member as it stands; else the only one that is written the same but for case and type. */
export function readMember(values: readonly (string | number)[], given: unknown): ReadValue {
  if (given === null) return NOTHING;
  if (typeof given !== "string" && typeof given !== "number") return undefined;
  if (values.includes(given)) return { value: given };
  const written = String(given).trim().toLowerCase();
  const alike = values.filter((value) => String(value).toLowerCase() === written);
  if (alike.length === 1) return { value: alike[0] };
  return isNullWord(given) ? NOTHING : undefined;
}

/** As ISO 8601. A month's name is turned into it; `3/1/2024` is not, for nobody knows which is the month. */
function readIsoDate(given: unknown): ReadValue {
  const date = readDate(given);
  if (date === undefined || typeof given !== "string" || given.includes("/")) return undefined;
  const text = given.trim();
  if (/^\d{4}-/.test(text)) return { value: text };
  const [year, month, day] = [date.year, date.month, date.day].map(String);
  return date.bare
    ? { value: `${year?.padStart(4, "0")}-${month?.padStart(2, "0")}-${day?.padStart(2, "0")}` }
    : undefined;
}

/** What a judge writes that has been told to put everything in quotes. */
function isNullWord(given: unknown): boolean {
  return typeof given === "string" && given.trim().toLowerCase() === "null";
}
