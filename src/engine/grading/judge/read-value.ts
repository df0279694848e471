import { readDate } from "../../../core/checks/date-value.ts";
import { type JudgedTrait, type MetricAnswers, scoreRange } from "../../../core/templates/rubric.ts";
import type { FieldType, ScalarType } from "../../../core/templates/template.ts";
import { numberValue } from "../../../core/text/text-value.ts";
import { isRecord, ownValue } from "../../../core/values/json.ts";
import { givenWords, metricItems, traitWords } from "./judge-task.ts";

/** A value that was read; undefined if it is not of the type. */
type ReadValue = { readonly value: unknown } | undefined;

const NOTHING: ReadValue = { value: null };

/**
 * A value of a field from a judge's answer: of the type itself, or what can be turned into it without doubt or loss, such
 * as `"3"` for a number or a member of an enum in another case. Null is always allowed.
 */
export function readValue(type: FieldType, given: unknown): ReadValue {
  if (given === null) return NOTHING;
  if (type.type !== "array") return readScalar(type, given);
  if (!Array.isArray(given)) return isNullWord(given) ? NOTHING : undefined;
  const items: unknown[] = [];
  for (const item of given) {
    const read = readScalar(type.items, item);
    // A list with an item that cannot be read is not a list without it.
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

/** The same member; else the only one that differs in case or type alone. */
function readMember(values: readonly (string | number)[], given: unknown): ReadValue {
  if (given === null) return NOTHING;
  if (typeof given !== "string" && typeof given !== "number") return undefined;
  if (values.includes(given)) return { value: given };
  const written = String(given).trim().toLowerCase();
  const alike = values.filter((value) => String(value).toLowerCase() === written);
  if (alike.length === 1) return { value: alike[0] };
  return isNullWord(given) ? NOTHING : undefined;
}

/** As ISO 8601. The name of a month is converted; `3/1/2024` is not, because either number may be the month. */
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

/** Some judges put everything in quotes, also null. */
function isNullWord(given: unknown): boolean {
  return typeof given === "string" && given.trim().toLowerCase() === "null";
}

/** What a judge answered to a trait: null if it could not tell. */
export type TraitAnswer = boolean | number | string | null | MetricAnswers;

/** An answer that was read, or what is wrong with it: sentences that name the place. */
type ReadTrait = { readonly answer: TraitAnswer } | { readonly problems: readonly string[] };

/** The answer to a trait, checked against what the trait allows. */
export function readTrait(trait: JudgedTrait, given: unknown, place: string): ReadTrait {
  if (given === null) return { answer: null };
  if (trait.type === "metric") return readMetric(trait, given, place);
  const read = readAnswer(trait, given);
  // `readAnswer` returns only values of these types.
  return read === undefined
    ? { problems: [wrongAnswer(place, traitWords(trait), given)] }
    : { answer: read.value as TraitAnswer };
}

function readAnswer(
  trait: Extract<JudgedTrait, { type: "llm" }>,
  given: unknown,
): { readonly value: unknown } | undefined {
  switch (trait.kind) {
    case "boolean":
      return readBoolean(given);
    case "literal":
      return readMember(Object.keys(trait.classes), given);
    case "score": {
      const read = readValue({ type: "integer" }, given);
      const { min, max } = scoreRange(trait);
      const score = read?.value;
      return typeof score === "number" && (score < min || score > max) ? undefined : read;
    }
  }
}

function readMetric(
  trait: Extract<JudgedTrait, { type: "metric" }>,
  given: unknown,
  place: string,
): ReadTrait {
  if (!isRecord(given)) return { problems: [wrongAnswer(place, "an object", given)] };
  const problems: string[] = [];
  const answers = metricItems(trait).map(({ key }) => {
    const answer = ownValue(given, key);
    const read = readBoolean(answer);
    if (read === undefined) problems.push(wrongAnswer(`${place}.${key}`, traitWords(trait), answer));
    return read === undefined ? null : (read.value as boolean | null);
  });
  if (problems.length > 0) return { problems };
  const count = trait.expected.length;
  return { answer: { expected: answers.slice(0, count), unexpected: answers.slice(count) } };
}

/** A problem for the judge to correct. It names the type that was given, but does not repeat the value. */
export function wrongAnswer(place: string, expected: string, given: unknown): string {
  return given === undefined
    ? `- ${place} is missing; expected ${expected}.`
    : `- ${place}: expected ${expected}, got ${givenWords(given)}.`;
}
