import type { CheckOf } from "./check.ts";
import {
  type CheckResult,
  type CompiledCheck,
  describeValue,
  FAILED,
  passedIf,
  unusableCheck,
} from "./check-result.ts";
import { compileDateFormat, type DateValue, dateSpan, isBeforeEnd, readDate } from "./date-value.ts";

const UNITS = { days: 86_400_000, hours: 3_600_000, minutes: 60_000 } as const;

/** The same calendar day, each side as it was written. */
export function compileDateMatch(check: CheckOf<"date_match">): CompiledCheck {
  const format = check.format === undefined ? { read: readDate } : compileDateFormat(check.format);
  if ("problem" in format) return unusableCheck(`The format cannot be used: ${format.problem}.`);
  return compareDates(
    format.read,
    (value, expected) =>
      value.year === expected.year && value.month === expected.month && value.day === expected.day,
  );
}

/** Not further apart than the tolerance. */
export function compileDateTolerance(check: CheckOf<"date_tolerance">): CompiledCheck {
  const tolerance = check.tolerance * UNITS[check.unit ?? "days"];
  return compareDates(readDate, (value, expected) => Math.abs(value.instant - expected.instant) <= tolerance);
}

/** From `min` to `max`, both included. */
export function compileDateRange(check: CheckOf<"date_range">): CompiledCheck {
  const span = dateSpan(check);
  if ("problem" in span) return unusableCheck(span.problem);
  return (value) => {
    const date = readDate(value);
    if (date === undefined) return unreadable("value", value);
    return passedIf(date.instant >= span.start && isBeforeEnd(date.instant, span));
  };
}

function compareDates(
  read: (value: unknown) => DateValue | undefined,
  holds: (value: DateValue, expected: DateValue) => boolean,
): CompiledCheck {
  return (value, expected) => {
    const date = read(value);
    if (date === undefined) return unreadable("value", value);
    const expectedDate = read(expected);
    if (expectedDate === undefined) return unreadable("expected value", expected);
    return passedIf(holds(date, expectedDate));
  };
}

/** What is not a date is a wrong answer, not an unknown one. */
function unreadable(side: "value" | "expected value", found: unknown): CheckResult {
  return { ...FAILED, reason: `The ${side} is ${describeValue(found)}, which cannot be read as a date.` };
}
