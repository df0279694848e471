import type { Template } from "../../core/templates/template.ts";
import type { JsonValue } from "../../core/values/json.ts";
import { fieldStatements } from "./field-statements.ts";
import { type AnswerGoal, intendedAnswers } from "./intended-answers.ts";
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
      if (this.#unsound.has(middle)) continue;
      tried++;
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
