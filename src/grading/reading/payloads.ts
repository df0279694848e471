import { numberTokens } from "../../core/text/number-tokens.ts";
import { type AliasTree, aliasMentions } from "./alias-matches.ts";
import type { Payload, PayloadReader } from "./explicit-answer.ts";
import { numberWords } from "./number-words.ts";
import { matchesAt } from "./phrases.ts";
import { isSpecies, SAID_OF_OPTION } from "./read-letter.ts";

/** A cleaned text, and the same in lower case. */
export interface TailText {
  readonly text: string;
  readonly lower: string;
}

const SENTENCE_END = /[.!?]+["')\]}]*(?=\s|$)|\n/g;

/** Where the sentence ends that goes on at the position, without its marks. */
function sentenceEnd(text: string, position: number, limit: number): number {
  SENTENCE_END.lastIndex = position;
  const match = SENTENCE_END.exec(text);
  return Math.min(limit, match === null ? text.length : match.index);
}

function gapEnd(gap: RegExp, text: string, start: number): number {
  gap.lastIndex = start;
  return start + (gap.exec(text)?.[0].length ?? 0);
}

const LETTER_GAP =
  /(?:[\s"'$*:>-]|(?:the|option|choice|letter|answer|is|definitely|clearly|indeed|la|opci[oó]n|opção|opzione) (?=.{0,12}[A-Z]))*/y;
const LETTER = /([([{]?["']?)([A-Za-z])(["']?[)\]}]?)/y;
const AFTER_LETTER =
  /["')\]}]*(?:$|[.,;:!\n<]|\s?[-–—(]| (?:because|since|as|due to|based on|which|given|here)(?![a-z]))/y;
const OTHER_LETTER =
  /^["')\]}.:, ]{0,4}(?:or|and|nor|&|\/|,|over|versus)(?: option| choice)?["'( [\]]*[A-Z](?![A-Za-z'])/;
/** A capital that may name an option; "A" and "I" only where something closes them off. */
const CAPITAL =
  /(?<![A-Za-z'’])(?:[B-HJ-Z](?![A-Za-z'’])|[AI](?=["')\]]?(?:[.,;:)!\n]|$)|\)| (?:is|was|would|or|and)\b))/;
const JOINED = /\b(?:and|or|both|all|none|neither)\b/;
const MARKED_LETTER = /\(([A-Z])\)|\b[Oo]ption ([A-Z])\b|(?<=\s)([A-Z])\)(?=\s)/g;

/** Reads an announced option: "(B)", "B.", "option B because". */
export function letterPayload(
  { text, lower }: TailText,
  options: ReadonlySet<string>,
): PayloadReader<string> {
  const read: PayloadReader<string>["read"] = (from, limit) => {
    const start = gapEnd(LETTER_GAP, text, from);
    if (start - from > 40) return undefined;
    LETTER.lastIndex = start;
    const match = LETTER.exec(text);
    if (match === null || matchesAt(WORD, text, start))
      return from > 0 && text.charAt(from - 1) !== "\n"
        ? letterAfterText(text, start, limit, options)
        : undefined;
    const [whole, open = "", letter = "", close = ""] = match;
    const value = letter.toUpperCase();
    const at = start + open.length;
    const end = at + 1;
    const bracketed = /[([{]/.test(open) && /[)\]}]/.test(close);
    const after = text.slice(start + whole.length, start + whole.length + 30);
    if (!options.has(value) || OTHER_LETTER.test(after) || isSpecies(lower, end)) return undefined;
    if (!bracketed) {
      const optionText = letter === value && /^\) ?\S/.test(text.slice(end, end + 3));
      if (
        (!optionText && !matchesAt(AFTER_LETTER, text, end)) ||
        /^\. ?[A-Z]\./.test(text.slice(end, end + 5))
      )
        return undefined;
      if (letter !== value && (/[ai]/.test(letter) || !/^["')\]}]*(?:$|[.)\]}\n])/.test(text.slice(end))))
        return undefined;
    } else if (/^['’\w]/.test(after)) return undefined;
    const option =
      letter === value &&
      !SAID_OF_OPTION.test(after.replace(/^[)\].]+/, "")) &&
      (bracketed ||
        /^["']?(?:\)|\.(?= (?:[a-z]|(?:Both|All|None|Neither|Either) )))/.test(text.slice(end, end + 12)));
    // "C. both A and B": the full stop behind the letter does not end the option.
    const behind = option && !bracketed ? end + 2 : start + whole.length;
    const until = sentenceEnd(text, behind, limit);
    for (const other of text.slice(end, until).matchAll(MARKED_LETTER))
      if ((other[1] ?? other[2] ?? other[3]) !== value) return undefined;
    // "C. both A and B" names other options in its text; "A, for children B" gives two answers.
    const rest = text.slice(end, until);
    if (CAPITAL.test(rest) && !(option && JOINED.test(rest))) return undefined;
    return text.charAt(until) === "?" ? undefined : { value, start: at, end, until, option };
  };
  return { read, names: (start, end) => CAPITAL.test(text.slice(start, end)) };
}

const WORD = /[A-Za-z][a-z'’]/y;

/** "The answer is Paris (B).": the option behind its text. */
function letterAfterText(
  text: string,
  start: number,
  limit: number,
  options: ReadonlySet<string>,
): Payload<string> | undefined {
  const sentence = text.slice(start, Math.min(limit, start + 120));
  const [whole, words = "", value = ""] =
    /^([^.!?\n()]{2,80}(?:, option |\())([A-Z])\)?[.!]?(?=\n|\s*$)/.exec(sentence) ?? [];
  if (
    whole === undefined ||
    !options.has(value) ||
    CAPITAL.test(words) ||
    /\b(?:not?|n't|or|if)\b/.test(words)
  )
    return undefined;
  const at = start + words.length;
  return { value, start: at, end: at + 1, until: start + whole.length };
}

const NUMBER_GAP =
  /(?:[\s"'([{*:=~≈]|(?:about|approximately|around|roughly|exactly|equal to|equals|a total of|usd|rs\.?|the number)(?![a-z]))*/y;
/** What may follow an announced number in its sentence: its unit. */
const UNIT =
  /^["')\]}]*(?: ?(?!or |to |and |less|more|fewer|than|of |times|plus|minus|if |when |not |dozen|higher|lower|between)[\p{L}°€£%$/²³.-]{1,20}){0,5}["')\]}$]*$/u;

const NUMBER_ALONE = /^(?:[a-z] ?= ?)?(?:minus |negative )?[$€£]?$/;
/** "Answer: there are 7 apples" */
const NUMBER_STATED =
  /^(?!.*\b(?:not?|than|each|per|every|between|first|if|by|about)\b)[a-z' ]{1,50} (?:is|are|was|were|has|have|had|will be|needs?|gets?|pays?|earns?|costs?|spent|makes?|made) [$€£]?$/;

/** Reads an announced number with its unit, or the last result of an announced equation. */
export function numberPayload(tail: TailText): PayloadReader<number> {
  const read: PayloadReader<number>["read"] = (from, limit, mark) => {
    const begin = gapEnd(NUMBER_GAP, tail.lower, from);
    if (begin - from > 40) return undefined;
    const until = mark ? limit : numberSentenceEnd(tail.text, begin, limit);
    const lower = tail.lower.slice(begin, until);
    if (lower.length > 120) return undefined;
    const digits = numberTokens({ text: tail.text.slice(begin, until), lower });
    const tokens =
      digits.length > 0 ? digits : numberWords(lower).map((word) => ({ ...word, fraction: false }));
    const last = tokens.at(-1);
    if (last === undefined || last.value === null) return undefined;
    // "33 / 3" is a calculation.
    if (last.fraction && lower.slice(last.start, last.end).includes(" / ")) return undefined;
    const { value } = last;
    const alone = tokens.every((token) => token.value === value);
    const before = lower.slice(0, alone ? tokens[0]?.start : last.start);
    const announced = from > 0 && tail.text.charAt(from - 1) !== "\n";
    const isResult = alone
      ? NUMBER_ALONE.test(before) ||
        (announced && NUMBER_STATED.test(before) && !/^[^.!?\n]*\d/.test(tail.lower.slice(until)))
      : /^[^,;a-z]*= ?[$€£]?$/.test(before);
    // "#### 1. Introduction" is a heading.
    const unit = lower.slice(last.end);
    if (!isResult || !UNIT.test(unit) || /^\.\s/.test(unit) || tail.text.charAt(until) === "?")
      return undefined;
    return { value, start: begin + last.start, end: begin + last.end, until };
  };
  return {
    read,
    names: (start, end) => NUMBER_NAMED.test(tail.lower.slice(start, end)),
    namesBehindMark: (start, end) => NUMBER_CLAIMED.test(tail.lower.slice(start, end)),
  };
}

const NUMBER_CLAIMED =
  /(?:[=≈]|\b(?:it|that|this|which)(?:'s| is)|(?:with|say|by)) ?[$€£]?\d|\d(?: [a-z]+)? (?:is|are) (?:the )?(?:correct|right|best|answer)|^[}\])]*\s*\n.*\d/;
const NUMBER_NAMED = /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten)\b/;

const NUMBER_SENTENCE_END = /[.!?]+["')\]}]*(?=\s|$)|[\n,;]| ?[(—]| (?=(?:because|since) )|\.(?=[A-Z])/g;

function numberSentenceEnd(text: string, position: number, limit: number): number {
  for (let at = position; ; ) {
    NUMBER_SENTENCE_END.lastIndex = at;
    const match = NUMBER_SENTENCE_END.exec(text);
    if (match === null) return limit;
    // "1,200" and "1, 2" go on.
    if (match[0] !== "," || !/^ ?\d/.test(text.slice(match.index + 1, match.index + 3)))
      return Math.min(limit, match.index);
    at = match.index + 1;
  }
}

const STANCE_GAP = /[\s"'*:>$-]*(?:\(?[ab][).:]{1,2} ?)?["'([{]{0,2}/y;
const STANCE = /(?:(yes|true|correct)|no|false|incorrect)(?![a-z'-])/y;
const AFTER_STANCE = /["')\]}*]*(?:$|[.,;!\n<—]|\s[-–—(]| (?:because|since|as|it|that|this)(?![a-z]))/y;
const STANCE_NAMED = /\b(?:yes|no|true|false|correct|incorrect|right|wrong|agree|disagree)\b/;

/** Reads an announced yes or no: "No.", "(B) no", "False - …". */
export function stancePayload({ lower }: TailText): PayloadReader<boolean> {
  const read: PayloadReader<boolean>["read"] = (from, limit) => {
    const start = gapEnd(STANCE_GAP, lower, from);
    STANCE.lastIndex = start;
    const match = STANCE.exec(lower);
    if (match === null) return undefined;
    const end = start + match[0].length;
    const after = lower.slice(end, end + 16);
    if (!matchesAt(AFTER_STANCE, lower, end)) return undefined;
    if (/^[^a-z]{0,4}(?:(?:or|and|but) )?(?:yes|no|true|false)(?![a-z])/.test(after)) return undefined;
    const until = sentenceEnd(lower, end, limit);
    return lower.charAt(until) === "?" ? undefined : { value: match[1] !== undefined, start, end, until };
  };
  return { read, names: (start, end) => STANCE_NAMED.test(lower.slice(start, end)) };
}

const ALIAS_GAP = /(?:[\s"'([{*:>$-]|(?:the|an?|city of|clearly|most likely|likely)(?![a-z]))*/y;
const AFTER_ALIAS =
  /["')\]}]*(?:$|[.,;:!\n(<]|\s[-–—(]| (?:because|since|as|which|with|based|given|due)(?![a-z]))/y;

/** Reads an announced value by its words. */
export function aliasPayload({ text, lower }: TailText, tree: AliasTree): PayloadReader<string> {
  const read: PayloadReader<string>["read"] = (from, limit) => {
    const start = gapEnd(ALIAS_GAP, lower, from);
    if (start - from > 40) return undefined;
    const until = sentenceEnd(text, start, Math.min(limit, start + 300));
    const mentions = aliasMentions(text.slice(start, Math.max(until, start)), tree);
    const [first] = mentions;
    if (first === undefined || first.start > 0 || text.charAt(until) === "?") return undefined;
    if (mentions.some(({ value }) => value !== first.value)) return undefined;
    const end = start + first.end;
    return matchesAt(AFTER_ALIAS, lower, end) ? { value: first.value, start, end, until } : undefined;
  };
  return { read, names: (start, end) => aliasMentions(text.slice(start, end), tree).length > 0 };
}
