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
import { aliasTree } from "./alias-matches.ts";
import type { Decision } from "./decide.ts";
import { readAlias } from "./read-alias.ts";
import { readLetter } from "./read-letter.ts";
import { readNumber } from "./read-number.ts";
import { readStance } from "./read-stance.ts";
import { answerText, ReplyText } from "./reply-text.ts";
import { Context } from "./statement.ts";

/**
 * Reads one typed value out of a free reply, without a judge. Never guesses: a reply that can be read in two ways is
 * ambiguous, and a value that cannot be of the target's type is absent. Never throws; takes time in proportion to
 * the reply.
 *
 * Rules other than patterns work in the same steps: clean the text (`reply-text.ts`), find where values are mentioned,
 * turn each mention into a statement with a standing and a strength (`statement.ts`), and decide (`decide.ts`).
 */
export function extractValue(rule: ExtractRule, target: ExtractTarget, reply: string): ExtractedField {
  switch (rule.type) {
    case "regex":
      return fieldOf(readPattern(rule, reply), (text) => convertText(text, target));
    case "letter":
      return read(
        reply,
        (context) => readLetter(context, optionLetters(rule.options, target)),
        (letter) => convertLetter(letter, target),
      );
    case "number":
      return read(
        reply,
        (context) => readNumber(context, rule.which ?? "last"),
        (number) => convertNumber(number, target),
      );
    case "aliases":
      return read(
        reply,
        (context) => readAlias(context, aliasTree(rule.values)),
        (value) => convertText(value, target),
      );
    case "stance":
      return read(reply, readStance, (stance) => convertStance(stance, target));
  }
}

/** Reads every field that has a rule out of a reply, without a judge. */
export function extractFields(template: Template, reply: string): Readonly<Record<string, ExtractedField>> {
  const extracted = Object.entries(template.fields).flatMap(([name, field]) =>
    field.extract === undefined ? [] : [[name, extractValue(field.extract, field, reply)] as const],
  );
  return Object.fromEntries(extracted);
}

function convertLetter(letter: string, target: ExtractTarget): Converted {
  if (target.type === "string") return { value: letter };
  const values = enumValues(target).filter((value) => letterOf(value).includes(letter));
  return values.length > 1 ? null : values.length === 1 ? { value: values[0] } : undefined;
}

function read<Value>(
  reply: string,
  readRule: (context: Context) => Decision<Value>,
  convert: (value: Value) => Converted,
): ExtractedField {
  const text = new ReplyText(reply);
  const decision = readRule(new Context(text));
  if (decision.status !== "found") return fieldOf(decision, convert);
  const [start, end] = text.span(decision.start, decision.end);
  return fieldOf({ ...decision, start, end }, convert);
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
