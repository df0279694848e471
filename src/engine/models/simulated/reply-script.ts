import { MONTHS, readDate } from "../../../core/checks/date-value.ts";
import { convertText, stancePair } from "../../../core/templates/convert-value.ts";
import { letterOf } from "../../../core/templates/extract-rule.ts";
import type { Template, TemplateField } from "../../../core/templates/template.ts";
import type { JsonValue } from "../../../core/values/json.ts";
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

interface ChosenAnswer {
  readonly intended: IntendedValues;
  readonly bodies: readonly string[];
  /** The first body that reads as intended by itself; undefined if none does. */
  readonly sound: string | undefined;
  readonly accepts: (reading: Reading) => boolean;
}

/** Bounds the memory of a long run; other texts are composed again. */
const MOST_REMEMBERED = 256;
const BODIES_TRIED = 3;
/** Rules of several fields may contradict each other in every wording; that is not worth more time. */
const MOST_READINGS = 200;

/**
 * All ways to give one answer to one question. Every text is read as a run would read it before it is used, so that words
 * around the answer never change what is read. Where no text reads as intended, it states the answer all the same.
 */
export class ReplyScript {
  readonly #template: Template;
  readonly #goal: AnswerGoal;
  readonly #texts = new Map<string, string>();
  /** Bodies that do not read as intended even by themselves. */
  readonly #unsound = new Set<string>();
  #chosen: ChosenAnswer | undefined;

  constructor(template: Template, goal: AnswerGoal) {
    this.#template = template;
    this.#goal = goal;
  }

  /** The text of a reply. */
  say(choice: WordingChoice): string {
    const { manner, opening, body, closing } = choice;
    const key = `${manner} ${opening} ${body} ${closing}`;
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = this.#compose(choice);
    if (this.#texts.size < MOST_REMEMBERED) this.#texts.set(key, text);
    return text;
  }

  /** True if what it says reads as intended. */
  get isSound(): boolean {
    return this.#answer().sound !== undefined;
  }

  #compose({ manner, opening, body, closing }: WordingChoice): string {
    const { intended, bodies, sound, accepts } = this.#answer();
    const wayAt = (list: readonly string[], index: number): string => list[index % list.length] ?? "";
    const start = wayAt(OPENINGS[manner], opening);
    const end = wayAt(CLOSINGS, closing);
    if (sound === undefined) return sentences(start, wayAt(bodies, body), end);
    const reads = (text: string): boolean => accepts(this.#read(text, intended));
    let tried = 0;
    for (let step = 0; step < bodies.length && tried < BODIES_TRIED; step++) {
      const middle = wayAt(bodies, body + step);
      // Also what is known to be unsound counts: the text must not depend on what was asked before.
      tried++;
      if (this.#unsound.has(middle)) continue;
      for (const text of [sentences(start, middle, end), sentences(start, middle)])
        if (reads(text)) return text;
      if (!reads(middle)) this.#unsound.add(middle);
    }
    for (const text of [sentences(start, sound, end), sentences(start, sound), sentences(sound, end)]) {
      if (reads(text)) return text;
    }
    return sound;
  }

  /** The plainest answer that reads as meant in some way of saying it; else one that at least has the intended verdict. */
  #answer(): ChosenAnswer {
    this.#chosen ??= this.#choose();
    return this.#chosen;
  }

  #choose(): ChosenAnswer {
    const { right, rawAnswer, state } = this.#goal;
    const fields = resolvedFields(this.#template, state);
    const isMeant = ({ verdict }: Reading): boolean => verdict === right;
    let plainest: ChosenAnswer | undefined;
    let roughly: ChosenAnswer | undefined;
    let readings = 0;
    for (const intended of intendedAnswers(this.#template, fields, this.#goal)) {
      const bodies = replyBodies(fields, intended, right ? rawAnswer : null);
      plainest ??= { intended, bodies, sound: undefined, accepts: isMeant };
      for (const body of bodies) {
        if (++readings > MOST_READINGS) return roughly ?? plainest;
        const reading = this.#read(body, intended);
        if (!isMeant(reading)) continue;
        const accepts = (other: Reading): boolean => other.faithful && isMeant(other);
        if (reading.faithful) return { intended, bodies, sound: body, accepts };
        roughly ??= { intended, bodies, sound: body, accepts: isMeant };
      }
    }
    return roughly ?? plainest ?? { intended: {}, bodies: [], sound: undefined, accepts: isMeant };
  }

  #read(text: string, intended: IntendedValues): Reading {
    return readReply(this.#template, text, { intended, state: this.#goal.state });
  }
}

/** What ends without a mark gets a line of its own. */
function sentences(...parts: readonly string[]): string {
  let text = "";
  for (const part of parts) {
    if (part === "") continue;
    const separator = text === "" ? "" : /[.!?)"'\]]$/.test(text) ? " " : "\n";
    text += separator + part;
  }
  return text;
}

const MOST_BODIES = 48;
/** A longer reference answer is an essay, not a part of a reply. */
const MAX_RAW_ANSWER = 1_000;

/** Ways to state an answer, without opening and closing words. */
export function replyBodies(
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
  const bodies: string[] = [];
  for (let form = 0; form < count; form++) {
    bodies.push(joined(statements, () => form));
    if (statements.length < 2) continue;
    bodies.push(joined([...statements].reverse(), () => form));
    bodies.push(joined(statements, (place) => form + place));
    bodies.push(joined(statements, (place) => (place === 0 ? form : 0), "\n"));
  }
  return [...new Set(bodies)];
}

function joined(
  statements: readonly (readonly string[])[],
  formAt: (place: number) => number,
  separator = " ",
): string {
  return statements.map((list, place) => list[formAt(place) % list.length]).join(separator);
}

function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?)\]"']$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

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

const YES = ["Yes.", "Yes, it is.", "Yes, as far as I can tell.", "The answer is yes.", "Yes, I think so."];
const NO = [
  "No.",
  "No, it is not.",
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
