import { linearRegexOf } from "../../core/checks/linear-regex.ts";
import {
  type Converted,
  convertNumber,
  convertStance,
  convertText,
} from "../../core/templates/convert-value.ts";
import {
  type ExtractedField,
  type ExtractRule,
  type ExtractTarget,
  enumValues,
  letterOf,
  optionLetters,
} from "../../core/templates/extract-rule.ts";
import type { Template } from "../../core/templates/template.ts";
import { cleanText, lowerCase } from "../../core/text/clean-text.ts";
import { aliasTree } from "./alias-matches.ts";
import type { Decision } from "./decide.ts";
import { explicitAnswer, type PayloadReader } from "./explicit-answer.ts";
import { aliasPayload, letterPayload, numberPayload, stancePayload, type TailText } from "./payloads.ts";
import { otherAnswer, readAlias } from "./read-alias.ts";
import { readLetter } from "./read-letter.ts";
import { readNumber } from "./read-number.ts";
import { readStance } from "./read-stance.ts";
import {
  answerRanges,
  answerText,
  boundaryAfter,
  outerRanges,
  type Range,
  ReplyText,
  tailStart,
} from "./reply-text.ts";
import { Context } from "./statement.ts";

/**
 * Reads one typed value out of a free reply, without a judge. Never guesses: a reply that can be read in two ways is
 * ambiguous, and a value that cannot be of the target's type is absent. Never throws; takes time in proportion to
 * the reply.
 *
 * Rules other than patterns work in the same steps: clean the text (`reply-text.ts`), find where values are mentioned,
 * turn each mention into a statement with a standing and a strength (`statement.ts`), and decide (`decide.ts`).
 */
export function extractValue(
  rule: ExtractRule,
  target: ExtractTarget,
  reply: string,
  { finish }: ReadingOptions = {},
): ExtractedField {
  const cut = finish === "length";
  const field = extractFrom(rule, target, { reply, cut });
  return cut ? { ...field, cut } : field;
}

/** How a reply ended, where that is known. */
export interface ReadingOptions {
  /** `length` if the reply was cut off: then it is read only where it announces its answer. */
  readonly finish?: string;
}

interface Source {
  readonly reply: string;
  readonly cut: boolean;
}

function extractFrom(rule: ExtractRule, target: ExtractTarget, source: Source): ExtractedField {
  switch (rule.type) {
    case "regex":
      return fieldOf(readPattern(rule, source.reply), (text) => convertText(text, target));
    case "letter": {
      const options = optionLetters(rule.options, target);
      return read(source, {
        payload: (tail) => letterPayload(tail, options),
        decide: (context) => readLetter(context, options),
        convert: (letter) => convertLetter(letter, target),
      });
    }
    case "number":
      return read(source, {
        payload: numberPayload,
        decide: (context) => readNumber(context, rule.which ?? "last"),
        convert: (number) => convertNumber(number, target),
      });
    case "aliases": {
      const tree = aliasTree(rule.values);
      const convert = (value: string): Converted => convertText(value, target);
      const field = read(source, {
        payload: (tail) => aliasPayload(tail, tree),
        decide: (context) => readAlias(context, tree),
        convert,
      });
      if (field.status !== "absent" || rule.otherwise === undefined || source.cut) return field;
      const other = otherAnswer(source.reply);
      return other === undefined
        ? field
        : fieldOf({ status: "found", value: rule.otherwise, ...other }, convert);
    }
    case "stance":
      return read(source, {
        payload: stancePayload,
        decide: readStance,
        convert: (stance) => convertStance(stance, target),
      });
  }
}

/** Reads every field that has a rule out of a reply, without a judge. */
export function extractFields(
  template: Template,
  reply: string,
  options: ReadingOptions = {},
): Readonly<Record<string, ExtractedField>> {
  const extracted = Object.entries(template.fields).flatMap(([name, field]) =>
    field.extract === undefined ? [] : [[name, extractValue(field.extract, field, reply, options)] as const],
  );
  return Object.fromEntries(extracted);
}

function convertLetter(letter: string, target: ExtractTarget): Converted {
  if (target.type === "string") return { value: letter };
  const values = enumValues(target).filter((value) => letterOf(value).includes(letter));
  return values.length > 1 ? null : values.length === 1 ? { value: values[0] } : undefined;
}

/** How a rule reads: what is announced first, then the whole reply. */
interface Reader<Value> {
  readonly payload: (tail: TailText) => PayloadReader<Value>;
  readonly decide: (context: Context) => Decision<Value>;
  readonly convert: (value: Value) => Converted;
}

function read<Value>({ reply, cut }: Source, { payload, decide, convert }: Reader<Value>): ExtractedField {
  const ranges = answerRanges(reply);
  const explicit = readExplicit(reply, ranges, payload, cut);
  if (explicit !== undefined && explicit !== "doubt") return fieldOf(explicit, convert);
  if (cut) return { status: "absent", value: null };
  // A doubtful announcement needs all of the reply; without any, the answer stands at its beginning or end.
  const text = new ReplyText(reply, explicit === "doubt" ? ranges : outerRanges(reply, ranges));
  const decision = decide(new Context(text));
  if (decision.status !== "found") return fieldOf(decision, convert);
  const [start, end] = text.span(decision.start, decision.end);
  return fieldOf({ ...decision, start, end }, convert);
}

/** How much of a reply's end is searched for an announced answer: most replies end with it. */
const TAILS = [160, 500];
/** A model that was not tuned to chat goes on with a question of its own. */
const NEXT_QUESTION = /\n[ \t]*(?:question|q|human|user|problem)(?: ?\d{1,3})? ?:/i;

function readExplicit<Value>(
  reply: string,
  ranges: readonly Range[],
  payload: (tail: TailText) => PayloadReader<Value>,
  cut: boolean,
): Decision<Value> | "doubt" | undefined {
  const [from, to] = ranges.at(-1) ?? [0, 0];
  const next = NEXT_QUESTION.exec(reply.slice(from, to))?.index;
  const ends = next === undefined ? [to] : [from + next, to];
  let doubt = false;
  for (const end of ends) {
    for (const start of tailStarts(reply, from, end)) {
      const { text, span } = cleanText(reply, [[start, end]]);
      const lower = lowerCase(text);
      const found = explicitAnswer(lower, payload({ text, lower }), cut && end === to);
      if (found === "none") return { status: "absent" };
      doubt = found === "doubt";
      if (found === undefined || found === "doubt") continue;
      const [first, last] = span(found.start, found.end);
      return { status: "found", value: found.value, start: first, end: last };
    }
  }
  return doubt ? "doubt" : undefined;
}

/** Where to begin, the nearest to the end first. A short tail must begin with a sentence, or its words could mislead. */
function tailStarts(reply: string, from: number, to: number): readonly number[] {
  const [short = 0, long = 0] = TAILS;
  const all = tailStart(reply, from, to, long);
  if (to - all <= short) return [all];
  const near = boundaryAfter(reply, to - short, to);
  return near === undefined || near >= to ? [all] : [near, all];
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
  const { text, span } = answerText(reply);
  const group = rule.group ?? Math.min(1, regex.groupCount);
  const most = Math.max(FEWEST, Math.floor(MOST_WORK / (text.length + 1)));
  const first = (rule.which ?? "first") === "first";
  const { found, complete } = regex.captures(text, group, first ? FEWEST : most);
  // An empty match says nothing.
  const written = found.filter((capture) => capture.text.trim() !== "");
  const chosen = first ? written[0] : written.at(-1);
  if (!complete && (!first || chosen === undefined)) return { status: "ambiguous" };
  if (chosen === undefined) return { status: "absent" };
  const [start, end] = span(chosen.start, chosen.end);
  return { status: "found", value: chosen.text, start, end };
}
