import type { Template } from "../template/template.ts";
import { type AnswerGoal, intendedAnswers } from "./intended-answers.ts";
import { type IntendedValues, type Reading, readReply } from "./reads-as.ts";
import { replyBodies } from "./reply-bodies.ts";
import { resolvedFields } from "./resolved-field.ts";
import { CLOSINGS, type Manner, OPENINGS } from "./wording.ts";

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

/** Everything said at once would fill the memory in a long run; what is said seldom is composed again. */
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
