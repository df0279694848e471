import { numberValue } from "../text/text-value.ts";
import type { CheckOf, Decay, DistanceMode, ParametersOf } from "./check.ts";
import {
  type CheckResult,
  type CompiledCheck,
  FAILED,
  PASSED,
  pairCheck,
  passedIf,
  unusableCheck,
  valueCheck,
} from "./check-result.ts";

/** Compares two numbers. */
export function compareNumbers(holds: (value: number, expected: number) => boolean): CompiledCheck {
  return pairCheck(numberValue, "a number", (value, expected) => passedIf(holds(value, expected)));
}

/** Near enough to the expected number. */
export function compileNumericTolerance(check: CheckOf<"numeric_tolerance">): CompiledCheck {
  const { tolerance, mode = "relative" } = check;
  return compareNumbers((value, expected) => distance(value, expected, mode) <= tolerance);
}

/** Inside the range; what is expected does not matter. */
export function compileNumericRange(check: CheckOf<"numeric_range">): CompiledCheck {
  return valueCheck(numberValue, "a number", (number) => passedIf(isInRange(number, check)));
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

/** Credit by the distance from the expected number. */
export function compileNumericGraded(check: CheckOf<"numeric_graded">): CompiledCheck {
  const { cutoff, fullCredit, mode = "relative", decay } = check;
  const inner = fullCredit ?? 0;
  if (inner >= cutoff) return unusableCheck("fullCredit must be below cutoff.");
  return pairCheck(numberValue, "a number", (value, expected) => {
    const away = distance(value, expected, mode);
    return graded(away <= (fullCredit ?? cutoff), credit(away - inner, cutoff - inner, decay));
  });
}

/** Credit by the distance from a band; the bounds belong to the band for the score even where they do not pass. */
export function compileNumericRangeGraded(check: CheckOf<"numeric_range_graded">): CompiledCheck {
  const { min, max, margin, mode = "absolute", decay } = check;
  if (min >= max) return unusableCheck("min must be below max.");
  const shoulder = mode === "relative" ? margin * (max - min) : margin;
  return valueCheck(numberValue, "a number", (number) =>
    graded(isInRange(number, check), credit(Math.max(min - number, number - max), shoulder, decay)),
  );
}

/** Credit by the distance beyond a limit; the limit itself has full credit even where it does not pass. */
export function compileNumericThresholdGraded(check: CheckOf<"numeric_threshold_graded">): CompiledCheck {
  const { direction, margin, mode = "relative", decay, exclusive = false } = check;
  return pairCheck(numberValue, "a number", (number, limit) => {
    const beyond = direction === "max" ? number - limit : limit - number;
    const shoulder = mode === "relative" ? margin * Math.abs(limit) : margin;
    return graded(exclusive ? beyond < 0 : beyond <= 0, credit(beyond, shoulder, decay));
  });
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
