import { MONTHS } from "../../../core/checks/date-value.ts";
import { lazyPattern } from "../../../core/lazy.ts";
import { numberTokens } from "../../../core/text/number-tokens.ts";
import { anyOf, type Kind, type Mention } from "./kind.ts";
import { numberWords } from "./number-words.ts";
import type { ReplyText } from "./reply-text.ts";
import { isForeign } from "./standing.ts";

const ENGLISH = /\b(?:the|is|are|was|of|and|to|that|it|this|about|for|with|has|have)\b/;

/**
 * True if the separator of a number can be read in two ways: a dot before three digits is a decimal point in English and
 * groups thousands elsewhere. A text in English decides, unless the digits look like thousands or like money.
 */
export function isUnclear(lower: string, number: string): boolean {
  if (/^\D{0,2}[1-9]\d{0,2},\d{3}\D*$/.test(number)) return isForeign(lower);
  if (!/^\D{0,2}[1-9]\d{0,2}\.\d{3}\D*$/.test(number)) return false;
  return !ENGLISH.test(lower) || isForeign(lower) || /0\D*$|[$€£]/.test(number);
}

const LABEL =
  /(?:\b(?:step|question|problem|chapter|figure|fig|table|equation|eq|section|part|page|line|example|item|case|method|option|choice|point|phase|round|room|no|score|version|q|confidence(?: (?:level|score))?(?: is| of)?)\.? ?[:=]? ?|#|\bet al\.?,? \(?|\/\S{0,40}|\[)$/;
const monthBefore = lazyPattern(`\\b${anyOf(...MONTHS)}\\.?(?: \\d{1,2}(?:st|nd|rd|th)?,?)? $`, "");
const monthAfter = lazyPattern(`^(?:st|nd|rd|th)? (?:of )?${anyOf(...MONTHS)}`, "");

/** True if a number only numbers or dates something: "Step 3:", "2. ", "[1]", "90% sure", "May 5". */
function isLabel({ lower }: ReplyText, { start, end }: Mention<number>): boolean {
  const before = lower.slice(Math.max(0, start - 44), start);
  const after = lower.slice(end, end + 20);
  if (LABEL.test(before) || /^%? ?(?:sure|certain|confiden)/.test(after)) return true;
  if (/(?:^|\n)[-•>#\s(*]{0,6}$/.test(before) && /^(?:[.)]|\.\)) ?\S/.test(after)) return true;
  return monthAfter().test(after) || monthBefore().test(before);
}

function numbersIn(reply: ReplyText, from: number, to: number): Mention<number>[] {
  const part = { text: reply.text.slice(from, to), lower: reply.lower.slice(from, to) };
  return [...numberTokens(part), ...numberWords(part.lower)]
    .map(({ value, start, end, ...token }) => ({
      value:
        isUnclear(reply.lower, part.text.slice(start, end)) ||
        ("fraction" in token && token.fraction && !isWholeFraction(part.lower, start, end))
          ? null
          : value,
      start: from + start,
      end: from + end,
    }))
    .filter((mention) => !isLabel(reply, mention))
    .sort((one, other) => one.start - other.start);
}

/** "3/4" is a number where nothing follows that it is a part of: "3/4 of it", "33 / 3". */
function isWholeFraction(lower: string, start: number, end: number): boolean {
  return !/ \/ /.test(lower.slice(start, end)) && !/^ ?[a-z]/.test(lower.slice(end));
}

const RESULT = /(?<![<>!≠=])[=≈→] ?(?:about |approximately |roughly )?[$€£]?$/;

/** True for the number that a calculation comes to: "3 * 4 = 12". */
function isResult({ lower }: ReplyText, { start }: Mention<number>): boolean {
  return RESULT.test(lower.slice(Math.max(0, start - 20), start));
}

/** What may follow a result: its unit, and what it counts: "= 19 inches tall after 3 weeks". */
const RESULT_END = /^(?!.*\b(?:and|or|plus) [$€£]?\d)[^.,;:=+()\n]*[.!]?["')\]}$]*\s*$/;
/** What makes a calculation a check or a reason of another number, or one of two results. */
const CHECKED =
  /\b(?:check(?:ing|s)?|verif[a-z]+|proof|confirm[a-z]*|because|since|why|indeed|works)\b|, as /;
/** "5 cents: 5 + 105 = 110", "x = 2 or x = 3", "(8 × 5 = 40)" */
const SECOND = /^\s*\(|\bnot\b|^[^=:(]*\d[^=:(]*[:(][^:(]*$|= ?[-$\d.,]+(?: [a-z]+)?(?:,| and| or|;)[^=\d]*=/;

/** The result of a calculation that a reply ends with: "so 3 * 4 = 12 apples are left." */
function closingResult(reply: ReplyText): Mention<number> | undefined {
  const last = reply.sentences.findLast(({ start, end }) => /\S/.test(reply.text.slice(start, end)));
  if (last === undefined) return undefined;
  const result = numbersIn(reply, last.start, last.end).findLast((number) => isResult(reply, number));
  if (result === undefined || !RESULT_END.test(reply.text.slice(result.end, last.end))) return undefined;
  const before = reply.lower.slice(Math.max(0, last.start - 30), result.start);
  // A text whose last sentence alone has no full stop may have been cut off.
  const open = /\w\s*$/.test(reply.text) && /[.!?]\s*$/.test(reply.text.slice(0, last.start));
  return CHECKED.test(before) || SECOND.test(reply.lower.slice(last.start, result.start)) || open
    ? undefined
    : result;
}

/** Numbers in digits and in words; of several that nothing announces, `which` says which one counts. */
export function numberKind(which: "first" | "last" | undefined): Kind<number> {
  return {
    isCommon: true,
    mentions: (reply) => numbersIn(reply, 0, reply.text.length),
    announced: (reply, from, to) => {
      const numbers = numbersIn(reply, from, to);
      const result = numbers.at(-1);
      return result !== undefined &&
        isResult(reply, result) &&
        !/[,;]|[a-z]{3}/.test(reply.lower.slice(from, result.start))
        ? [result]
        : numbers;
    },
    concluded: (reply) => {
      if (which === undefined) return closingResult(reply);
      const numbers = numbersIn(reply, 0, reply.text.length);
      return which === "first" ? numbers[0] : numbers.at(-1);
    },
  };
}
