import { collapseWhiteSpace } from "./white-space.ts";

/** A date that was read from text. */
export interface DateValue {
  /** The calendar date as it was written, in its own zone. */
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Milliseconds since 1970 in UTC; a date without a zone is in UTC. */
  readonly instant: number;
  /** True if no time of day was written. */
  readonly bare: boolean;
}

/** The parts of a date as they were written; without `hour` it has no time of day. */
export interface DateParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour?: number;
  readonly minute?: number;
  /** May have a fraction. */
  readonly second?: number;
  readonly offsetMinutes?: number;
}

/** The names of the months in English, in lower case; the first three letters are their short names. */
export const MONTHS: readonly string[] =
  "january february march april may june july august september october november december".split(" ");

/** The date of these parts; undefined if there is no such date (30 February) or time (25:00). */
export function dateOf(parts: DateParts): DateValue | undefined {
  const { year, month, day, hour = 0, minute = 0, second = 0, offsetMinutes = 0 } = parts;
  if (!(year >= 1 && year <= 9999 && hour < 24 && minute < 60 && second < 60)) return undefined;
  // The constructor of Date would take the years 1 to 99 for 1901 to 1999.
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  // Rounded to nanoseconds, so that 15.123 s are 15,123 ms and not a little more.
  const instant =
    midnight.getTime() + (hour * 60 + minute - offsetMinutes) * 60_000 + Math.round(second * 1e9) / 1e6;
  return { year, month, day, instant, bare: parts.hour === undefined };
}

const ZONE = "(?<zone>[Zz]|(?<sign>[+-])(?<zoneHour>\\d{2})(?::?(?<zoneMinute>\\d{2}))?)?";
const SECOND = "(?<second>\\d{2})(?:[.,](?<fraction>\\d+))?";

const FORMS: readonly RegExp[] = [
  new RegExp(
    `^(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})(?:[Tt ](?<hour>\\d{2})(?::(?<minute>\\d{2})(?::${SECOND})?)?${ZONE})?$`,
  ),
  new RegExp(
    `^(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})(?:[Tt](?<hour>\\d{2})(?:(?<minute>\\d{2})(?:${SECOND})?)?${ZONE})?$`,
  ),
  /^(?<name>[a-z]+)\.? (?<day>\d{1,2})(?:st|nd|rd|th)?(?:, ?| )(?<year>\d{4})$/i,
  /^(?<day>\d{1,2})(?:st|nd|rd|th)? (?:of )?(?<name>[a-z]+)\.?(?:, ?| )(?<year>\d{4})$/i,
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})$/,
];

const MAX_LENGTH = 64;

/**
 * Reads a date: ISO 8601, `March 1, 2024`, `1 March 2024` or `3/1/2024` (the month first).
 * Anything else, and what is not text, is undefined.
 */
export function readDate(value: unknown): DateValue | undefined {
  if (typeof value !== "string") return undefined;
  const text = collapseWhiteSpace(value);
  if (text.length > MAX_LENGTH) return undefined;
  for (const form of FORMS) {
    const groups = form.exec(text)?.groups;
    if (groups !== undefined) return dateOfGroups(groups);
  }
  return undefined;
}

function dateOfGroups(groups: Readonly<Record<string, string | undefined>>): DateValue | undefined {
  const { hour, minute, second, fraction, sign, zoneHour, zoneMinute } = groups;
  const offset = Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0);
  if (Number(zoneHour ?? 0) > 23 || Number(zoneMinute ?? 0) > 59) return undefined;
  return dateOf({
    year: Number(groups.year),
    month: groups.name === undefined ? Number(groups.month) : monthOfName(groups.name),
    day: Number(groups.day),
    ...(hour === undefined ? {} : { hour: Number(hour) }),
    minute: Number(minute ?? 0),
    second: Number(`${second ?? 0}.${fraction ?? 0}`),
    offsetMinutes: sign === "-" ? -offset : offset,
  });
}

/** From 1 to 12; 0 if there is no such month. */
function monthOfName(name: string): number {
  const written = name.toLowerCase();
  const wanted = written === "sept" ? "sep" : written;
  return MONTHS.findIndex((month) => month === wanted || month.slice(0, 3) === wanted) + 1;
}
