import type { CheckOf, DistanceMode, ParametersOf } from "./check.ts";
import { type CompiledCheck, passedIf } from "./check-result.ts";
import { incomparable } from "./incomparable.ts";
import { numberValue } from "./number-value.ts";

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
export function distance(value: number, expected: number, mode: DistanceMode): number {
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
