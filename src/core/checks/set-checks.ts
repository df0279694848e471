import { textValue } from "../text/text-value.ts";
import { canonicalJson } from "../values/json.ts";
import type { CheckOf } from "./check.ts";
import {
  type CheckResult,
  type CompiledCheck,
  FAILED,
  incomparable,
  passedIf,
  unusableCheck,
} from "./check-result.ts";
import { compileNormalizers, DEFAULT_NORMALIZERS } from "./normalize.ts";

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

/** A set of JSON values by content: `{a: 1}` equals every other `{a: 1}`, and `1` is not `"1"`. */
export class ValueSet {
  /** Scalars stand for themselves; only arrays and objects are written out, which keeps big lists fast. */
  readonly #scalars = new Set<unknown>();
  readonly #structures = new Set<string>();

  constructor(values: Iterable<unknown>) {
    for (const value of values) {
      if (isScalar(value)) this.#scalars.add(value ?? null);
      else this.#structures.add(canonicalJson(value));
    }
  }

  get size(): number {
    return this.#scalars.size + this.#structures.size;
  }

  isSubsetOf(other: ValueSet): boolean {
    return this.overlap(other) === this.size;
  }

  /** How many values are in both. */
  overlap(other: ValueSet): number {
    return countCommon(this.#scalars, other.#scalars) + countCommon(this.#structures, other.#structures);
  }
}

function countCommon(left: ReadonlySet<unknown>, right: ReadonlySet<unknown>): number {
  let count = 0;
  for (const value of left) if (right.has(value)) count++;
  return count;
}

function isScalar(value: unknown): boolean {
  return value === null || (typeof value !== "object" && typeof value !== "function");
}
