import { readDate } from "../checks/date-value.ts";
import { cleanText, lowerCase } from "../text/clean-text.ts";
import { numberTokens } from "../text/number-tokens.ts";
import { numberValue, strip } from "../text/text-value.ts";
import { type ExtractTarget, enumValues } from "./extract-rule.ts";

/** A value of the target's type; undefined if there is none, null if there are several. */
export type Converted = { readonly value: unknown } | null | undefined;

const YES = ["yes", "true", "agree", "correct", "right", "y"];
const NO = ["no", "false", "disagree", "incorrect", "wrong", "n"];

/** Converts a text that was read: "1,200" to a number, "YES" to true, "b" to the enum's "B". */
export function convertText(text: string, target: ExtractTarget): Converted {
  const written = strip(text);
  switch (target.type) {
    case "string":
      return { value: written };
    case "date":
      return readDate(written) === undefined ? undefined : { value: written };
    case "boolean":
      return convertWord(written);
    case "integer":
    case "number":
      return convertNumber(wholeNumber(written), target);
    case "enum":
      return enumValue(written, enumValues(target));
    case "array":
      return undefined;
  }
}

/** Converts a number that was read; 3.5 is no integer. */
export function convertNumber(number: number | undefined, target: ExtractTarget): Converted {
  if (number === undefined || !Number.isFinite(number)) return undefined;
  switch (target.type) {
    case "number":
      return { value: number };
    case "integer":
      // Beyond this, a number may differ from the one that was written.
      return Number.isSafeInteger(number) ? { value: number } : undefined;
    case "string":
      return { value: String(number) };
    case "enum": {
      const equal = enumValues(target).filter(
        (value) => value === number || (typeof value === "string" && wholeNumber(value) === number),
      );
      return equal.length > 1 ? null : equal.length === 1 ? { value: equal[0] } : undefined;
    }
    default:
      return undefined;
  }
}

/** Converts a yes or no: to a boolean, or to the value of an enum that says it. */
export function convertStance(stance: boolean, target: ExtractTarget): Converted {
  if (target.type === "boolean") return { value: stance };
  if (target.type !== "enum") return undefined;
  const pair = stancePair(enumValues(target));
  return pair === undefined ? undefined : { value: stance ? pair.yes : pair.no };
}

/** The values of an enum that say yes and no, if it has both. */
export function stancePair(
  values: readonly (string | number)[],
): { readonly yes: string; readonly no: string } | undefined {
  const texts = values.filter((value) => typeof value === "string");
  for (const [index, word] of YES.entries()) {
    const yes = texts.filter((text) => text.toLowerCase() === word);
    const no = texts.filter((text) => text.toLowerCase() === NO[index]);
    if (yes.length === 1 && no.length === 1) return { yes: yes[0] as string, no: no[0] as string };
  }
  return undefined;
}

function convertWord(written: string): Converted {
  const word = written.toLowerCase().replace(/[.!]+$/, "");
  if (YES.includes(word)) return { value: true };
  return NO.includes(word) ? { value: false } : undefined;
}

/** The value that a text names: exactly, or but for case and spaces. */
function enumValue(written: string, values: readonly (string | number)[]): Converted {
  const exact = values.find((value) => value === written);
  if (exact !== undefined) return { value: exact };
  const wanted = folded(written);
  const number = wholeNumber(written);
  const alike = values.filter((value) =>
    typeof value === "string" ? folded(value) === wanted : value === number,
  );
  return alike.length > 1 ? null : alike.length === 1 ? { value: alike[0] } : undefined;
}

function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ");
}

/** The number that a short text is, with separators, a sign, a currency and a unit of one word: "$1,200", "12 km". */
export function wholeNumber(text: string): number | undefined {
  if (text.length > 100) return undefined;
  const plain = numberValue(text);
  if (plain !== undefined) return plain;
  const clean = cleanText(text).text;
  const [token, ...more] = numberTokens({ text: clean, lower: lowerCase(clean) });
  if (token === undefined || token.value === null || more.length > 0) return undefined;
  const before = clean.slice(0, token.start).trim();
  const after = clean.slice(token.end).trim();
  return /^(?:[(~≈=]|[a-z]{3})?$/i.test(before) && /^[)]?[a-z°€£%/]{0,12}[.]?$/i.test(after)
    ? token.value
    : undefined;
}
