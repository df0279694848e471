import { MONTHS, readDate } from "../../core/checks/date-value.ts";
import { convertText, stancePair } from "../../core/templates/convert-value.ts";
import { letterOf } from "../../core/templates/extract-rule.ts";
import type { TemplateField } from "../../core/templates/template.ts";
import type { JsonValue } from "../../core/values/json.ts";
import { patternSample } from "./pattern-sample.ts";
import type { ResolvedField } from "./resolved-field.ts";

/** Ways to state the only value that is asked for. */
const ALONE: readonly ((value: string) => string)[] = [
  (value) => `The answer is ${value}.`,
  (value) => `I would say the answer is ${value}.`,
  (value) => `As far as I can tell, the answer is ${value}.`,
  (value) => `My answer is ${value}.`,
  (value) => `I am fairly confident that the answer is ${value}.`,
  (value) => `It is ${value}.`,
  (value) => `Answer: ${value}`,
  (value) => `${upperFirst(value)}.`,
];

const YES = [
  "Yes.",
  "Yes, that is correct.",
  "Yes, as far as I can tell.",
  "The answer is yes.",
  "Yes, I think so.",
];
const NO = [
  "No.",
  "No, that is not correct.",
  "No, as far as I can tell.",
  "The answer is no.",
  "No, I do not think so.",
];

/** Sentences that state a value for a field, in several ways; none if there is nothing to say. */
export function fieldStatements(
  { name, field, looksAtReply }: ResolvedField,
  value: JsonValue,
  isAlone: boolean,
): readonly string[] {
  if (value === null) return [];
  if (looksAtReply) return [String(value), `I would put it like this: ${String(value)}`];
  const writings = valueWritings(field, value);
  const label = upperFirst(name.replaceAll(/[_-]+/g, " "));
  const asked = upperFirst(field.description.replaceAll(/\bthe reply\b/g, "my answer").replace(/[.:]$/, ""));
  const labelled = writings.flatMap((written) => [`${label}: ${written}.`, `${asked}: ${written}.`]);
  const plain = writings.flatMap((written) => ALONE.map((sentence) => sentence(written)));
  switch (field.extract?.type) {
    case undefined:
      // A bare yes says nothing without what it is about.
      if (typeof value === "boolean") return claimStatements(field.description, value) ?? labelled;
      return isAlone ? [...plain, ...labelled] : labelled;
    case "stance":
      return [...(isYes(field.type === "enum" ? field.values : [], value) ? YES : NO), ...labelled];
    case "regex": {
      const { pattern, group } = field.extract;
      const samples = writings.flatMap((text) =>
        [group ?? 1, 0].map((place) => patternSample(pattern, { fill: { group: place, text } })),
      );
      return [...plain, ...samples, ...labelled];
    }
    default:
      return isAlone ? [...plain, ...labelled] : [...labelled, ...plain];
  }
}

const CLAIM =
  /^whether (?:the reply|it) (?:says|states|claims|holds|agrees|thinks|confirms|concludes) that (.+?)[.:]?$/i;

/** A field that asks whether something is said: it is said, or the contrary. */
function claimStatements(description: string, value: boolean): readonly string[] | undefined {
  const claim = CLAIM.exec(description)?.[1];
  if (claim === undefined) return undefined;
  return value
    ? [`I would say that ${claim}.`, `As far as I can tell, ${claim}.`, `Yes, ${claim}.`]
    : [
        `I would not say that ${claim}.`,
        `It is not the case that ${claim}.`,
        `No, I do not think that ${claim}.`,
      ];
}

function isYes(values: readonly (string | number)[], value: JsonValue): boolean {
  return typeof value === "boolean" ? value : stancePair(values)?.yes === value;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How a value may be written in a reply, the usual way first. */
export function valueWritings(field: TemplateField, value: JsonValue): readonly string[] {
  const rule = field.extract;
  if (rule?.type === "aliases") {
    const names = Object.entries(rule.values).filter(([name]) => convertText(name, field)?.value === value);
    if (names.length > 0) return names.flatMap(([name, aliases]) => [name, ...aliases.slice(0, 3)]);
  }
  if (rule?.type === "letter") {
    const [letter] = letterOf(value);
    if (letter !== undefined) return [letter, `(${letter})`, `option ${letter}`];
  }
  return plainWritings(value, field.type === "date");
}

function plainWritings(value: JsonValue, isDate: boolean): readonly string[] {
  if (typeof value === "boolean") return value ? ["yes", "true"] : ["no", "false"];
  if (Array.isArray(value)) return [value.length === 0 ? "none" : value.map(String).join(", ")];
  if (typeof value !== "string") return [String(value)];
  return isDate ? dateWritings(value) : [value];
}

function dateWritings(text: string): readonly string[] {
  const date = readDate(text);
  if (date === undefined || !date.bare) return [text];
  const { year, month, day } = date;
  const lower = MONTHS[month - 1] ?? "";
  const name = lower.charAt(0).toUpperCase() + lower.slice(1);
  const full = String(year).padStart(4, "0");
  return [text, `${day} ${name} ${full}`, `${name} ${day}, ${full}`, `${month}/${day}/${full}`];
}
