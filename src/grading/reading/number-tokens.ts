import type { Mention } from "./mention.ts";
import { readSuffix } from "./number-suffix.ts";
import { matchesAt } from "./phrases.ts";
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

const COMMA_GROUPS = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const INDIAN_GROUPS = /^\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$/;
const DOT_GROUPS = /^\d{1,3}(?:\.\d{3})+,\d+$|^\d{1,3}(?:\.\d{3}){2,}$/;
const MARKED_GROUPS = /^\d{1,3}(?:(?:'\d{3})+|(?:_\d{3})+|(?:\u00a0\d{3})+)(?:[.,]\d+)?$/;
const PLAIN_SPACE_GROUPS = /^\d{1,3}(?: \d{3})+(?:[.,]\d+)?$/;

/**
 * The value of digits with separators; null if they can be read in two ways.
 *
 * A comma before groups of three, or before Indian groups, only groups; a dot begins decimals: `1,200` is 1200 and
 * `1.200` is 1.2. The continental way is read where it cannot be anything else: `1.200,50`, `1.200.500`, `1200,50`,
 * `0,5`; `3,5` could be two numbers and counts only if `decimalComma` says so (a currency or a unit
 * follows). Spaces group if they are no-break spaces, if there are several or decimals (`1 200,50`), or if what
 * follows could not be a number by itself (`12 000`).
 */
export function groupedNumber(digits: string, decimalComma: boolean): number | null {
  if (/^\d+(?:\.\d+)?$/.test(digits)) return Number(digits);
  if (/^0,\d+$/.test(digits)) return Number(digits.replace(",", "."));
  if (COMMA_GROUPS.test(digits) || INDIAN_GROUPS.test(digits)) return Number(digits.replaceAll(",", ""));
  if (DOT_GROUPS.test(digits)) return Number(digits.replaceAll(".", "").replace(",", "."));
  if (MARKED_GROUPS.test(digits)) return Number(digits.replace(/['_\u00a0]/g, "").replace(",", "."));
  if (PLAIN_SPACE_GROUPS.test(digits) && (digits.split(" ").length > 2 || / 0|[.,]/.test(digits))) {
    return Number(digits.replaceAll(" ", "").replace(",", "."));
  }
  const sure = /^\d{4,},\d{1,2}$/.test(digits) || (decimalComma && /^\d+,(?:\d{1,2}|\d{4,})$/.test(digits));
  return sure ? Number(digits.replace(",", ".")) : null;
}

/** Ranges, sums, products, powers, ratios, times and dates go on like this. */
const GOES_ON =
  / ?(?:–|-|~|±|\+ ?\/ ?-) ?[$€£¥₹]?\d| (?:to|bis) [$€£¥₹]?\d| ?[+*×÷·^] ?[$€£(]?[-\d(x√]| [a-z]+ [+×÷] ?[$€£]?\d| ?[√π∞]| ?\.?\\(?!boxed|end|begin)[a-z]| \/ ?[$€£(]?[\d(]| x ?[$€£(]?\d|[x×]\d|\^| ?\*\*| (?:minus|plus|times|divided by|multiplied by) \d| and an? (?:half|third|quarter)| (?:or|and) (?:more|less|higher|lower|fewer|above|below|greater|over|under|up)(?![a-z])|\+(?!\d)|:\d|\/[\d(]/y;
/** Ordinals, times of day, coefficients and identifiers. */
const GLUED =
  /(?:st|nd|rd|th)(?![a-z])| ?(?:a\.?m|p\.?m)(?![a-z])|[a-z]+\d|(?<=\d{3})s(?![a-z])|[abdeinopqruxyz](?![a-z])/iy;
/** "5M" may be millions or molar. */
const BARE_SCALE = /[MBT](?![A-Za-z])/y;
/** Shares: "3 in 4", "20% of 80"; a year is no share. */
const SHARE =
  /(?: ?(?:%|percent|per cent))? (?:of|out of|in)(?: the| every)? [$€£]?(?!(?:1\d|20)\d\d(?!\d))\d/iy;
/** Multiples in languages where the same word means different things. */
const FOREIGN_SCALE =
  / ?(?:mill(?:ion|iard|ón|one|ões|oni)|bill(?:ion|ón|one|ões)|trill(?:ion|ón|one))[a-zé]*/iy;

/** Quantities of two numbers: "8 minutes and 20 seconds", "5 ft 10 in", "3 km to 5 km". */
const COMPOUND =
  / ?(?:(?:years?|months?|weeks?|days?|hours?|hrs?|h|minutes?|mins?|min|feet|foot|ft|pounds?|lbs?|dollars?|euros?|degrees?|meters?|metres?|m|kg|km)\.?,?(?: and)? \d+(?:\.\d+)? ?(?:months?|weeks?|days?|hours?|hrs?|minutes?|mins?|min|seconds?|secs?|sec|s|m|inch(?:es)?|in|oz|ounces?|cents?|pence|cm|g)(?![a-z])|[a-z%°]{1,12} (?:to|–|-) [$€£]?\d[\d.,]*|['′] ?\d+(?:["″]|''|(?!\d)))/y;

const BEFORE = new RegExp(
  [
    // A term of a sum, a product, a range.
    "[\\d%)] ?(?:[+*×÷·–~-]|\\*\\*|\\+ ?\\/ ?-) ?",
    "\\d ?\\^ ?",
    "[×÷·√±]\\{? ?",
    "[^\\n] ?[+×÷·*] ",
    "\\) ?\\/ ?",
    "\\d [x/] ?",
    "\\d\\/ ?",
    "[\\d%] ?(?:to|bis) ",
    "\\d(?: ?%| percent)? (?:of|out of|in)(?: the| every)? ",
    "\\d (?:minus|plus|times|divided by|multiplied by) ",
    "\\d(?: ?[a-z]+){1,2} (?:in|within|every|per) ",
    "between (?:[^\\n.]{1,20} and )?",
    // Only a bound.
    "(?<![=-]|^|\\n|<[a-z_/]{1,20})>=? ?",
    "<=? ?",
    "(?:[≤≥≠]|!=) ?",
    "(?:more|less|fewer|greater|higher|lower|larger|smaller|bigger|longer|shorter|older|younger) than (?:the )?",
    "(?:at (?:least|most)|up to|over|under|above|below|exceeds|minimum of|maximum of) ",
    // An operation that was not carried out.
    "(?:double|twice|triple|half(?: of)?|(?:root|square|cube|power|factorial|third|quarter|percent) of) ",
    "(?:sum|product|difference|ratio|average|multiples?|factors?) (?:of|between) ",
    "(?:divisible|divided|multiplied) by ",
  ]
    .map((part) => `(?:${part})`)
    .join("|")
    .replace(/^(.*)$/s, "(?:$1)[$€£]?$"),
);

/** True if a number is only a part of something else, or a bound. */
export function isPartOfMore(text: string, start: number, end: number, signed: boolean): boolean {
  const before = text.slice(Math.max(0, start - 32), start).toLowerCase();
  if (BEFORE.test(before) || (signed && /[\d)] ?$/.test(before))) return true;
  if (matchesAt(BARE_SCALE, text, end)) return true;
  return [GOES_ON, GLUED, SHARE, FOREIGN_SCALE].some((pattern) => matchesAt(pattern, text, end));
}

/** Where a quantity of several numbers ends, if the number that ends here begins one. */
export function endOfCompound(lower: string, end: number): number | undefined {
  COMPOUND.lastIndex = end;
  const match = COMPOUND.exec(lower);
  return match === null ? undefined : end + match[0].length;
}
