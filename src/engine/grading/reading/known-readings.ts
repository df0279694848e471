import type { ExtractedField } from "../../../core/templates/extract-rule.ts";
import type { Template } from "../../../core/templates/template.ts";

/** How a reply ended and what it answers, where that is known. */
export interface ReadingOptions {
  /** `length` if the reply was cut off: then it is read only where it announces its answer. */
  readonly finish?: string | undefined;
  /** What the reply answers: a quantity that the question names is not taken for another answer. */
  readonly question?: string;
}

/** What rules read in a reply, by the names of fields. */
export type Readings = Readonly<Record<string, ExtractedField>>;

interface KnownReadings extends ReadingOptions {
  readonly readings: Readings;
}

const known = new WeakMap<Template, Map<string, KnownReadings>>();

/**
 * Notes what the rules of a template read in a reply, made by another thread with the same rules: `extractFields` gives it instead of
 * reading again. Returns what removes it.
 */
export function noteReadings(template: Template, reply: string, readings: KnownReadings): () => void {
  let replies = known.get(template);
  if (replies === undefined) {
    replies = new Map();
    known.set(template, replies);
  }
  const found = replies;
  found.set(reply, readings);
  return () => void found.delete(reply);
}

/** What was noted about a reply that ended in the same way and answers the same question. */
export function notedReadings(
  template: Template,
  reply: string,
  { finish, question }: ReadingOptions,
): Readings | undefined {
  const noted = known.get(template)?.get(reply);
  return noted !== undefined && noted.finish === finish && noted.question === question
    ? noted.readings
    : undefined;
}
