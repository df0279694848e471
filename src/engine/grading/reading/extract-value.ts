import { MONTHS, readDate } from "../../../core/checks/date-value.ts";
import { linearRegexOf } from "../../../core/checks/linear-regex.ts";
import { lazyPattern, memoize } from "../../../core/lazy.ts";
import {
  type Converted,
  convertNumber,
  convertStance,
  convertText,
} from "../../../core/templates/convert-value.ts";
import {
  ALPHABET,
  type ExtractedField,
  type ExtractRule,
  type ExtractTarget,
  enumValues,
  letterOf,
  optionLetters,
} from "../../../core/templates/extract-rule.ts";
import type { Template } from "../../../core/templates/template.ts";
import { aliasMentions, aliasTree } from "./alias-matches.ts";
import { anyOf, type Decision, type Kind, type Mention } from "./kind.ts";
import { letterKind } from "./letters.ts";
import { isUnclear, numberKind } from "./numbers.ts";
import { otherAnswer, type WrittenReply } from "./other-answer.ts";
import { readReply } from "./read-reply.ts";
import { type ReplyText, shownText } from "./reply-text.ts";
import { stanceKind } from "./stances.ts";
import { topicOf } from "./topic.ts";

/** How a reply ended and what it answers, where that is known. */
export interface ReadingOptions {
  /** `length` if the reply was cut off: then it is read only where it announces its answer. */
  readonly finish?: string | undefined;
  /** What the reply answers: a quantity that the question names is not taken for another answer. */
  readonly question?: string;
}

/** What rules read in a reply, by the names of fields. */
export type Readings = Readonly<Record<string, ExtractedField>>;

/**
 * Reads one typed value out of a free reply, without a judge. Rules read only what is certain (`read-reply.ts`); everything
 * else is absent or ambiguous, for a judge to read. Never throws; takes time in proportion to the reply.
 */
export function extractValue(
  rule: ExtractRule,
  target: ExtractTarget,
  reply: string,
  { finish, question = "" }: ReadingOptions = {},
): ExtractedField {
  const cut = finish === "length";
  const field = extractFrom(rule, target, { reply, cut, question });
  return cut ? { ...field, cut } : field;
}

function extractFrom(rule: ExtractRule, target: ExtractTarget, source: WrittenReply): ExtractedField {
  const topic = topicOf(target.description);
  const asked = new Set([...topic, ...topicOf(source.question)]);
  const read = <Value>(kind: Kind<Value>): Decision<Value> =>
    readReply(source.reply, kind, { topic, asked, cut: source.cut });
  switch (rule.type) {
    case "regex":
      return fieldOf(readPattern(rule, source.reply), (text) =>
        isUnclear(source.reply.toLowerCase(), text.trim()) && /^(?:number|integer)$/.test(target.type)
          ? null
          : convertText(text, target),
      );
    case "letter":
      return fieldOf(read(letterKind(optionLetters(rule.options, target))), (letter) =>
        convertLetter(letter, target),
      );
    case "number":
      return fieldOf(read(numberKind(rule.which)), (number) => convertNumber(number, target));
    case "aliases": {
      const named = read(aliasKind(rule.values));
      const other =
        named.status === "found" || rule.otherwise === undefined
          ? undefined
          : otherAnswer(source, rule.values, topic);
      return fieldOf(other === undefined ? named : { ...other, value: rule.otherwise as string }, (value) =>
        convertText(value, target),
      );
    }
    case "option": {
      const letters = ALPHABET.slice(0, rule.options.length);
      const byLetter = read(letterKind(new Set(letters)));
      const byText = read(aliasKind(optionTexts(rule.options)));
      return fieldOf(chosenOption(byLetter, byText, rule.options), (letter) => convertLetter(letter, target));
    }
    case "date":
      return fieldOf(read(DATES), (date) => convertText(date, target));
    case "stance":
      return fieldOf(read(stanceKind(topic)), (stance) => convertStance(stance, target));
  }
}

/** The letter that a reply gives, or whose text it gives; ambiguous if these are two options. */
function chosenOption(
  byLetter: Decision<string>,
  byText: Decision<string>,
  options: readonly string[],
): Decision<string> {
  if (byText.status !== "found" || byLetter.status === "ambiguous") return byLetter;
  const letter = ALPHABET[options.indexOf(byText.value)] as string;
  if (byLetter.status === "found" && byLetter.value !== letter) return { status: "ambiguous" };
  return byLetter.status === "found" ? byLetter : { ...byText, value: letter };
}

/** Options as words to look for, also without their article; one object for each list, because searching it is prepared once. */
const optionTexts = (options: readonly string[]): Readonly<Record<string, readonly string[]>> =>
  memoize(textsOfOptions, options, () =>
    Object.fromEntries(options.map((text) => [text, [text.replace(/^(?:the|an?) /i, "")]])),
  );
const textsOfOptions = new WeakMap<readonly string[], Readonly<Record<string, readonly string[]>>>();

/** Listed values by the words that stand for them. */
function aliasKind(values: Readonly<Record<string, readonly string[]>>): Kind<string> {
  const tree = aliasTree(values);
  const announced: Kind<string>["announced"] = ({ text }, from, to) => {
    const found = aliasMentions(text.slice(from, to), tree);
    return found.flatMap(({ value, start, end }, index) => {
      // An alias of several values names none of them.
      const shared = [found[index - 1], found[index + 1]].some((other) => other?.start === start);
      return { value: shared ? null : value, start: from + start, end: from + end };
    });
  };
  return { announced, mentions: (reply) => announced(reply, 0, reply.text.length) };
}

/** Reads every field that has a rule out of a reply, without a judge. */
export function extractFields(template: Template, reply: string, options: ReadingOptions = {}): Readings {
  const extracted: [string, ExtractedField][] = [];
  for (const [name, field] of Object.entries(template.fields))
    if (field.extract !== undefined)
      extracted.push([name, extractValue(field.extract, field, reply, options)]);
  return extracted.length === 0 ? NOTHING_EXTRACTED : Object.fromEntries(extracted);
}

const NOTHING_EXTRACTED: Readings = Object.freeze({});

function convertLetter(letter: string, target: ExtractTarget): Converted {
  if (target.type === "string") return { value: letter };
  const values = enumValues(target).filter((value) => letterOf(value).includes(letter));
  return values.length > 1 ? null : values.length === 1 ? { value: values[0] } : undefined;
}

function fieldOf<Value>(decision: Decision<Value>, convert: (value: Value) => Converted): ExtractedField {
  if (decision.status !== "found") return { status: decision.status, value: null };
  const converted = convert(decision.value);
  if (converted === undefined) return { status: "absent", value: null };
  if (converted === null) return { status: "ambiguous", value: null };
  return { status: "found", value: converted.value, span: [decision.start, decision.end] };
}

type PatternRule = Extract<ExtractRule, { readonly type: "regex" }>;

/**
 * Occurrences × characters that are looked at: some patterns must look at the rest of the text for each occurrence.
 * Where there are more, the last one is not known, and the reply counts as ambiguous.
 */
const MOST_WORK = 10_000_000;
const FEWEST = 10;

/** Reads what a pattern's group matches in the raw reply, working in `<think>` blocks left out. */
export function readPattern(rule: PatternRule, reply: string): Decision<string> {
  const regex = linearRegexOf(rule);
  if ("problem" in regex) return { status: "absent" };
  const shown = shownText(reply);
  const text = shown.trimStart();
  const offset = shown.length - text.length;
  const group = rule.group ?? Math.min(1, regex.groupCount);
  const most = Math.max(FEWEST, Math.floor(MOST_WORK / (text.length + 1)));
  const first = (rule.which ?? "first") === "first";
  const { found, complete } = regex.captures(text, group, first ? FEWEST : most);
  // An empty match says nothing.
  const written = found.filter((capture) => capture.text.trim() !== "");
  const chosen = first ? written[0] : written.at(-1);
  if (!complete && (!first || chosen === undefined)) return { status: "ambiguous" };
  if (chosen === undefined) return { status: "absent" };
  return { status: "found", value: chosen.text, start: offset + chosen.start, end: offset + chosen.end };
}

const MONTH = anyOf(...MONTHS.map((month) => `${month.slice(0, 3)}(?:${month.slice(3)}|\\.)?`), "sept\\.?");

/** Whole days as `date_match` reads them: a month without a day, or a day without a year, is none. */
const days = lazyPattern(
  `(?<![\\w/.-])${anyOf(
    "\\d{4}-\\d{2}-\\d{2}",
    `${MONTH} \\d{1,2}(?:st|nd|rd|th)?(?:, ?| )\\d{4}`,
    `\\d{1,2}(?:st|nd|rd|th)? (?:of )?${MONTH}(?:, ?| )\\d{4}`,
    "\\d{1,2}/\\d{1,2}/\\d{4}",
  )}(?![\\w/-])`,
  "gi",
);

/** The dates that a reply names, as 1989-11-09; one that is no day of the calendar names none. */
const DATES: Kind<string> = {
  mentions: (reply) => datesIn(reply, 0, reply.text.length),
  announced: datesIn,
};

function datesIn({ text }: ReplyText, from: number, to: number): Mention<string>[] {
  return [...text.slice(from, to).matchAll(days())].map(({ 0: written, index }) => {
    const date = readDate(written);
    const pad = (number: number, length: number): string => String(number).padStart(length, "0");
    return {
      value: date === undefined ? null : `${pad(date.year, 4)}-${pad(date.month, 2)}-${pad(date.day, 2)}`,
      start: from + index,
      end: from + index + written.length,
    };
  });
}
