import { numberValue } from "../text/text-value.ts";
import type { CheckOf, Decay, DistanceMode, ParametersOf } from "./check.ts";
import {
  type CheckResult,
  type CompiledCheck,
  FAILED,
  incomparable,
  PASSED,
  passedIf,
  unusableCheck,
} from "./check-result.ts";

/** Equal numbers. */
export function compileNumericExact(): CompiledCheck {
  return compareNumbers((value, expected) => value === expected);
}

/** Near enough to the expected number. */
export function compileNumericTolerance(check: CheckOf<"numeric_tolerance">): CompiledCheck {
  const { tolerance, mode = "relative" } = check;
  return compareNumbers((value, expected) => distance(value, expected, mode) <= tolerance);
}

/** At least the expected number, or above it. */
export function compileNumericMinimum(check: CheckOf<"numeric_minimum">): CompiledCheck {
  return check.exclusive
    ? compareNumbers((value, expected) => value > expected)
    : compareNumbers((value, expected) => value >= expected);
}

/** At most the expected number, or below it. */
export function compileNumericMaximum(check: CheckOf<"numeric_maximum">): CompiledCheck {
  return check.exclusive
    ? compareNumbers((value, expected) => value < expected)
    : compareNumbers((value, expected) => value <= expected);
}

/** Inside the range; what is expected does not matter. */
export function compileNumericRange(check: CheckOf<"numeric_range">): CompiledCheck {
  return (value) => {
    const number = numberValue(value);
    return number === undefined
      ? incomparable("value", value, "a number")
      : passedIf(isInRange(number, check));
  };
}

/** True if the number is inside; a side without a bound is open, and bounds in the wrong order hold nothing. */
export function isInRange(number: number, range: ParametersOf<"numeric_range">): boolean {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = range;
  return (
    (range.exclusiveMin ? number > min : number >= min) && (range.exclusiveMax ? number < max : number <= max)
  );
}

/** How far the value is from what is expected; relative to zero, everything but zero is infinitely far. */
function distance(value: number, expected: number, mode: DistanceMode): number {
  const difference = Math.abs(value - expected);
  if (mode === "absolute" || difference === 0) return difference;
  return difference / Math.abs(expected);
}

function compareNumbers(holds: (value: number, expected: number) => boolean): CompiledCheck {
  return (value, expected) => {
    const left = numberValue(value);
    if (left === undefined) return incomparable("value", value, "a number");
    const right = numberValue(expected);
    if (right === undefined) return incomparable("expected value", expected, "a number");
    return passedIf(holds(left, right));
  };
}

/** Credit by the distance from the expected number. */
export function compileNumericGraded(check: CheckOf<"numeric_graded">): CompiledCheck {
  const { cutoff, fullCredit, mode = "relative", decay } = check;
  const inner = fullCredit ?? 0;
  if (inner >= cutoff) return unusableCheck("fullCredit must be below cutoff.");
  return (value, expected) => {
    const number = numberValue(value);
    if (number === undefined) return incomparable("value", value, "a number");
    const reference = numberValue(expected);
    if (reference === undefined) return incomparable("expected value", expected, "a number");
    const away = distance(number, reference, mode);
    return graded(away <= (fullCredit ?? cutoff), credit(away - inner, cutoff - inner, decay));
  };
}

/** Credit by the distance from a band; the bounds belong to the band for the score even where they do not pass. */
export function compileNumericRangeGraded(check: CheckOf<"numeric_range_graded">): CompiledCheck {
  const { min, max, margin, mode = "absolute", decay } = check;
  if (min >= max) return unusableCheck("min must be below max.");
  const shoulder = mode === "relative" ? margin * (max - min) : margin;
  return (value) => {
    const number = numberValue(value);
    if (number === undefined) return incomparable("value", value, "a number");
    return graded(isInRange(number, check), credit(Math.max(min - number, number - max), shoulder, decay));
  };
}

/** Credit by the distance beyond a limit; the limit itself has full credit even where it does not pass. */
export function compileNumericThresholdGraded(check: CheckOf<"numeric_threshold_graded">): CompiledCheck {
  const { direction, margin, mode = "relative", decay, exclusive = false } = check;
  return (value, expected) => {
    const number = numberValue(value);
    if (number === undefined) return incomparable("value", value, "a number");
    const limit = numberValue(expected);
    if (limit === undefined) return incomparable("expected value", expected, "a number");
    const beyond = direction === "max" ? number - limit : limit - number;
    const shoulder = mode === "relative" ? margin * Math.abs(limit) : margin;
    return graded(exclusive ? beyond < 0 : beyond <= 0, credit(beyond, shoulder, decay));
  };
}

/** 1 up to a distance of 0, falling to 0 at the end of the shoulder; a shoulder of 0 is a cliff. */
function credit(away: number, shoulder: number, decay: Decay = "linear"): number {
  if (away <= 0) return 1;
  if (!(away < shoulder)) return 0;
  const share = away / shoulder;
  return decay === "quadratic" ? 1 - share * share : 1 - share;
}

function graded(passes: boolean, score: number): CheckResult {
  if (passes && score === 1) return PASSED;
  if (!passes && score === 0) return FAILED;
  return { evaluable: true, passes, score };
}
