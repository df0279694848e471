import { type JudgedTrait, type MetricAnswers, scoreRange } from "../../core/templates/rubric.ts";
import { isRecord, ownValue } from "../../core/values/json.ts";
import { metricItems } from "./asked.ts";
import { readBoolean, readMember, readValue } from "./read-value.ts";
import { givenWords, traitWords } from "./value-words.ts";

/** What a judge answered to a trait: null if it could not tell. */
export type TraitAnswer = boolean | number | string | null | MetricAnswers;

/** An answer that was read, or what is wrong with it: sentences that name the place. */
export type ReadTrait = { readonly answer: TraitAnswer } | { readonly problems: readonly string[] };

/** The answer to a trait, checked against what the trait allows. */
export function readTrait(trait: JudgedTrait, given: unknown, place: string): ReadTrait {
  if (given === null) return { answer: null };
  if (trait.type === "metric") return readMetric(trait, given, place);
  const read = readAnswer(trait, given);
  // The types of the answers are those that `readAnswer` lets through.
  return read === undefined
    ? { problems: [wrongAnswer(place, traitWords(trait), given)] }
    : { answer: read.value as TraitAnswer };
}

function readAnswer(
  trait: Extract<JudgedTrait, { type: "llm" }>,
  given: unknown,
): { readonly value: unknown } | undefined {
  switch (trait.kind) {
    case "boolean":
      return readBoolean(given);
    case "literal":
      return readMember(Object.keys(trait.classes), given);
    case "score": {
      const read = readValue({ type: "integer" }, given);
      const { min, max } = scoreRange(trait);
      const score = read?.value;
      return typeof score === "number" && (score < min || score > max) ? undefined : read;
    }
  }
}

function readMetric(
  trait: Extract<JudgedTrait, { type: "metric" }>,
  given: unknown,
  place: string,
): ReadTrait {
  if (!isRecord(given)) return { problems: [wrongAnswer(place, "an object", given)] };
  const problems: string[] = [];
  const answers = metricItems(trait).map(({ key }) => {
    const answer = ownValue(given, key);
    const read = readBoolean(answer);
    if (read === undefined) problems.push(wrongAnswer(`${place}.${key}`, traitWords(trait), answer));
    return read === undefined ? null : (read.value as boolean | null);
  });
  if (problems.length > 0) return { problems };
  const count = trait.expected.length;
  return { answer: { expected: answers.slice(0, count), unexpected: answers.slice(count) } };
}

/** A complaint that the judge can act on; it names what was given, but does not repeat it. */
export function wrongAnswer(place: string, expected: string, given: unknown): string {
  return given === undefined
    ? `- ${place} is missing; expected ${expected}.`
    : `- ${place}: expected ${expected}, got ${givenWords(given)}.`;
}
