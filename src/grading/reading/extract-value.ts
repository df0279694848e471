import { linearRegexOf } from "../../core/checks/linear-regex.ts";
import {
  type Converted,
  convertNumber,
  convertStance,
  convertText,
} from "../../core/templates/convert-value.ts";
import type { ExtractedField, ExtractRule } from "../../core/templates/extract-rule.ts";
import { type ExtractTarget, enumValues } from "../../core/templates/extract-target.ts";
import { letterOf, optionLetters } from "../../core/templates/option-letters.ts";
import type { Template } from "../../core/templates/template.ts";
import { type AliasTree, aliasMentions, aliasTree } from "./alias-matches.ts";
import { aliasStatement } from "./alias-statement.ts";
import { APPROVAL } from "./answer-cue.ts";
import { leadingCorrections } from "./correction.ts";
import { distributed } from "./distribution.ts";
import { groupMentions, type Mention, type MentionGroup } from "./mention.ts";
import { readLetter } from "./read-letter.ts";
import { readNumber } from "./read-number.ts";
import { answerText } from "./reasoning.ts";
import { ReplyText } from "./reply-text.ts";
import { type Settled, settle } from "./settle.ts";
import { type StanceMention, stanceMentions } from "./stance-mentions.ts";
import { Context, isOpen, type Standing, type Statement } from "./statement.ts";

/**
 * Reads one typed value out of a free reply, without a judge. Never guesses: a reply that can be read in two ways is
 * ambiguous, and a value that cannot be of the target's type is absent. Never throws; takes time in proportion to
 * the reply.
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

function convertLetter(letter: string, target: ExtractTarget): Converted {
  if (target.type === "string") return { value: letter };
  const values = enumValues(target).filter((value) => letterOf(value).includes(letter));
  return values.length > 1 ? null : values.length === 1 ? { value: values[0] } : undefined;
}

function read<Value>(
  reply: string,
  readRule: (context: Context) => Settled<Value>,
  convert: (value: Value) => Converted,
): ExtractedField {
  const text = new ReplyText(reply);
  const settled = readRule(new Context(text));
  if (settled.status !== "found") return fieldOf(settled, convert);
  const [start, end] = text.span(settled.start, settled.end);
  return fieldOf({ ...settled, start, end }, convert);
}

function fieldOf<Value>(settled: Settled<Value>, convert: (value: Value) => Converted): ExtractedField {
  if (settled.status !== "found") return { status: settled.status, value: null };
  const converted = convert(settled.value);
  if (converted === undefined) return { status: "absent", value: null };
  if (converted === null) return { status: "ambiguous", value: null };
  return { status: "found", value: converted.value, span: [settled.start, settled.end] };
}

/** Reads whether a reply says yes or no. */
export function readStance(context: Context): Settled<boolean> {
  const statements: Statement<boolean>[] = [];
  let previousEnd = 0;
  for (const mention of stanceMentions(context)) {
    statements.push(stanceStatement(context, mention, previousEnd));
    previousEnd = mention.end;
  }
  return settle(statements, { ...context.reversals, corrections: leadingCorrections(context.reply) });
}

function stanceStatement(context: Context, mention: StanceMention, previousEnd: number): Statement<boolean> {
  const { value, strength, start, end } = mention;
  const group: MentionGroup<unknown> = { mentions: [], start, end, join: "none" };
  const standing = context.standing(group, previousEnd, undefined);
  // "I don't think that's true" is a no; "I don't think that's wrong" may be anything.
  const flipped = standing === "denied" && value === true;
  const known: Standing = flipped ? "asserted" : standing === "denied" ? "doubtful" : standing;
  return { values: value === null ? [] : [flipped ? false : value], standing: known, strength, start, end };
}

type PatternRule = Extract<ExtractRule, { readonly type: "regex" }>;

/**
 * Occurrences × characters that are looked at: some patterns must look at the rest of the text for each occurrence.
 * Where there are more, the last one is not known, and the reply counts as ambiguous.
 */
const MOST_WORK = 10_000_000;
const FEWEST = 10;

/** Reads what a pattern's group matches in the raw reply, working in `<think>` blocks left out. */
export function readPattern(rule: PatternRule, reply: string): Settled<string> {
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

/**
 * Reads which of several values a reply names. What words announce as the answer decides; without them, the value
 * must be the only one that the reply names and does not deny.
 */
export function readAlias(context: Context, tree: AliasTree): Settled<string> {
  const groups = groupMentions<string, Mention<string>>(
    context.reply,
    aliasMentions(context.reply.text, tree),
  );
  const statements = distributed(
    context.reply,
    groups.map((group, index) =>
      aliasStatement(context, group, { previous: groups[index - 1], next: groups[index + 1] }),
    ),
  );
  const announced = statements.filter(({ strength }) => strength >= APPROVAL);
  const settled = settle(announced, context.reversals);
  if (settled.status === "found" && isTakenBack(statements, settled.value, settled.end))
    return { status: "ambiguous" };
  return settled.status === "absent" ? onlyValue(context, statements) : settled;
}

/** The value that is named, if it is the only one. */
function onlyValue(context: Context, statements: readonly Statement<string>[]): Settled<string> {
  const { reply, reversals } = context;
  const asserted = statements.filter(({ standing }) => standing === "asserted");
  const last = asserted.at(-1);
  const [value] = last?.values ?? [];
  if (last === undefined || value === undefined) {
    return { status: statements.some(isOpen) ? "ambiguous" : "absent" };
  }
  const { start, end } = last;
  const same = asserted.every(({ values }) => values.length === 1 && values[0] === value);
  if (!same || isTakenBack(statements, value, end)) return { status: "ambiguous" };
  if (statements.some((other) => isRival(context, other) && !isSetAside(reply, other, last))) {
    return { status: "ambiguous" };
  }
  if (reversals.retractions.startAfter(end) !== undefined) return { status: "ambiguous" };
  // "I can't say whether that is in Canberra": named, but not as an answer.
  if (reversals.refusals.has(0, reply.text.length)) return { status: "ambiguous" };
  return { status: "found", value, start, end };
}

/** True if a value is named in a way that lets it be the answer: "perhaps B", "although B is …". */
function isRival({ reply, unsaids }: Context, { standing, start }: Statement<string>): boolean {
  if (standing === "conceded") return true;
  return standing === "doubtful" && unsaids.wavers(reply.clauseStart(start), start);
}

const LESSER =
  /^["')\]}*]{0,3} (?:is|are|was|may be|might be|seems|looks|sounds)(?: [a-z]+ly| much| far| also| indeed)? (?:[a-z]+er|more|well|famous|popular|common|plausible)(?![a-z])/;
const PREDICATE =
  /\b(?:is|are|was|remains)(?: (?:still|indeed|actually|in fact|called|the|an?|clearly))? ["'(]{0,2}$/;

/** "Although Sydney is larger, the capital is Canberra": what is conceded of one leaves the other as the answer. */
function isSetAside(
  { lower }: ReplyText,
  rival: Statement<string>,
  { start, end }: Statement<string>,
): boolean {
  return (
    rival.end <= start &&
    LESSER.test(lower.slice(rival.end, rival.end + 40)) &&
    PREDICATE.test(lower.slice(Math.max(0, start - 30), start)) &&
    /^["')\]}*]{0,3}(?:[.!;]|\s*$)/.test(lower.slice(end, end + 10))
  );
}

function isTakenBack(statements: readonly Statement<string>[], value: string, end: number): boolean {
  return statements.some(
    ({ standing, values, start }) => standing === "denied" && start > end && values.includes(value),
  );
}

/** Reads every field that has a rule out of a reply, without a judge. */
export function extractFields(template: Template, reply: string): Readonly<Record<string, ExtractedField>> {
  const extracted = Object.entries(template.fields).flatMap(([name, field]) =>
    field.extract === undefined ? [] : [[name, extractValue(field.extract, field, reply)] as const],
  );
  return Object.fromEntries(extracted);
}
