import type { CheckOf } from "./check.ts";
import { type CheckResult, type CompiledCheck, FAILED, passedIf } from "./check-result.ts";
import { incomparable } from "./incomparable.ts";
import { compileNormalizers, DEFAULT_NORMALIZERS } from "./normalize.ts";
import { textValue } from "./text-value.ts";
import { unusableCheck } from "./unusable-check.ts";
import { ValueSet } from "./value-set.ts";

type SetMode = NonNullable<CheckOf<"set_containment">["mode"]>;

/** The two arrays, compared as sets of values. */
export function compileSetContainment(check: CheckOf<"set_containment">): CompiledCheck {
  // An overlap of nothing would hold for any two lists, so 0 means 1.
  const holds = setComparison(check.mode ?? "exact", check.minOverlap || 1);
  return compareArrays((value, expected) => passedIf(holds(new ValueSet(value), new ValueSet(expected))));
}

function setComparison(mode: SetMode, minOverlap: number): (value: ValueSet, expected: ValueSet) => boolean {
  switch (mode) {
    case "exact":
      return (value, expected) => value.size === expected.size && value.isSubsetOf(expected);
    case "subset":
      return (value, expected) => value.isSubsetOf(expected);
    case "superset":
      return (value, expected) => expected.isSubsetOf(value);
    case "overlap":
      return (value, expected) => value.overlap(expected) >= minOverlap;
  }
}

/** The two arrays have the same normalised texts in the same order; null equals only null. */
export function compileOrderedMatch(check: CheckOf<"ordered_match">): CompiledCheck {
  const normalizers = compileNormalizers(check.normalize ?? DEFAULT_NORMALIZERS);
  if ("problem" in normalizers) return unusableCheck(normalizers.problem);
  const normalized = (item: unknown): string | null | undefined => {
    if (item === null || item === undefined) return null;
    const text = textValue(item);
    return text === undefined ? undefined : normalizers.apply(text);
  };
  return compareArrays((value, expected) => {
    if (value.length !== expected.length) return FAILED;
    let equal = true;
    for (let index = 0; index < value.length; index++) {
      const text = normalized(value[index]);
      if (text === undefined) return incomparable("value", value[index], "a text at each place");
      const expectedText = normalized(expected[index]);
      if (expectedText === undefined)
        return incomparable("expected value", expected[index], "a text at each place");
      if (text !== expectedText) equal = false;
    }
    return passedIf(equal);
  });
}

function compareArrays(
  compare: (value: readonly unknown[], expected: readonly unknown[]) => CheckResult,
): CompiledCheck {
  return (value, expected) => {
    if (!Array.isArray(value)) return incomparable("value", value, "an array");
    if (!Array.isArray(expected)) return incomparable("expected value", expected, "an array");
    return compare(value, expected);
  };
}
