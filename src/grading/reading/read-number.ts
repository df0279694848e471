import { lazy, lazyPattern } from "../../core/lazy.ts";
import { type NumberToken, numberTokens } from "../../core/text/number-tokens.ts";
import { type Decision, isRefusal, isRetracted } from "./decide.ts";
import { explains } from "./explicit-answer.ts";
import { numberWords } from "./number-words.ts";
import { MONTH } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";
import { type Place, standingOf } from "./standing.ts";

/**
 * Reads a number that nothing announces: the last result of an equation, or the only quantity, of the last sentence
 * that has any (of the first one if `which` says so). Everything else is ambiguous: ranges, two quantities, a number
 * that the reply doubts or denies.
 */
export function readNumber(reply: ReplyText, which: "first" | "last"): Decision<number> {
  const sentences = sentencesWithNumbers(reply);
  const hasTokens = ({ tokens }: Sentence): boolean => tokens().length > 0;
  const sentence = which === "first" ? sentences.find(hasTokens) : sentences.findLast(hasTokens);
  if (sentence === undefined) return { status: "absent" };
  const tokens = ownTokens(reply, sentence);
  const earlier = sentences.filter((other) => other.start < sentence.start);
  const chosen = which === "first" ? tokens[0] : resultOf(reply, sentence, tokens);
  if (chosen === undefined || chosen.value === null || isPart(reply, chosen)) return { status: "ambiguous" };
  if (isRefusal(reply) || isPlan(reply, sentence, chosen) || breaksOff(reply, sentence, chosen))
    return { status: "absent" };
  const { value, start, end } = chosen;
  const from = Math.max(reply.clauseStart(start), sentence.start);
  if (standingOf(reply, chosen, from, false) !== "asserted" || isRetracted(reply, end))
    return { status: "ambiguous" };
  if (
    which === "last" &&
    (isReason(reply, sentence, chosen) ||
      isCheck(reply, sentence, chosen, earlier) ||
      isUnrelated(reply, sentence, chosen, earlier) ||
      isAside(reply, sentence, chosen))
  )
    return { status: "ambiguous" };
  return { status: "found", value, start, end };
}

interface Sentence {
  readonly start: number;
  readonly end: number;
  /** Its numbers, without those that number something. */
  readonly tokens: () => readonly NumberToken[];
}

/** The sentences that have digits; numbers in words count where there are none. */
function sentencesWithNumbers(reply: ReplyText): Sentence[] {
  const { text, lower } = reply;
  const digits = [...lower.matchAll(/[\d½¼¾⅓⅔⅛]+/g)].map(({ index }) => index);
  const words = digits.length > 0 ? [] : numberWords(lower);
  const starts = new Set(
    [...digits, ...words.map(({ start }) => start)].map((at) => reply.sentenceStart(at)),
  );
  return [...starts].map((start) => {
    const end = reply.sentenceEnd(start);
    const tokens = lazy(() =>
      digits.length === 0
        ? words
            .filter((word) => word.start >= start && word.end <= end && !TALK.test(lower.slice(word.end)))
            .map((word) => ({ ...word, fraction: false }))
        : numberTokens({ text: text.slice(start, end), lower: lower.slice(start, end) })
            .map((token) => ({ ...token, start: token.start + start, end: token.end + start }))
            .filter((token) => !isLabel(reply, token)),
    );
    return { start, end, tokens };
  });
}

/** "That is 86% of", "3 years older than": a share, or a difference, unless it was calculated. */
const SHARE =
  /^[$€£]?[\d.,]+%? ?[a-z]* (?:(?:more|less|fewer|[a-z]+er) than|depending)|^(?:this|that|which) (?:is|was) (?:about |approximately |roughly )?[\d.,]+ ?(?:%|percent) of /;

/** True if a number is a share or a difference. A fraction counts as all of the reply, or as a result. */
function isPart(reply: ReplyText, token: NumberToken): boolean {
  const { text, lower } = reply;
  const { start, end, fraction } = token;
  const isResult = isResultOf(lower, token);
  const isShare = [start, reply.clauseStart(start)].some((at) =>
    SHARE.test(lower.slice(at, end + 30).trimStart()),
  );
  if (isShare && !isResult) return true;
  if (!fraction) return false;
  const whole = isResult || !/[a-z0-9]/.test(lower.slice(0, start));
  return (
    / /.test(text.slice(start, end).trim()) ||
    !whole ||
    !/^[)\]}"'$*]{0,4}(?:[.!]|\s*$|\n)/.test(text.slice(end))
  );
}

/** Without the numbers that a sentence denies, or ascribes to others: "It's 43, not 42". */
function ownTokens(reply: ReplyText, sentence: Sentence): readonly NumberToken[] {
  const tokens = sentence.tokens();
  if (tokens.length === 1) return tokens;
  const denied = tokens.filter((token, index) => {
    const from = Math.max(reply.clauseStart(token.start), tokens[index - 1]?.end ?? 0);
    return /^(?:denied|others)$/.test(standingOf(reply, joinedEnd(reply, tokens, index), from, false));
  });
  return tokens.filter((token) => denied.every(({ value }) => value !== token.value));
}

const JOINED = /^(?:, ?(?:and |or )?| (?:and|or) )$/;

/** A number with those that a list joins to it: in "41 and 43 are wrong", the verb is said of both. */
function joinedEnd({ lower }: ReplyText, tokens: readonly NumberToken[], index: number): Place {
  const { start, end } = tokens[index] as NumberToken;
  const rest = tokens.slice(index + 1);
  const apart = rest.findIndex(
    (token, at) => !JOINED.test(lower.slice(at === 0 ? end : rest[at - 1]?.end, token.start)),
  );
  return { start, end: (apart < 0 ? rest : rest.slice(0, apart)).at(-1)?.end ?? end };
}

/** The number that a sentence comes to; undefined if it has several. */
function resultOf(
  { text, lower }: ReplyText,
  { start, end }: Sentence,
  tokens: readonly NumberToken[],
): NumberToken | undefined {
  const before = (token: NumberToken): string => lower.slice(Math.max(0, token.start - 30), token.start);
  const index = tokens.findLastIndex((token) => isResultOf(lower, token));
  const result = tokens[index];
  if (result !== undefined) {
    const later = tokens
      .slice(index + 1)
      .some((token) => token.value !== result.value && !isAdjunct(lower.slice(result.end, token.start)));
    // "x = 5, y = x + 2", "x = 2 and y = 3"
    const several =
      text.slice(result.end, end).includes("=") || (index > 0 && NEXT_RESULT.test(before(result)));
    return later || several ? undefined : result;
  }
  const last = tokens.at(-1);
  if (last === undefined || tokens.every(({ value }) => value === last.value))
    return isDate(lower, last) ? undefined : last;
  // "1101 in binary is 13 in decimal"
  const isEquation = tokens.length === 2 && (tokens[0]?.start ?? 0) - start < 3 && IS.test(before(last));
  const isSum =
    isEquation ||
    TOTAL.test(before(last)) ||
    (IS.test(before(last)) && tokens.slice(0, -1).every(({ value }) => value === null));
  return isSum ? last : undefined;
}

/** "= 19 inches after 3 weeks": what a later number counts is no other result. */
function isAdjunct(between: string): boolean {
  return /^[^,;=()+]* (?:for|in|after|on|from|over|during|at|before|to) (?:the |all |these |those |her |his |their )?$/.test(
    between,
  );
}

function isResultOf(lower: string, { start }: NumberToken): boolean {
  return RESULT.test(lower.slice(Math.max(0, start - 30), start));
}

const RESULT = /(?:(?<![<>!≠=])[=≈→] ?|\b(?:equals|is equal to) )(?:about |approximately |roughly )?[$€£]?$/;
const NEXT_RESULT = /\d[$ ]?(?:,|;| and| or)[ $]{0,2}[a-z](?:_?\d)? ?= ?$/;
const TOTAL =
  /\b(?:makes?|equals|gives|leaves|totals|comes to|total of|amounts to|adds up to) (?:about )?[$€£]?$/;
const IS = /\b(?:is|are|was) [$€£]?$/;

const PLAN =
  /\b(?:multipl(?:y|ied|ying)|divid(?:e|ing)|divided by|subtract(?:ed|ing)?|calculat(?:e|ed|ing)|comput(?:e|ed|ing)|add(?:ed|ing)?|find|compare|determin(?:e|ed|ing)|(?:we|then|finally) sum|need to|convert(?:ed|ing)?|using)(?![a-z])/;

/** True if the reply says what to calculate, and not what comes out: "then we multiply by 5 to find the total". */
function isPlan({ lower }: ReplyText, { start, end }: Sentence, chosen: NumberToken): boolean {
  if (PLAN.test(lower.slice(end))) return true;
  return PLAN.test(lower.slice(start, end)) && !isResultOf(lower, chosen);
}

/**
 * True if the text seems to end in the middle of a sentence: the one before it has a full stop and the last one has
 * none, or more stands behind its number than a unit. The rest may say another number.
 */
function breaksOff({ text }: ReplyText, { end }: Sentence, chosen: NumberToken): boolean {
  if (!/[\p{L}\p{N}%°²³,;:(=+*×÷/-]\s*$/u.test(text)) return false;
  const rest = text.slice(chosen.end).trimEnd();
  if (end < text.trimEnd().length ? /\n/.test(rest) : rest.length > LONGEST_UNIT) return true;
  if (text.length < SHORT) return false;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const last = lines.pop() ?? "";
  const before = lines.findLast((line) => !/:\s*$/.test(line)) ?? "";
  return STOP_WITHIN.test(last) || STOP_AT_END.test(before) || OPEN_FORMULA.test(last);
}

const STOP_WITHIN = /(?<!^\W*\d{1,2})[.!?]["')]{0,2} \S/;
const OPEN_FORMULA = /^\s*\$[^$]*[\\^][^$]*$/;
const STOP_AT_END = /[.!?]["')]{0,2}\s*$/;
const LONGEST_UNIT = 30;
/** Short replies often leave out the last full stop. */
const SHORT = 100;

/** Words in a sentence that begin the reason, or the parts, of what it said before. */
const WITHIN = /\b(?:because|since)(?![a-z])|\bas (?=[$€£(]?\d)|\(|:(?= )/g;

/** True if the number stands in the reason, or among the parts, of another number that the sentence states before it. */
function isReason({ lower }: ReplyText, { start, tokens }: Sentence, chosen: NumberToken): boolean {
  const before = lower.slice(start, chosen.start);
  const marker = [...before.matchAll(WITHIN)].findLast(
    // What is closed, and what a plan announces ("divide by 2: 8 / 2 = 4"), explains nothing.
    ({ 0: mark, index }) =>
      mark === "(" ? !before.includes(")", index) : mark !== ":" || !PLAN.test(before.slice(0, index)),
  )?.index;
  if (marker === undefined) return false;
  return tokens().some(({ value, end }) => value !== null && value !== chosen.value && end <= start + marker);
}

/** "Since each costs 2, they cost 8": the reason stands before the comma. */
const REASON_FIRST = /^[\s"'*]{0,3}(?:since|because)\b[^,]*,/;

/** True if the number stands in a check or an explanation of another number that was stated before it. */
function isCheck(
  reply: ReplyText,
  { start }: Sentence,
  chosen: NumberToken,
  earlier: readonly Sentence[],
): boolean {
  const { lower } = reply;
  const differs = ({ tokens }: Sentence): boolean => tokens().some(({ value }) => value !== chosen.value);
  const [first] = earlier;
  const last = earlier.at(-1);
  if (first === undefined || last === undefined) return false;
  if (first.end - first.start < 60 && isLone(reply, first) && differs(first)) return true;
  if (REASON_FIRST.test(lower.slice(start, chosen.start))) return false;
  const checks =
    /^\s*\(/.test(lower.slice(start, start + 3)) ||
    explains().test(lower.slice(start)) ||
    explains().test(lower.slice(last.end).trimStart());
  return checks && differs(last);
}

const CONCLUSION =
  /\b(?:so|therefore|thus|hence|total|altogether|in all|overall|finally|means|must|now|left|remain(?:s|ing)?|answer|result|conclu[a-z]+|average|final)\b/;

/** "3 * 4 = 12 apples. She gave them to 5 friends.": a number that nothing was calculated for, and that concludes nothing. */
function isUnrelated(
  reply: ReplyText,
  { start, end }: Sentence,
  chosen: NumberToken,
  earlier: readonly Sentence[],
): boolean {
  const { lower } = reply;
  if (isResultOf(lower, chosen) || CONCLUSION.test(lower.slice(start, end))) return false;
  const before = earlier.flatMap(({ tokens }) => tokens());
  return (
    before.some((token) => isResultOf(lower, token)) && before.every(({ value }) => value !== chosen.value)
  );
}

/** "… in 2006." */
const YEAR_BEFORE =
  /\b(?:in|since|by|until|till|from|before|after|around|during|of)(?: (?:the year|early|mid|late|[a-z]+ of))? $/;
/** "For comparison, a hexagon has 6." */
const ABOUT_ANOTHER =
  /\b(?:for comparison|by comparison|in comparison|by contrast|in contrast|thinking of|which (?:has|have|is|are))\b/;

/** True if a number dates something or is about something else, where the reply names another number before it. */
function isAside({ lower }: ReplyText, { start }: Sentence, chosen: NumberToken): boolean {
  const isDated = isYear(lower, chosen) && YEAR_BEFORE.test(lower.slice(0, chosen.start).slice(-30));
  if (!isDated && !ABOUT_ANOTHER.test(lower.slice(start, chosen.start))) return false;
  const before = lower.slice(0, start);
  const named = [...numberTokens({ text: before, lower: before }), ...numberWords(before)];
  return named.some((other) => other.value !== chosen.value && !(isDated && isYear(lower, other)));
}

function isYear(lower: string, { start, end }: Place): boolean {
  return /^(?:1\d|20)\d\d$/.test(lower.slice(start, end));
}

/** True if a sentence is nothing but a number and its unit. */
function isLone({ lower }: ReplyText, { start, end, tokens }: Sentence): boolean {
  const [token, ...more] = tokens();
  if (token === undefined || more.length > 0) return false;
  return (
    !/[a-z]{2}/.test(lower.slice(start, token.start)) &&
    /^[^a-z]*(?:[a-z°%]+[^a-z]*){0,2}$/.test(lower.slice(token.end, end))
  );
}

const LABEL =
  /(?:\b(?:step|question|problem|chapter|figure|fig|table|equation|eq|section|part|page|line|example|exercise|item|case|method|option|choice|point|no|phase|round|room|version|theorem|lemma|note|ref|turn|rule|stage|q|confidence(?: (?:level|score|rating))?(?: is| of)?)\.? ?[:=]? ?|#)$/;

/** "There are two possible interpretations": what is counted is the talk itself. */
const TALK =
  /^ (?:more |possible |different |main |other )?(?:interpretations?|readings|possibilities|pieces? of information|ways to (?:see|read|look|interpret|answer|approach)|questions (?:before|for you))(?![a-z])/;

/** True if a number only numbers something: "Step 3:", "2. ", "[1]", "90% sure". */
function isLabel(reply: ReplyText, { value, start, end }: NumberToken): boolean {
  const before = reply.lower.slice(Math.max(0, start - 24), start);
  const after = reply.lower.slice(end, end + 20);
  if (before.endsWith("[") ? after.startsWith("]") : LABEL.test(before)) return true;
  if (/^%? ?(?:%|percent)? (?:sure|certain|confiden)/.test(after) || TALK.test(reply.lower.slice(end)))
    return true;
  // "(Smith et al., 2019)", "https://example.org/page/34"
  if (/\bet al\.?,? \(?$|\b(?:https?:\/\/|www\.)\S*$/.test(reply.lower.slice(Math.max(0, start - 80), start)))
    return true;
  const line = reply.lineStart(start);
  const heads = start - line <= 6 && /^[-•>#\s(*]*$/.test(reply.text.slice(line, start));
  return heads && value !== null && value <= 20 && /^(?:[.)]|\.\)) ?\S/.test(after);
}

const monthBefore = lazyPattern(`\\b${MONTH}\\.?(?: \\d{1,2}(?:st|nd|rd|th)?,?)? $`, "");
const monthAfter = lazyPattern(`^(?:st|nd|rd|th)? (?:of )?${MONTH}`, "");

/** "May 5": a day is hardly the number that was asked for. */
function isDate(lower: string, token: NumberToken | undefined): boolean {
  if (token === undefined) return false;
  return (
    monthBefore().test(lower.slice(Math.max(0, token.start - 16), token.start)) ||
    monthAfter().test(lower.slice(token.end, token.end + 20))
  );
}
