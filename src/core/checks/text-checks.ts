import { textValue, words } from "../text/text-value.ts";
import type { CheckOf } from "./check.ts";
import { type CompiledCheck, pairCheck, passedIf, unusableCheck, valueCheck } from "./check-result.ts";
import { compileLinearRegex } from "./linear-regex.ts";
import { normalizer } from "./normalize.ts";
import { isInRange } from "./numeric-checks.ts";

/** Normalised texts are equal; null equals only null. */
export function compileExactMatch(check: CheckOf<"exact_match">): CompiledCheck {
  const normalize = normalizer(check.normalize);
  return pairCheck(textOrNull, "a text", (value, expected) =>
    passedIf(
      value === expected || (value !== null && expected !== null && normalize(value) === normalize(expected)),
    ),
  );
}

function textOrNull(value: unknown): string | null | undefined {
  return value === null || value === undefined ? null : textValue(value);
}

/** At least one, or every one, of the substrings occurs. */
export function compileContains({
  type,
  normalize,
  substrings,
}: CheckOf<"contains_any"> | CheckOf<"contains_all">): CompiledCheck {
  const normalized = normalizer(normalize ?? []);
  const parts = substrings.map(normalized);
  return valueCheck(textValue, "a text", (value) => {
    const text = normalized(value);
    const occurs = (part: string): boolean => text.includes(part);
    return passedIf(type === "contains_any" ? parts.some(occurs) : parts.every(occurs));
  });
}

/** The pattern occurs anywhere in the text. */
export function compileRegexMatch(check: CheckOf<"regex_match">): CompiledCheck {
  const regex = compileLinearRegex(check.pattern, check.flags);
  if ("problem" in regex) return unusableCheck(`The ${regex.part} cannot be used: ${regex.problem}.`);
  return valueCheck(textValue, "a text", (text) => passedIf(regex.find(text)));
}

/** The normalised text equals one of the values. */
export function compileOneOf(check: CheckOf<"one_of">): CompiledCheck {
  const normalize = normalizer(check.normalize);
  const allowed = new Set(check.values.map((value) => normalize(String(value))));
  return valueCheck(textValue, "a text", (text) => passedIf(allowed.has(normalize(text))));
}

/** Enough matches in the raw reply. */
export function compileTraceRegex(check: CheckOf<"trace_regex">): CompiledCheck {
  const regex = compileLinearRegex(check.pattern);
  if ("problem" in regex) return unusableCheck(`The ${regex.part} cannot be used: ${regex.problem}.`);
  const enough = check.countMin ?? 1;
  return testReply(enough === 1 ? regex.find : (reply) => regex.count(reply, enough) >= enough);
}

/** The substring occurs in the raw reply as it is written. */
export function compileTraceContains(check: CheckOf<"trace_contains">): CompiledCheck {
  return testReply((reply) => reply.includes(check.substring));
}

/** The length of the raw reply is inside the bounds; characters are code points, so that an emoji is one. */
export function compileTraceLength({ unit, min, max }: CheckOf<"trace_length">): CompiledCheck {
  const range = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  return testReply((reply) =>
    isInRange(unit === "words" ? words(reply).length : Array.from(reply).length, range),
  );
}

function testReply(holds: (reply: string) => boolean): CompiledCheck {
  const replyText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  return valueCheck(replyText, "the text of a reply", (reply) => passedIf(holds(reply)));
}
