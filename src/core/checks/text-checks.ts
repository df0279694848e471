import { textValue } from "../text/text-value.ts";
import type { CheckOf } from "./check.ts";
import { type CompiledCheck, incomparable, PASSED, passedIf, unusableCheck } from "./check-result.ts";
import { compileLinearRegex } from "./linear-regex.ts";
import { compileNormalizers, DEFAULT_NORMALIZERS } from "./normalize.ts";

/** Normalised texts are equal; null equals only null. */
export function compileExactMatch(check: CheckOf<"exact_match">): CompiledCheck {
  const normalizers = compileNormalizers(check.normalize ?? DEFAULT_NORMALIZERS);
  if ("problem" in normalizers) return unusableCheck(normalizers.problem);
  // Most checks are asked about the same expected text again and again.
  let lastExpected = "";
  let lastNormalized = normalizers.apply("");
  return (value, expected) => {
    const text = textValue(value);
    if (text === undefined && !isMissing(value)) return incomparable("value", value, "a text");
    const expectedText = textValue(expected);
    if (expectedText === undefined && !isMissing(expected))
      return incomparable("expected value", expected, "a text");
    if (text === expectedText) return PASSED;
    if (text === undefined || expectedText === undefined) return passedIf(false);
    if (expectedText !== lastExpected) {
      lastExpected = expectedText;
      lastNormalized = normalizers.apply(expectedText);
    }
    return passedIf(normalizers.apply(text) === lastNormalized);
  };
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined;
}

/** At least one of the substrings occurs. */
export function compileContainsAny(check: CheckOf<"contains_any">): CompiledCheck {
  return compileContains(check, (text, substrings) => substrings.some((part) => text.includes(part)));
}

/** Every one of the substrings occurs. */
export function compileContainsAll(check: CheckOf<"contains_all">): CompiledCheck {
  return compileContains(check, (text, substrings) => substrings.every((part) => text.includes(part)));
}

function compileContains(
  check: CheckOf<"contains_any"> | CheckOf<"contains_all">,
  holds: (text: string, substrings: readonly string[]) => boolean,
): CompiledCheck {
  const normalizers = compileNormalizers(check.normalize ?? []);
  if ("problem" in normalizers) return unusableCheck(normalizers.problem);
  const substrings = check.substrings.map(normalizers.apply);
  return (value) => {
    const text = textValue(value);
    if (text === undefined) return incomparable("value", value, "a text");
    return passedIf(holds(normalizers.apply(text), substrings));
  };
}

/** The pattern occurs anywhere in the text. */
export function compileRegexMatch(check: CheckOf<"regex_match">): CompiledCheck {
  const regex = compileLinearRegex(check.pattern, check.flags);
  if ("problem" in regex) return unusableCheck(`The ${regex.part} cannot be used: ${regex.problem}.`);
  return (value) => {
    const text = textValue(value);
    return text === undefined ? incomparable("value", value, "a text") : passedIf(regex.find(text));
  };
}

/** The normalised text equals one of the values. */
export function compileOneOf(check: CheckOf<"one_of">): CompiledCheck {
  const normalizers = compileNormalizers(check.normalize ?? DEFAULT_NORMALIZERS);
  if ("problem" in normalizers) return unusableCheck(normalizers.problem);
  const allowed = new Set(check.values.map((value) => normalizers.apply(String(value))));
  return (value) => {
    const text = textValue(value);
    if (text === undefined) return incomparable("value", value, "a text");
    return passedIf(allowed.has(normalizers.apply(text)));
  };
}
