import { matchesAt } from "./phrases.ts";

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
