import { formatIssue } from "../schema/format-issue.ts";
import type { Issue } from "../schema/issue.ts";
import type { Shape } from "../schema/shape.ts";
import { validateShape } from "../schema/validate-shape.ts";
import { deepEqual, isRecord, ownValue } from "../values/json.ts";
import { CHECK_SHAPE, CHECK_SHAPES, type Check, type CheckOf, type CheckType } from "./check.ts";
import {
  type CheckResult,
  type CompiledCheck,
  notEvaluable,
  pairCheck,
  passedIf,
  unusableCheck,
} from "./check-result.ts";
import { compileDateMatch, compileDateRange, compileDateTolerance } from "./date-checks.ts";
import {
  compareNumbers,
  compileNumericGraded,
  compileNumericRange,
  compileNumericRangeGraded,
  compileNumericThresholdGraded,
  compileNumericTolerance,
} from "./numeric-checks.ts";
import { compileOrderedMatch, compileSetContainment } from "./set-checks.ts";
import {
  compileContains,
  compileExactMatch,
  compileOneOf,
  compileRegexMatch,
  compileTraceContains,
  compileTraceLength,
  compileTraceRegex,
} from "./text-checks.ts";

const COMPILERS: { readonly [Type in CheckType]: (check: CheckOf<Type>) => CompiledCheck } = {
  boolean_match: () =>
    pairCheck(booleanOrNull, "true or false", (value, expected) => passedIf(value === expected)),
  exact_match: compileExactMatch,
  contains_any: compileContains,
  contains_all: compileContains,
  regex_match: compileRegexMatch,
  numeric_exact: () => compareNumbers((value, expected) => value === expected),
  numeric_tolerance: compileNumericTolerance,
  numeric_range: compileNumericRange,
  numeric_minimum: ({ exclusive }) =>
    compareNumbers((value, expected) => (exclusive ? value > expected : value >= expected)),
  numeric_maximum: ({ exclusive }) =>
    compareNumbers((value, expected) => (exclusive ? value < expected : value <= expected)),
  numeric_graded: compileNumericGraded,
  numeric_range_graded: compileNumericRangeGraded,
  numeric_threshold_graded: compileNumericThresholdGraded,
  set_containment: compileSetContainment,
  ordered_match: compileOrderedMatch,
  literal_match: () => (value, expected) => passedIf(deepEqual(value ?? null, expected ?? null)),
  date_match: compileDateMatch,
  date_tolerance: compileDateTolerance,
  date_range: compileDateRange,
  trace_regex: compileTraceRegex,
  trace_contains: compileTraceContains,
  trace_length: compileTraceLength,
  one_of: compileOneOf,
  is_null: () => (value) => passedIf(value === null || value === undefined),
  // Only a run can bring one.
  semantic_match: () =>
    unusableCheck("A semantic match needs an embedding model, and none is configured here."),
};

function booleanOrNull(value: unknown): boolean | null | undefined {
  if (value === null || value === undefined) return null;
  return typeof value === "boolean" ? value : undefined;
}

/** Checks that do not look at what is expected. */
const WITHOUT_TRUTH: ReadonlySet<CheckType> = new Set([
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
] satisfies CheckType[]);

/** True for a check that compares with the expected value, false for one that ignores it. */
export function usesTruth(check: Check): boolean {
  return !WITHOUT_TRUTH.has(check.type);
}

/** Checks of definitions are used for every turn. Only frozen checks are cached: others may change. */
const compiledChecks = new WeakMap<object, CompiledCheck>();

/**
 * Compares a value with what is expected: `evaluateCheck({ type: "numeric_range", min: 3 }, 4, null)`.
 * Never throws: what cannot be compared is not evaluable, with a reason.
 */
export function evaluateCheck(check: Check, value: unknown, expected: unknown): CheckResult {
  return compileCheck(check)(value, expected);
}

/** Prepares a check for repeated use. Neither this nor what it returns ever throws. */
export function compileCheck(check: Check): CompiledCheck {
  try {
    const known = compiledChecks.get(check);
    if (known !== undefined) return known;
    const compiled = compileParameters(check);
    if (isRecord(check) && isDeepFrozen(check)) compiledChecks.set(check, compiled);
    return compiled;
  } catch {
    return unusableCheck("The check cannot be read.");
  }
}

function compileParameters(check: Check): CompiledCheck {
  // A parameter that is null counts as absent.
  const parameters: unknown = isRecord(check)
    ? Object.fromEntries(Object.entries(check).filter(([, value]) => (value ?? null) !== null))
    : check;
  const type = isRecord(parameters) ? ownValue(parameters, "type") : undefined;
  const known = typeof type === "string" && Object.hasOwn(COMPILERS, type) ? (type as CheckType) : undefined;
  let shape: Shape = CHECK_SHAPE;
  if (known !== undefined) {
    // Without rules over several parameters: a range with its bounds in the wrong order is an issue where it is written,
    // but there is no doubt what it says about a value. The compilers refuse what they cannot give a meaning.
    const { rule: _, ...withoutRule } = CHECK_SHAPES[known];
    shape = withoutRule;
  }
  const issues: Issue[] = [];
  validateShape(shape, parameters, [], (issue) => issues.push(issue));
  if (issues[0] !== undefined) return unusableCheck(formatIssue(issues[0]));
  // The parameters have just been found to be those of the check with this type.
  const compiled = (COMPILERS[known as CheckType] as (check: unknown) => CompiledCheck)(parameters);
  return (value, expected) => {
    try {
      return compiled(value, expected);
    } catch {
      // Values come from anywhere: proxies and getters may throw, and very deep nesting exhausts the stack.
      return notEvaluable("The values cannot be read, or are nested too deeply to be compared.");
    }
  };
}

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}
