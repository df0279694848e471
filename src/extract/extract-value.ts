import { aliasTree } from "./alias-matches.ts";
import { type Converted, convertNumber, convertStance, convertText } from "./convert-value.ts";
import type { ExtractedField, ExtractRule } from "./extract-rule.ts";
import { type ExtractTarget, enumValues } from "./extract-target.ts";
import { letterOf, optionLetters } from "./option-letters.ts";
import { readAlias } from "./read-alias.ts";
import { readLetter } from "./read-letter.ts";
import { readNumber } from "./read-number.ts";
import { readPattern } from "./read-pattern.ts";
import { readStance } from "./read-stance.ts";
import { ReplyText } from "./reply-text.ts";
import type { Settled } from "./settle.ts";
import { Context } from "./statement.ts";

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
