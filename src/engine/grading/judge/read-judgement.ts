import { words } from "../../../core/text/text-value.ts";
import { isRecord, ownValue, type UnknownRecord } from "../../../core/values/json.ts";
import { findAnswer, type RawAnswer } from "./find-answer.ts";
import { fieldWords, type JudgeTask, type TaskField } from "./judge-task.ts";
import { readBoolean, readTrait, readValue, type TraitAnswer, wrongAnswer } from "./read-value.ts";

/** What a judge said of a field. */
export interface JudgedField {
  /** Null if the reply does not state it. */
  readonly value: unknown;
  /** The passage of the reply that states it, if one was asked for and is there. */
  readonly quote?: string;
  /** Why the value is null although the judge gave one. */
  readonly reason?: string;
}

/** What a judge answered, checked and typed. */
export interface ReadAnswer {
  /** The fields that could be read; all of them without an `error`. */
  readonly fields: Readonly<Record<string, JudgedField>>;
  readonly traits: Readonly<Record<string, TraitAnswer>>;
  /** Null if the judge could not tell, or was not asked. */
  readonly refused: boolean | null;
  /** What is wrong with the answer, for the judge to correct. */
  readonly error?: string;
}

/**
 * Reads the answer to a request: structured output if there is any, else the JSON in its text. Everything that was asked for
 * must be there and of its type; other keys are ignored. The error describes what is wrong, for a judge to correct; what is right
 * of such an answer is kept, so that one bad field or section does not cost the others.
 */
export function readJudgement(
  { task }: { readonly task: JudgeTask },
  { reply }: { readonly reply: string },
  answer: RawAnswer,
): ReadAnswer {
  const found = findAnswer(task, answer, reply);
  if ("error" in found) return { fields: {}, traits: {}, refused: null, error: found.error };

  const reading = new Reading(reply);
  const fields = task.fields.flatMap((field) => {
    if (found.fields === undefined) return [];
    const before = reading.problems.length;
    const read = reading.readField(field, found.fields);
    return reading.problems.length > before ? [] : [[field.name, read] as const];
  });
  if (found.fields === undefined) reading.missSection("fields", task.fields);
  const traits = task.traits.flatMap(({ name, key, trait }) => {
    if (found.traits === undefined) return [];
    const read = readTrait(trait, ownValue(found.traits, key), `traits.${key}`);
    if ("problems" in read) reading.problems.push(...read.problems);
    return "answer" in read ? [[name, read.answer] as const] : [];
  });
  if (found.traits === undefined) reading.missSection("traits", task.traits);
  const refused = task.refusal ? reading.readRefusal(found.top) : null;
  const { problems } = reading;
  return {
    fields: Object.fromEntries(fields),
    traits: Object.fromEntries(traits),
    refused,
    ...(problems.length === 0 ? {} : { error: problems.slice(0, SHOWN).join("\n") }),
  };
}

/** How many problems are listed: as many as a judge can be expected to correct. */
const SHOWN = 10;

class Reading {
  readonly problems: string[] = [];
  readonly #isQuoted: (quote: string) => boolean;

  constructor(reply: string) {
    this.#isQuoted = quoteFinder(reply);
  }

  readField({ key, field }: TaskField, answers: UnknownRecord): JudgedField {
    const place = `fields.${key}`;
    const given = ownValue(answers, key);
    if (!field.evidence) return { value: this.#readValue(field, given, place) };
    // Null instead of an object with two nulls is accepted.
    if (given === null) return { value: null };
    if (!isRecord(given)) {
      this.problems.push(wrongAnswer(place, 'an object with "quote" and "value"', given));
      return { value: null };
    }
    const value = this.#readValue(field, ownValue(given, "value"), `${place}.value`);
    const quote = this.#readValue({ type: "string" }, ownValue(given, "quote"), `${place}.quote`);
    if (value === null) return { value: null };
    // Read as a text above, so the type is right.
    return this.#withEvidence(value, quote as string | null);
  }

  missSection(name: string, parts: readonly { readonly key: string }[]): void {
    const keys = parts.map(({ key }) => JSON.stringify(key));
    this.problems.push(`- ${name}: expected an object with the keys ${keys.join(", ")}.`);
  }

  readRefusal(answers: UnknownRecord): boolean | null {
    const given = ownValue(answers, "refused");
    const read = readBoolean(given);
    if (read === undefined) this.problems.push(wrongAnswer("refused", "true, false or null", given));
    return (read?.value ?? null) as boolean | null;
  }

  #readValue(type: Parameters<typeof readValue>[0], given: unknown, place: string): unknown {
    const read = given === undefined ? undefined : readValue(type, given);
    if (read === undefined) this.problems.push(wrongAnswer(place, fieldWords(type), given));
    return read?.value ?? null;
  }

  #withEvidence(value: unknown, quote: string | null): JudgedField {
    if (quote === null) return { value: null, reason: "the judge gave no quote for it" };
    if (this.#isQuoted(quote)) return { value, quote };
    return { value: null, reason: "the quote that the judge gave is not in the reply" };
  }
}

const SINGLE_QUOTES = /[\u2018\u2019\u201a\u201b\u2032]/g;
const DOUBLE_QUOTES = /[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;

/**
 * Looks for quotes in a reply. White space and the shapes of quotation marks and dashes make no difference, because
 * models change them; everything else must match.
 */
export function quoteFinder(reply: string): (quote: string) => boolean {
  let haystack: string | undefined;
  return (quote) => {
    haystack ??= comparable(reply);
    const needle = comparable(quote);
    return needle !== "" && haystack.includes(needle);
  };
}

function comparable(text: string): string {
  return words(text.normalize("NFC"))
    .join("")
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(DASHES, "-");
}
