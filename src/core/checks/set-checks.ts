import { textValue } from "../text/text-value.ts";
import { canonicalJson } from "../values/json.ts";
import type { CheckOf } from "./check.ts";
import { type CompiledCheck, FAILED, incomparable, pairCheck, passedIf } from "./check-result.ts";
import { normalizer } from "./normalize.ts";

/** The two arrays, compared as sets of values. */
export function compileSetContainment(check: CheckOf<"set_containment">): CompiledCheck {
  const { mode = "exact" } = check;
  // An overlap of nothing would hold for any two lists, so 0 means 1.
  const minOverlap = check.minOverlap || 1;
  return pairCheck(arrayValue, "an array", (value, expected) => {
    const [found, wanted] = [valueSet(value), valueSet(expected)];
    let common = 0;
    for (const key of found) if (wanted.has(key)) common++;
    if (mode === "overlap") return passedIf(common >= minOverlap);
    const hasAll = mode === "subset" || common === wanted.size;
    const hasNoOther = mode === "superset" || common === found.size;
    return passedIf(hasAll && hasNoOther);
  });
}

/** The two arrays have the same normalised texts in the same order; null equals only null. */
export function compileOrderedMatch(check: CheckOf<"ordered_match">): CompiledCheck {
  const normalize = normalizer(check.normalize);
  const textOf = (item: unknown): string | null | undefined => {
    if (item === null || item === undefined) return null;
    const text = textValue(item);
    return text === undefined ? undefined : normalize(text);
  };
  return pairCheck(arrayValue, "an array", (value, expected) => {
    if (value.length !== expected.length) return FAILED;
    const [found, wanted] = [value.map(textOf), expected.map(textOf)];
    for (const [side, texts, items] of [
      ["value", found, value],
      ["expected value", wanted, expected],
    ] as const) {
      const wrong = texts.indexOf(undefined);
      if (wrong !== -1) return incomparable(side, items[wrong], "a text at each place");
    }
    return passedIf(found.every((text, index) => text === wanted[index]));
  });
}

function arrayValue(value: unknown): readonly unknown[] | undefined {
  // Its length is all that is known of an array with holes.
  return Array.isArray(value) ? Array.from(value) : undefined;
}

/**
 * The different values of a list, by content: `{a: 1}` equals every other `{a: 1}`, and `1` is not `"1"`. Only arrays and objects
 * are written out, which keeps big lists fast; no text of a list begins like them.
 */
function valueSet(values: readonly unknown[]): ReadonlySet<unknown> {
  return new Set(
    values.map((value) =>
      typeof value === "object" && value !== null ? `\u0000json ${canonicalJson(value)}` : (value ?? null),
    ),
  );
}
