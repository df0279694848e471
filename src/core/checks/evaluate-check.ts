import { formatIssue } from "../schema/format-issue.ts";
import type { Issue } from "../schema/issue.ts";
import type { ObjectShape } from "../schema/shape.ts";
import { validateShape } from "../schema/validate-shape.ts";
import { words } from "../text/text-value.ts";
import { deepEqual, isRecord, ownValue, type UnknownRecord } from "../values/json.ts";
import type { Check, CheckOf, CheckType } from "./check.ts";
import {
  type CheckResult,
  type CompiledCheck,
  incomparable,
  notEvaluable,
  passedIf,
  unusableCheck,
} from "./check-result.ts";
import { CHECK_SHAPE, CHECK_SHAPES } from "./check-shapes.ts";
import { compileDateMatch, compileDateRange, compileDateTolerance } from "./date-checks.ts";
import { compileLinearRegex } from "./linear-regex.ts";
import {
  compileNumericExact,
  compileNumericGraded,
  compileNumericMaximum,
  compileNumericMinimum,
  compileNumericRange,
  compileNumericRangeGraded,
  compileNumericThresholdGraded,
  compileNumericTolerance,
  isInRange,
} from "./numeric-checks.ts";
import { compileOrderedMatch, compileSetContainment } from "./set-checks.ts";
import {
  compileContainsAll,
  compileContainsAny,
  compileExactMatch,
  compileOneOf,
  compileRegexMatch,
} from "./text-checks.ts";

const COMPILERS: { readonly [Type in CheckType]: (check: CheckOf<Type>) => CompiledCheck } = {
  boolean_match: compileBooleanMatch,
  exact_match: compileExactMatch,
  contains_any: compileContainsAny,
  contains_all: compileContainsAll,
  regex_match: compileRegexMatch,
  numeric_exact: compileNumericExact,
  numeric_tolerance: compileNumericTolerance,
  numeric_range: compileNumericRange,
  numeric_minimum: compileNumericMinimum,
  numeric_maximum: compileNumericMaximum,
  numeric_graded: compileNumericGraded,
  numeric_range_graded: compileNumericRangeGraded,
  numeric_threshold_graded: compileNumericThresholdGraded,
  set_containment: compileSetContainment,
  ordered_match: compileOrderedMatch,
  literal_match: compileLiteralMatch,
  date_match: compileDateMatch,
  date_tolerance: compileDateTolerance,
  date_range: compileDateRange,
  trace_regex: compileTraceRegex,
  trace_contains: compileTraceContains,
  trace_length: compileTraceLength,
  one_of: compileOneOf,
  is_null: compileIsNull,
  semantic_match: compileSemanticMatch,
};

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

/** Only frozen checks are cached: others may change. */
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
    return compiledChecks.get(check) ?? compileParameters(check);
  } catch {
    return unusableCheck("The check cannot be read.");
  }
}

function compileParameters(check: Check): CompiledCheck {
  const parameters = isRecord(check) ? withoutNulls(check) : check;
  const type = isRecord(parameters) ? ownValue(parameters, "type") : undefined;
  const known = typeof type === "string" && Object.hasOwn(COMPILERS, type);
  const problem = firstProblem(
    known ? parameterShape(CHECK_SHAPES[type as CheckType]) : CHECK_SHAPE,
    parameters,
  );
  if (!known || problem !== undefined) return unusableCheck(problem ?? "The check cannot be read.");
  // The parameters have just been found to be those of the check with this type.
  const compiler = COMPILERS[type as CheckType] as (check: unknown) => CompiledCheck;
  const compiled = withoutThrowing(compiler(parameters));
  if (isDeepFrozen(check)) compiledChecks.set(check, compiled);
  return compiled;
}

/** A parameter that is null counts as absent. */
function withoutNulls(check: UnknownRecord): UnknownRecord {
  return Object.fromEntries(
    Object.entries(check).filter(([, value]) => value !== null && value !== undefined),
  );
}

/**
 * The shape without rules over several parameters: a range with its bounds in the wrong order is an issue where it
 * is written, but there is no doubt what it says about a value. The compilers refuse what they cannot give a meaning.
 */
function parameterShape(shape: ObjectShape): ObjectShape {
  const { rule: _, ...withoutRule } = shape;
  return withoutRule;
}

function firstProblem(shape: Parameters<typeof validateShape>[0], value: unknown): string | undefined {
  const issues: Issue[] = [];
  validateShape(shape, value, [], (issue) => issues.push(issue));
  return issues[0] === undefined ? undefined : formatIssue(issues[0]);
}

/** Values come from anywhere: proxies and getters may throw, and very deep nesting exhausts the stack. */
function withoutThrowing(compiled: CompiledCheck): CompiledCheck {
  return (value, expected) => {
    try {
      return compiled(value, expected);
    } catch {
      return notEvaluable("The values cannot be read, or are nested too deeply to be compared.");
    }
  };
}

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}

/** Both are booleans and equal; null equals only null. */
export function compileBooleanMatch(): CompiledCheck {
  return (value, expected) => {
    if (typeof value === "boolean" && typeof expected === "boolean") return passedIf(value === expected);
    if (!isBooleanOrMissing(value)) return incomparable("value", value, "true or false");
    if (!isBooleanOrMissing(expected)) return incomparable("expected value", expected, "true or false");
    return passedIf((value ?? null) === (expected ?? null));
  };
}

function isBooleanOrMissing(value: unknown): boolean {
  return typeof value === "boolean" || value === null || value === undefined;
}

/** Equal by content, without any conversion. */
export function compileLiteralMatch(): CompiledCheck {
  return (value, expected) => passedIf(deepEqual(value ?? null, expected ?? null));
}

/** Null or missing. */
export function compileIsNull(): CompiledCheck {
  return (value) => passedIf(value === null || value === undefined);
}

/** Needs an embedding model, which only a run can bring. */
export function compileSemanticMatch(): CompiledCheck {
  return unusableCheck("A semantic match needs an embedding model, and none is configured here.");
}

/** Enough matches in the raw reply. */
function compileTraceRegex(check: CheckOf<"trace_regex">): CompiledCheck {
  const regex = compileLinearRegex(check.pattern);
  if ("problem" in regex) return unusableCheck(`The ${regex.part} cannot be used: ${regex.problem}.`);
  const enough = check.countMin ?? 1;
  return testReply(enough === 1 ? regex.find : (reply) => regex.count(reply, enough) >= enough);
}

/** The substring occurs in the raw reply as it is written. */
function compileTraceContains(check: CheckOf<"trace_contains">): CompiledCheck {
  return testReply((reply) => reply.includes(check.substring));
}

/** The length of the raw reply is inside the bounds. */
function compileTraceLength(check: CheckOf<"trace_length">): CompiledCheck {
  const { min, max, unit = "chars" } = check;
  const range = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  return testReply((reply) =>
    isInRange(unit === "words" ? words(reply).length : countCharacters(reply), range),
  );
}

/** Code points, as other languages count: an emoji is one, not the two units of its JavaScript string. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function testReply(holds: (reply: string) => boolean): CompiledCheck {
  return (value) =>
    typeof value === "string" ? passedIf(holds(value)) : incomparable("value", value, "the text of a reply");
}
