import type { CheckOf, Decay } from "./check.ts";
import { type CheckResult, type CompiledCheck, FAILED, PASSED } from "./check-result.ts";
import { incomparable } from "./incomparable.ts";
import { numberValue } from "./number-value.ts";
import { distance, isInRange } from "./numeric-checks.ts";
import { unusableCheck } from "./unusable-check.ts";

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
