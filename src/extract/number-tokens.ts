import { groupedNumber } from "./digit-groups.ts";
import type { Mention } from "./mention.ts";
import { endOfCompound, isPartOfMore } from "./number-doubt.ts";
import { readSuffix } from "./number-suffix.ts";
import type { ReplyText } from "./reply-text.ts";

/** A number in a reply; null if it cannot be read as one number: a range, a date, a term of a sum. */
export interface NumberToken extends Mention<number | null> {
  /** A fraction counts only where it is all of the answer. */
  readonly fraction: boolean;
  /** Words instead of digits. */
  readonly words?: boolean;
}

// Digits with separators between them. What stands before may make a name of them: "BCL2", "COVID-19", "x^2".
const DIGITS =
  /(?<![\d.,_^√\\]|[a-z\u00c0-\u024f\u0370-\u052f]|[a-z]-|\d[:/])(?<sign>[-+](?=[$€£¥₹]?[\d.½¼¾⅓⅔⅛]))?(?<money>[$€£¥₹] ?(?<inner>[-+])?)?(?:(?<digits>\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d{1,2}(?![\d,]))?|\d+(?:[.,'_\u00a0]\d+)*|\.\d+)(?<vulgar> ?[½¼¾⅓⅔⅛])?|(?<only>[½¼¾⅓⅔⅛]))/g;

const VULGAR: ReadonlyMap<string, number> = new Map([
  ["½", 1 / 2],
  ["¼", 1 / 4],
  ["¾", 3 / 4],
  ["⅓", 1 / 3],
  ["⅔", 2 / 3],
  ["⅛", 1 / 8],
]);

/** What shows that a comma before it began decimals. */
const DECIMAL_UNIT =
  / ?(?:[€£%°]|(?:euros?|eur|prozent|percent|km|kg|cm|mm|ml|m|g|l|mio|mrd|million)(?![a-z]))/y;

/** Finds the numbers that a reply writes in digits. */
export function numberTokens({ text, lower }: ReplyText): NumberToken[] {
  const tokens: NumberToken[] = [];
  for (const match of lower.matchAll(DIGITS)) {
    if (match.index < (tokens.at(-1)?.end ?? 0)) continue;
    tokens.push(tokenOf(text, lower, match));
  }
  return tokens;
}

function tokenOf(text: string, lower: string, match: RegExpExecArray): NumberToken {
  const { sign, inner, money, digits = "", vulgar, only } = match.groups ?? {};
  const start = match.index;
  const end = start + match[0].length;
  DECIMAL_UNIT.lastIndex = end;
  const whole =
    digits === ""
      ? 0
      : groupedNumber(digits.replace(/^\./, "0."), money !== undefined || DECIMAL_UNIT.test(lower));
  const part = VULGAR.get((vulgar ?? only ?? "").trim()) ?? 0;
  const read = readSuffix(
    lower,
    { value: whole === null ? null : whole + part, end, fraction: part > 0 },
    money !== undefined,
  );
  const compound = endOfCompound(lower, read.end);
  const unclear = compound !== undefined || isPartOfMore(text, start, read.end, sign !== undefined);
  const negative =
    sign === "-" ||
    inner === "-" ||
    /\b(?:minus|negative) $/.test(lower.slice(Math.max(0, start - 10), start));
  const value =
    unclear || read.value === null || !Number.isFinite(read.value)
      ? null
      : negative
        ? 0 - read.value
        : read.value;
  return { value, start, end: compound ?? read.end, fraction: read.fraction };
}
