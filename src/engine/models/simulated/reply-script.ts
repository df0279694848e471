import { MONTHS, readDate } from "../../../core/checks/date-value.ts";
import { convertText, stancePair } from "../../../core/templates/convert-value.ts";
import { ALPHABET, letterOf } from "../../../core/templates/extract-rule.ts";
import type { Template, TemplateField } from "../../../core/templates/template.ts";
import type { JsonValue } from "../../../core/values/json.ts";
import { INVENTED } from "./field-values.ts";
import { type AnswerGoal, intendedAnswers } from "./intended-answers.ts";
import { patternSample } from "./pattern-sample.ts";
import {
  type IntendedValues,
  type Reading,
  type ResolvedField,
  readReply,
  resolvedFields,
} from "./resolved-field.ts";
import { CLOSINGS, type Manner, NOTHING_TO_STATE, OPENINGS } from "./wording.ts";

/** Which of the ways to say something is taken; numbers beyond the last way count from the first again. */
export interface WordingChoice {
  readonly manner: Manner;
  readonly opening: number;
  readonly body: number;
  readonly closing: number;
}

/** Bounds the memory of a long run; other texts are composed again. */
const MOST_REMEMBERED = 256;
const BODIES_TRIED = 3;
/** Rules of several fields may contradict each other in every wording; that is not worth more time. */
const MOST_READINGS = 200;

/** All ways to give one answer to one question. */
export interface ReplyScript {
  /** True if what it says reads as intended. */
  readonly isSound: boolean;
  /** The text of a reply. */
  say(choice: WordingChoice): string;
}

/**
 * Prepares an answer. Every text is read as a run would read it before it is used, so that words around the answer never change what
 * is read. Where no text reads as intended, it states the answer all the same.
 */
export function replyScript(template: Template, goal: AnswerGoal): ReplyScript {
  const { bodies, sound, reads } = chosenAnswer(template, goal);
  const compose = ({ manner, opening, body, closing }: WordingChoice): string => {
    const wayAt = (list: readonly string[], index: number): string => list[index % list.length] ?? "";
    const start = wayAt(OPENINGS[manner], opening);
    const end = wayAt(CLOSINGS, closing);
    if (sound === undefined) return sentences(start, wayAt(bodies, body), end);
    const middles = bodies.slice(0, BODIES_TRIED).map((_, step) => wayAt(bodies, body + step));
    const texts = [...middles, sound].flatMap((middle) => [
      sentences(start, middle, end),
      sentences(start, middle),
    ]);
    return [...texts, sentences(sound, end)].find(reads) ?? sound;
  };
  const texts = new Map<string, string>();
  return {
    isSound: sound !== undefined,
    say(choice) {
      const { manner, opening, body, closing } = choice;
      const key = `${manner} ${opening} ${body} ${closing}`;
      const text = texts.get(key) ?? compose(choice);
      if (texts.size < MOST_REMEMBERED) texts.set(key, text);
      return text;
    },
  };
}

interface ChosenAnswer {
  readonly bodies: readonly string[];
  /** The first body that reads as intended by itself; undefined if none does. */
  readonly sound: string | undefined;
  /** True for a text that reads as intended. */
  readonly reads: (text: string) => boolean;
}

/** The plainest answer that reads as meant in some way of saying it; else one that at least has the intended verdict. */
function chosenAnswer(template: Template, goal: AnswerGoal): ChosenAnswer {
  const { right, rawAnswer, state } = goal;
  const fields = resolvedFields(template, state);
  let plainest: ChosenAnswer | undefined;
  let roughly: ChosenAnswer | undefined;
  let readings = 0;
  for (const intended of intendedAnswers(template, fields, goal)) {
    const bodies = replyBodies(fields, intended, right ? rawAnswer : null);
    const read = (text: string): Reading => readReply(template, text, { intended, state });
    const reads = (text: string): boolean => read(text).verdict === right;
    plainest ??= { bodies, sound: undefined, reads };
    for (const body of bodies) {
      if (++readings > MOST_READINGS) return roughly ?? plainest;
      const { verdict, faithful } = read(body);
      if (verdict !== right) continue;
      if (faithful) return { bodies, sound: body, reads: (text) => read(text).faithful && reads(text) };
      roughly ??= { bodies, sound: body, reads };
    }
  }
  return roughly ?? plainest ?? { bodies: [], sound: undefined, reads: () => false };
}

/** What ends without a mark gets a line of its own. */
function sentences(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .reduce((text, part) => `${text}${/[.!?)"'\]]$/.test(text) ? " " : "\n"}${part}`);
}

const MOST_BODIES = 48;
/** A longer reference answer is an essay, not a part of a reply. */
const MAX_RAW_ANSWER = 1_000;

/** Ways to state an answer, without opening and closing words. */
function replyBodies(
  fields: readonly ResolvedField[],
  intended: IntendedValues,
  rawAnswer: string | null,
): readonly string[] {
  const stated = fields.filter(({ name }) => (intended[name] ?? null) !== null);
  const isAlone = stated.filter(({ looksAtReply }) => !looksAtReply).length === 1;
  const statements = stated.map((field) => fieldStatements(field, intended[field.name] ?? null, isAlone));
  const plain = statements.length === 0 ? NOTHING_TO_STATE : joinedStatements(statements);
  if (rawAnswer === null || rawAnswer.trim() === "" || rawAnswer.length > MAX_RAW_ANSWER) {
    return plain.slice(0, MOST_BODIES);
  }
  const reference = asSentence(rawAnswer);
  const says = stated.every((field) => speaksFor(field, intended[field.name] ?? null, rawAnswer));
  const alternating = plain.map((body, index) => (index % 2 === 0 ? body : `${body} ${reference}`));
  return [...(says ? [reference] : []), ...alternating, ...plain].slice(0, MOST_BODIES);
}

/** The reference answer may stand alone where rules will try it, or where it has the value in it word for word. */
function speaksFor({ field, looksAtReply }: ResolvedField, value: JsonValue, rawAnswer: string): boolean {
  if (looksAtReply || field.extract !== undefined) return true;
  return typeof value === "string" && rawAnswer.toLowerCase().includes(value.toLowerCase());
}

/** Statements of all fields: in the same form, in forms that differ, and in the other order. */
function joinedStatements(statements: readonly (readonly string[])[]): readonly string[] {
  const count = Math.max(...statements.map((list) => list.length));
  const [only] = statements;
  const joined = (lists: typeof statements, formAt: (place: number) => number, separator = " "): string =>
    lists.map((list, place) => list[formAt(place) % list.length]).join(separator);
  const bodies = Array.from({ length: count }, (_, form) =>
    statements.length === 1
      ? [only?.[form] ?? ""]
      : [
          joined(statements, () => form),
          joined(statements.toReversed(), () => form),
          joined(statements, (place) => form + place),
          joined(statements, (place) => (place === 0 ? form : 0), "\n"),
        ],
  );
  return [...new Set(bodies.flat())];
}

function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?)\]"']$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Ways to state the only value that is asked for. */
function aloneStatements(value: string): readonly string[] {
  return [
    `The answer is ${value}.`,
    `I would say the answer is ${value}.`,
    `As far as I can tell, the answer is ${value}.`,
    `My answer is ${value}.`,
    `I am fairly confident that the answer is ${value}.`,
    `It is ${value}.`,
    `Answer: ${value}`,
    `${upperFirst(value)}.`,
  ];
}

const YES = ["Yes.", "Yes, it is.", "Yes, as far as I can tell.", "The answer is yes.", "Yes, I think so."];
const NO = [
  "No.",
  "No, it is not.",
  "No, as far as I can tell.",
  "The answer is no.",
  "No, I do not think so.",
];

/** Sentences that state a value for a field, in several ways; none if there is nothing to say. */
function fieldStatements(
  { name, field, looksAtReply }: ResolvedField,
  value: JsonValue,
  isAlone: boolean,
): readonly string[] {
  if (value === null) return [];
  if (looksAtReply) return [String(value), `I would put it like this: ${String(value)}`];
  const writings = valueWritings(field, value);
  const label = upperFirst(name.replaceAll(/[_-]+/g, " "));
  // The description that short forms of questions have says the question again.
  const asked = field.description.startsWith("the final answer of the reply")
    ? "My final answer"
    : upperFirst(field.description.replaceAll(/\bthe reply\b/g, "my answer").replace(/[.:]$/, ""));
  const labelled = writings.flatMap((written) => [`${label}: ${written}.`, `${asked}: ${written}.`]);
  const plain = writings.flatMap(aloneStatements);
  switch (field.extract?.type) {
    case undefined:
      // A bare yes says nothing without what it is about.
      if (typeof value === "boolean") return claimStatements(field.description, value) ?? labelled;
      return isAlone ? [...plain, ...labelled] : labelled;
    case "stance":
      return [...(isYes(field, value) ? YES : NO), ...labelled];
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

function isYes(field: TemplateField, value: JsonValue): boolean {
  if (typeof value === "boolean") return value;
  return field.type === "enum" && stancePair(field.values)?.yes === value;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How a value may be written in a reply, the usual way first. */
function valueWritings(field: TemplateField, value: JsonValue): readonly string[] {
  const rule = field.extract;
  if (rule?.type === "aliases") {
    // What stands for all other answers is no answer itself.
    const isOther = rule.otherwise === value && !Object.keys(rule.values).some((name) => /\d/.test(name));
    if (isOther) return INVENTED;
    const names = Object.entries(rule.values).filter(([name]) => convertText(name, field)?.value === value);
    if (names.length > 0) return names.flatMap(([name, aliases]) => [name, ...aliases.slice(0, 3)]);
  }
  if (rule?.type === "letter" || rule?.type === "option") {
    const [letter] = letterOf(value);
    const text = rule.type === "option" ? rule.options[ALPHABET.indexOf(letter ?? "")] : undefined;
    if (text !== undefined) return [letter as string, `${letter}) ${text}`, `option ${letter}`];
    if (letter !== undefined) return [letter, `(${letter})`, `option ${letter}`];
  }
  if (typeof value === "boolean") return value ? ["yes", "true"] : ["no", "false"];
  if (Array.isArray(value)) return [value.length === 0 ? "none" : value.map(String).join(", ")];
  const text = String(value);
  const date = field.type === "date" && typeof value === "string" ? readDate(value) : undefined;
  if (!date?.bare) return [text];
  const { year, month, day } = date;
  const name = upperFirst(MONTHS[month - 1] ?? "");
  const full = String(year).padStart(4, "0");
  return [text, `${day} ${name} ${full}`, `${name} ${day}, ${full}`, `${month}/${day}/${full}`];
}
