/** A number in a text. */
interface NumberToken {
  /** Null if it cannot be read as one number: a range, a date, a term of a sum. */
  readonly value: number | null;
  readonly start: number;
  readonly end: number;
  /** A fraction counts only where it is all of the answer. */
  readonly fraction: boolean;
  /** Words instead of digits. */
  readonly words?: boolean;
}

// Digits with separators between them. What stands before may make a name of them: "BCL2", "COVID-19", "x^2".
const DIGITS =
  /(?<![\d.,_^√\\]|[a-z\u00c0-\u024f\u0370-\u052f]|[a-z]-|\d[:/])(?<sign>(?:[-+]|(?<=(?:^|[^\d\s%]) ?)–)(?=[$€£¥₹]?[\d.½¼¾⅓⅔⅛]))?(?<money>[$€£¥₹] ?(?<inner>[-+])?)?(?:(?<digits>\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d{1,2}(?![\d,]))?|\d+(?:[.,'_\u00a0]\d+)*|\.\d+)(?<vulgar> ?[½¼¾⅓⅔⅛])?|(?<only>[½¼¾⅓⅔⅛]))/g;

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

/** A text without markup, and the same in lower case, character for character. */
interface TextForNumbers {
  readonly text: string;
  readonly lower: string;
}

/** Finds the numbers that a text writes in digits. */
export function numberTokens({ text, lower }: TextForNumbers): NumberToken[] {
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
    sign === "–" ||
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
  / ?(?:–|-|~|±|\+ ?\/ ?-) ?[$€£¥₹]?\d| (?:to|bis) [$€£¥₹]?\d| ?[+*×÷·^] ?[$€£(]?[-\d(x√]| [a-z]+ [+×÷] ?[$€£]?\d| ?[√π∞]| ?\.?\\(?!boxed|end|begin)[a-z]| \/ ?[$€£(]?[\d(]| x ?[$€£(]?\d|[x×]\d|\^| ?\*\*| (?:minus|plus|times|divided by|multiplied by) \d| and an? (?:half|third|quarter)| (?:squared|cubed|factorial)(?![a-z])| (?:or|and) (?:more|less|higher|lower|fewer|above|below|greater|over|under|up)(?![a-z])|\+(?!\d)|:\d|\/[\d(]/y;
/** Ordinals, times of day, coefficients and identifiers. */
const GLUED =
  /(?:st|nd|rd|th)(?![a-z])| ?(?:a\.?m|p\.?m)(?![a-z])|[a-z]+\d|(?<=\d{3})s(?![a-z])|[abdeinopqruxyz](?![a-z])/iy;
/** "5M" may be millions or molar. */
const BARE_SCALE = /[MBT](?![A-Za-z])/y;
/** Shares: "3 in 4", "20% of 80"; a year is no share. */
const SHARE =
  /(?: ?(?:%|percent|per cent))? (?:of|out of|in)(?: the| every)? [$€£]?(?!(?:1\d|20)\d\d(?!\d))\d/iy;
/** Dozens, which may be counted as one or as twelve, and multiples whose word means different things in other languages. */
const FOREIGN_SCALE =
  /[ -]dozens?| ?(?:mill(?:ion|iard|ón|one|ões|oni)|bill(?:ion|ón|one|ões)|trill(?:ion|ón|one))[a-zé]*/iy;

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
function isPartOfMore(text: string, start: number, end: number, signed: boolean): boolean {
  const before = text.slice(Math.max(0, start - 32), start).toLowerCase();
  if (BEFORE.test(before) || (signed && /[\d)] ?$/.test(before))) return true;
  if (matchesAt(BARE_SCALE, text, end)) return true;
  return [GOES_ON, GLUED, SHARE, FOREIGN_SCALE].some((pattern) => matchesAt(pattern, text, end));
}

function matchesAt(pattern: RegExp, text: string, position: number): boolean {
  pattern.lastIndex = position;
  return pattern.test(text);
}

/** Where a quantity of several numbers ends, if the number that ends here begins one. */
function endOfCompound(lower: string, end: number): number | undefined {
  COMPOUND.lastIndex = end;
  const match = COMPOUND.exec(lower);
  return match === null ? undefined : end + match[0].length;
}

/** A number so far: its value (null if it cannot be read) and where it ends. */
interface NumberSoFar {
  readonly value: number | null;
  readonly end: number;
  /** True if a fraction is part of it. */
  readonly fraction: boolean;
}

const EXPONENT = /e([+-]?\d{1,3})(?![a-z0-9])/y;
const POWER_OF_TEN = / ?[×x*·] ?10 ?(?:\^ ?\(?|\*\*)([+-]?\d{1,3})\)?/y;
const OWN_POWER = /\^\(?([+-]?\d{1,3})\)?(?![\d.])/y;
const FRACTION = / ?[/⁄] ?(\d{1,15})(?![\d/]|[.,]\d| ?[/=+*×])/y;
const MIXED = / (\d{1,6})[/⁄](\d{1,6})(?![\d/]|[.,]\d)/y;
const PERCENT = / ?(?:%|(?:percent|per cent|prozent)(?![a-z]))/y;
const SCALE =
  /[ -](hundred|thousand|million|billion|trillion|lakh|crore|mio|mrd|bn|mn|mln)s?(?![a-z])\.?|(k)(?![a-z0-9])/y;
const MONEY_SCALE = /(mm|m|bn|b)(?![a-z0-9])/y;

const SCALES: Readonly<Record<string, number>> = {
  hundred: 1e2,
  k: 1e3,
  thousand: 1e3,
  lakh: 1e5,
  m: 1e6,
  mm: 1e6,
  mn: 1e6,
  mln: 1e6,
  mio: 1e6,
  million: 1e6,
  crore: 1e7,
  b: 1e9,
  bn: 1e9,
  mrd: 1e9,
  billion: 1e9,
  trillion: 1e12,
};

/** Reads on after the digits: exponents, powers of ten, fractions, percent signs (`50%` is 50) and multiples (`3k`). */
function readSuffix(lower: string, so: NumberSoFar, money: boolean): NumberSoFar {
  if (so.value === null) return so;
  const { value } = so;
  const exponent = at(EXPONENT, lower, so.end) ?? at(POWER_OF_TEN, lower, so.end);
  if (exponent !== undefined) return { ...so, value: scaled(value, Number(exponent[1])), end: exponent.end };
  const power = value === 10 ? at(OWN_POWER, lower, so.end) : undefined;
  if (power !== undefined) return { ...so, value: scaled(1, Number(power[1])), end: power.end };
  const fraction = readFraction(lower, so);
  const percent = at(PERCENT, lower, fraction.end);
  return percent === undefined ? readScales(lower, fraction, money) : { ...fraction, end: percent.end };
}

function readFraction(lower: string, so: NumberSoFar): NumberSoFar {
  if (so.value === null || so.fraction || !Number.isInteger(so.value)) return so;
  const mixed = at(MIXED, lower, so.end);
  if (mixed !== undefined && Number(mixed[2]) > 0) {
    return { value: so.value + Number(mixed[1]) / Number(mixed[2]), end: mixed.end, fraction: true };
  }
  const fraction = at(FRACTION, lower, so.end);
  if (fraction === undefined) return so;
  const under = Number(fraction[1]);
  return { value: under === 0 ? null : so.value / under, end: fraction.end, fraction: true };
}

function readScales(lower: string, so: NumberSoFar, money: boolean): NumberSoFar {
  let { value, end } = so;
  for (let count = 0; count < 3; count++) {
    const found = at(SCALE, lower, end) ?? (money ? at(MONEY_SCALE, lower, end) : undefined);
    if (found === undefined || value === null) break;
    // Twelve digits are enough to undo what binary fractions add: 1.1 × 1000 is 1100.
    value = Number((value * (SCALES[found[1] ?? found[2] ?? ""] ?? 1)).toPrecision(12));
    end = found.end;
  }
  return { ...so, value, end };
}

/** As if the exponent had been written into the number, which is exact where multiplying is not. */
function scaled(value: number, exponent: number): number | null {
  const result = Number(/e/.test(String(value)) ? value * 10 ** exponent : `${value}e${exponent}`);
  return Number.isFinite(result) ? result : null;
}

function at(
  pattern: RegExp,
  text: string,
  position: number,
): (RegExpExecArray & { end: number }) | undefined {
  pattern.lastIndex = position;
  const match = pattern.exec(text);
  return match === null ? undefined : Object.assign(match, { end: position + match[0].length });
}
