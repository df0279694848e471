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
import { type AliasTree, aliasMentions, aliasTree } from "./alias-matches.ts";
import type { Decision } from "./decide.ts";
import { notedReadings, type ReadingOptions, type Readings } from "./known-readings.ts";
import { otherAnswer, otherQuantity, quantitiesOf } from "./other-answer.ts";
import { aliasPayload, letterPayload, numberPayload, stancePayload } from "./payloads.ts";
import { readAlias } from "./read-alias.ts";
import { readLetter } from "./read-letter.ts";
import { readNumber } from "./read-number.ts";
import { type Reader, readReply, type Source } from "./read-reply.ts";
import { readStance } from "./read-stance.ts";
import { answerText, withoutClosing } from "./reply-text.ts";
import type { Place } from "./standing.ts";

/**
 * Reads one typed value out of a free reply, without a judge. Never guesses: a reply that can be read in two ways is
 * ambiguous, and a value that cannot be of the target's type is absent. Never throws; takes time in proportion to
 * the reply.
 *
 * Rules other than patterns read what a reply announces as its answer (`explicit-answer.ts`). Where it announces
 * nothing, they look at where it names values, say how it means each of them (`standing.ts`), and decide (`decide.ts`).
 */
export function extractValue(
  rule: ExtractRule,
  target: ExtractTarget,
  reply: string,
  { finish, question = "" }: ReadingOptions = {},
): ExtractedField {
  const cut = finish === "length";
  const field = extractFrom(rule, target, {
    reply: rule.type === "regex" ? reply : withoutClosing(reply),
    cut,
    question,
  });
  return cut ? { ...field, cut } : field;
}

function extractFrom(rule: ExtractRule, target: ExtractTarget, source: Source): ExtractedField {
  switch (rule.type) {
    case "regex":
      return fieldOf(readPattern(rule, source.reply), (text) => convertText(text, target));
    case "letter": {
      const options = optionLetters(rule.options, target);
      const read = readReply(source, {
        payload: (tail) => letterPayload(tail, options),
        decide: (text) => readLetter(text, options),
      });
      return fieldOf(read, (letter) => convertLetter(letter, target));
    }
    case "number":
      return fieldOf(readReply(source, numberReader(rule.which)), (number) => convertNumber(number, target));
    case "aliases": {
      const tree = aliasTree(rule.values);
      const convert = (value: string): Converted => convertText(value, target);
      const read = readReply(source, {
        payload: (tail) => aliasPayload(tail, tree),
        decide: (text) => readAlias(text, tree),
      });
      if (read.status === "found" || rule.otherwise === undefined || source.cut)
        return fieldOf(read, convert);
      const other = otherValue(source, tree, rule.values);
      return fieldOf(
        other === undefined ? read : { status: "found", value: rule.otherwise, ...other },
        convert,
      );
    }
    case "stance":
      return fieldOf(readReply(source, { payload: stancePayload, decide: readStance }), (stance) =>
        convertStance(stance, target),
      );
  }
}

function numberReader(which: "first" | "last" = "last"): Reader<number> {
  return { payload: numberPayload, decide: (text) => readNumber(text, which), announcedOnly: true };
}

/** Where a reply answers with a value that is not listed; a reply that names a listed one does not. */
function otherValue(
  source: Source,
  tree: AliasTree,
  values: Readonly<Record<string, readonly string[]>>,
): Place | undefined {
  if (aliasMentions(source.reply, tree).length > 0) return undefined;
  const quantities = quantitiesOf(values);
  if (quantities === undefined) return otherAnswer(source.reply);
  return otherQuantity(source, quantities, () => readReply(source, numberReader()));
}

/** Reads every field that has a rule out of a reply, without a judge. */
export function extractFields(template: Template, reply: string, options: ReadingOptions = {}): Readings {
  const noted = notedReadings(template, reply, options);
  if (noted !== undefined) return noted;
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
