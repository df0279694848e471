import { collapseWhiteSpace, strip } from "../text/text-value.ts";

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
interface DateParts {
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
function dateOf(parts: DateParts): DateValue | undefined {
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

/** A range of dates as instants. */
interface DateSpan {
  readonly start: number;
  readonly end: number;
  readonly endIncluded: boolean;
}

/** True if the instant is not behind the end of the span. */
export function isBeforeEnd(instant: number, span: DateSpan): boolean {
  return span.endIncluded ? instant <= span.end : instant < span.end;
}

/** The range of dates, or which of its bounds cannot be read. A bare date as `max` means the whole of that day. */
export function dateSpan(range: {
  readonly min?: string;
  readonly max?: string;
}): DateSpan | { readonly problem: string; readonly key: "min" | "max" } {
  const start = range.min === undefined ? Number.NEGATIVE_INFINITY : readDate(range.min)?.instant;
  if (start === undefined)
    return { problem: `${JSON.stringify(range.min)} cannot be read as a date.`, key: "min" };
  if (range.max === undefined) return { start, end: Number.POSITIVE_INFINITY, endIncluded: true };
  const max = readDate(range.max);
  if (max === undefined)
    return { problem: `${JSON.stringify(range.max)} cannot be read as a date.`, key: "max" };
  return { start, end: max.bare ? max.instant + 86_400_000 : max.instant, endIncluded: !max.bare };
}

/** From 1 to 12; 0 if there is no such month. */
function monthOfName(name: string): number {
  const written = name.toLowerCase();
  const wanted = written === "sept" ? "sep" : written;
  return MONTHS.findIndex((month) => month === wanted || month.slice(0, 3) === wanted) + 1;
}

/** A way of writing dates: reads a text that is written so, else gives undefined. */
interface DateFormat {
  read(value: unknown): DateValue | undefined;
}

type Part = Exclude<keyof DateParts, "offsetMinutes">;

interface Token {
  readonly part: Part;
  /** The number at the start of the text and how many characters it took. */
  read(text: string): readonly [number: number, length: number] | undefined;
}

/** One or two digits, as date formats of other languages read `dd`, too. */
const SHORT_NUMBER = /^\d{1,2}/;

const TOKENS: ReadonlyMap<string, Token> = new Map<string, Token>([
  ["yyyy", { part: "year", read: (text) => digits(text, /^\d{4}/) }],
  ["yy", { part: "year", read: (text) => shortYear(digits(text, /^\d{2}/)) }],
  ["MMMM", { part: "month", read: (text) => monthName(text, MONTHS) }],
  [
    "MMM",
    {
      part: "month",
      read: (text) =>
        monthName(
          text,
          MONTHS.map((month) => month.slice(0, 3)),
        ),
    },
  ],
  ...numberTokens("month", "M"),
  ...numberTokens("day", "d"),
  ...numberTokens("hour", "H"),
  ...numberTokens("minute", "m"),
  ...numberTokens("second", "s"),
]);

function numberTokens(part: Part, letter: string): [string, Token][] {
  const token: Token = { part, read: (text) => digits(text, SHORT_NUMBER) };
  return [
    [letter, token],
    [letter + letter, token],
  ];
}

function digits(text: string, pattern: RegExp): readonly [number, number] | undefined {
  const found = pattern.exec(text)?.[0];
  return found === undefined ? undefined : [Number(found), found.length];
}

/** POSIX: 69 to 99 are of the last century. */
function shortYear(read: readonly [number, number] | undefined): readonly [number, number] | undefined {
  return read === undefined ? undefined : [read[0] + (read[0] >= 69 ? 1900 : 2000), read[1]];
}

function monthName(text: string, names: readonly string[]): readonly [number, number] | undefined {
  const start = text.slice(0, 9).toLowerCase();
  const index = names.findIndex((name) => start.startsWith(name));
  return index < 0 ? undefined : [index + 1, (names[index] as string).length];
}

/** Prepares a format of Unicode date tokens (`dd/MM/yyyy HH:mm`, `yyyy-MM-dd'T'HH`), or says what is wrong with it. */
export function compileDateFormat(format: string): DateFormat | { readonly problem: string } {
  const pieces: (Token | string)[] = [];
  const seen = new Set<Part>();
  for (const [piece] of format.matchAll(/([A-Za-z])\1*|'(?:[^']|'')*'?|[^A-Za-z']+/g)) {
    if (!/^[A-Za-z]/.test(piece)) {
      if (piece.startsWith("'") && !isClosedQuote(piece))
        return { problem: "a quotation mark is not closed" };
      pieces.push(piece.startsWith("'") ? quotedText(piece) : piece);
      continue;
    }
    const token = TOKENS.get(piece);
    if (token === undefined) {
      return {
        problem: `${JSON.stringify(piece)} is not a date token; there are ${[...TOKENS.keys()].join(", ")}`,
      };
    }
    if (seen.has(token.part)) return { problem: `it has the ${token.part} twice` };
    seen.add(token.part);
    pieces.push(token);
  }
  if (!seen.has("year") && !seen.has("month") && !seen.has("day"))
    return { problem: "it has no year, month or day" };
  return { read: (value) => (typeof value === "string" ? readPieces(pieces, strip(value)) : undefined) };
}

function isClosedQuote(piece: string): boolean {
  return piece.split("'").length % 2 === 1;
}

/** `'o''clock'` is the text o'clock, and `''` alone is a quotation mark. */
function quotedText(piece: string): string {
  return piece === "''" ? "'" : piece.slice(1, -1).replaceAll("''", "'");
}

/** Parts that the format lacks are those of 1 January 2000 (a leap year, so that 29 February can be read). */
function readPieces(pieces: readonly (Token | string)[], text: string): DateValue | undefined {
  const parts: Partial<Record<Part, number>> = {};
  let rest = text;
  for (const piece of pieces) {
    if (typeof piece === "string") {
      if (!rest.startsWith(piece)) return undefined;
      rest = rest.slice(piece.length);
      continue;
    }
    const read = piece.read(rest);
    if (read === undefined) return undefined;
    parts[piece.part] = read[0];
    rest = rest.slice(read[1]);
  }
  return rest === "" ? dateOf({ year: 2000, month: 1, day: 1, ...parts }) : undefined;
}
