import { type Converted, convertText, stancePair, wholeNumber } from "./convert-value.ts";
import type { ExtractRule } from "./extract-rule.ts";
import { type ExtractTarget, enumValues } from "./extract-target.ts";
import { optionLetters } from "./option-letters.ts";

/** Why a rule can never read a value of the target's type, as a sentence; null if it can. */
export function extractProblem(rule: ExtractRule, target: ExtractTarget): string | null {
  if (target.type === "array") return "No rule reads a list; leave `extract` out, and a judge reads it.";
  switch (rule.type) {
    case "letter":
      return letterProblem(rule, target);
    case "number":
      return numberProblem(target);
    case "stance":
      return stanceProblem(target);
    case "aliases":
      return aliasProblem(rule.values, target);
    case "regex":
      return null;
  }
}

function letterProblem(
  { options }: Extract<ExtractRule, { type: "letter" }>,
  target: ExtractTarget,
): string | null {
  if (target.type !== "string" && target.type !== "enum") return wrongType("A letter", target);
  const letters = optionLetters(options, target);
  if (letters.size === 0) return "The rule has no options: each must be a single letter from A to Z.";
  if (target.type === "string") return null;
  const known = optionLetters(undefined, target);
  const foreign = [...letters].find((letter) => !known.has(letter));
  return foreign === undefined
    ? null
    : `The option ${JSON.stringify(foreign)} is none of the field's values.`;
}

function numberProblem(target: ExtractTarget): string | null {
  if (target.type === "boolean" || target.type === "date") return wrongType("A number", target);
  if (target.type !== "enum") return null;
  const numbers = enumValues(target).some(
    (value) => typeof value === "number" || wholeNumber(value) !== undefined,
  );
  return numbers ? null : "None of the field's values is a number.";
}

function stanceProblem(target: ExtractTarget): string | null {
  if (target.type === "boolean") return null;
  if (target.type !== "enum") return wrongType("A stance", target);
  return stancePair(enumValues(target)) === undefined
    ? 'A stance is yes or no, but the field has no pair of values such as "yes" and "no" or "true" and "false".'
    : null;
}

function aliasProblem(
  values: Readonly<Record<string, readonly string[]>>,
  target: ExtractTarget,
): string | null {
  const names = Object.keys(values);
  if (names.length === 0) return "The rule has no values.";
  const foreign = names.find((name) => !isValue(convertText(name, target)));
  if (foreign === undefined) return null;
  return target.type === "enum"
    ? `The value ${JSON.stringify(foreign)} of the rule is none of the field's values.`
    : `The value ${JSON.stringify(foreign)} of the rule is not of the type ${target.type}.`;
}

function isValue(converted: Converted): boolean {
  return converted !== undefined && converted !== null;
}

function wrongType(what: string, target: ExtractTarget): string {
  return `${what} is never of the type ${target.type}.`;
}
