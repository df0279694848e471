import { patternOnFirstUse } from "../value/on-first-use.ts";
import { anyOf } from "./phrases.ts";

const WORDS = anyOf(
  "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen",
  "nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ][a-z]+)?|(?:one|a) hundred",
);
const NUMBER = `(?:\\d[\\d.,]*|${WORDS})`;
const HEDGE = "(?: (?:maybe|perhaps|possibly|even|more likely))?";

const begins = patternOnFirstUse(`^${NUMBER}(?![a-z])`, "");
const numberBefore = patternOnFirstUse(
  `(?:^|[^a-z\\d.,])${anyOf(
    `(?:${NUMBER}|one)["')]{0,2}${anyOf(
      `,? (?:or|to|and|through|bis|versus|vs\\.?)${HEDGE} ["'(]{0,2}`,
      ",? \\(?(?:maybe|perhaps|possibly) ",
      " ?[–—/~-] ?",
    )}`,
    "(?:more|less|fewer|greater) than ",
  )}$`,
  "",
);
const numberAfter = patternOnFirstUse(`^["')]{0,2} \\(?(?:or|to)${HEDGE} ${NUMBER}(?![a-z])`, "");

/** True if a quantity is only one of two, or a bound: "7 or 14 atoms" does not say "14 atoms". */
export function isOneOfTwo(lower: string, start: number, end: number): boolean {
  if (!begins().test(lower.slice(start, Math.min(end, start + 20)))) return false;
  if (numberBefore().test(lower.slice(Math.max(0, start - 40), start))) return true;
  return numberAfter().test(lower.slice(end, end + 40));
}
