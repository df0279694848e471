import { deepEqual, isRecord, ownValue, type UnknownRecord } from "../../core/values/json.ts";
import type { JudgeTask } from "./judge-task.ts";
import { parseLenientJson } from "./lenient-json.ts";

/** What a judge model returned: text, and an object if the provider parsed one. */
export interface RawAnswer {
  readonly text: string;
  readonly object?: unknown;
}

/** The answer as text, as it is kept. */
export function rawText({ text, object }: RawAnswer): string {
  return text === "" && object !== undefined ? (JSON.stringify(object) ?? "") : text;
}

/** The object of an answer, and its sections; a section that is missing is undefined. */
export interface FoundAnswer {
  readonly top: UnknownRecord;
  readonly fields: UnknownRecord | undefined;
  readonly traits: UnknownRecord | undefined;
}

/** Finds the object of an answer: structured output if there is any, else the JSON in its text. */
export function findAnswer(task: JudgeTask, answer: RawAnswer): FoundAnswer | { readonly error: string } {
  if (isRecord(answer.object)) return sectionsOf(task, answer.object);
  const extracted = extractJson(answer.text, (object) => answersSome(task, object));
  switch (extracted.status) {
    case "found":
      return sectionsOf(task, extracted.value);
    case "ambiguous":
      return { error: "- The answer holds several different JSON objects; expected exactly one." };
    case "absent":
      return { error: "- The answer holds no JSON object of the form that was asked for." };
  }
}

function answersSome({ fields, traits, refusal }: JudgeTask, object: UnknownRecord): boolean {
  return (
    (fields.length > 0 && Object.hasOwn(object, "fields")) ||
    (traits.length > 0 && Object.hasOwn(object, "traits")) ||
    (refusal && Object.hasOwn(object, "refused")) ||
    [...fields, ...traits].some(({ key }) => Object.hasOwn(object, key))
  );
}

function sectionsOf(task: JudgeTask, top: UnknownRecord): FoundAnswer {
  if (isFlat(task, top)) return { top, fields: top, traits: top };
  return {
    top,
    fields: section(task.fields, top, "fields"),
    traits: section(task.traits, top, "traits"),
  };
}

/** Judges often leave out the sections. This is accepted if no key could belong to two of them. */
function isFlat({ fields, traits }: JudgeTask, top: UnknownRecord): boolean {
  if (Object.hasOwn(top, "fields") || Object.hasOwn(top, "traits")) return false;
  const keys = ["refused", ...fields.map(({ key }) => key), ...traits.map(({ key }) => key)];
  return new Set(keys).size === keys.length;
}

/** The section, undefined if it is missing. Null instead of a section means null for everything in it. */
function section(
  parts: readonly { readonly key: string }[],
  top: UnknownRecord,
  name: string,
): UnknownRecord | undefined {
  const given = ownValue(top, name);
  if (parts.length === 0) return {};
  if (given === null) return Object.fromEntries(parts.map(({ key }) => [key, null]));
  return isRecord(given) ? given : undefined;
}

/** The object in a text; ambiguous if there are several different ones. */
export type ExtractedJson =
  | { readonly status: "found"; readonly value: UnknownRecord }
  | { readonly status: "absent" | "ambiguous" };

/** How often the text may be read in total, so that the time is proportional to its length also for hostile input. */
const MAX_PASSES = 32;

/**
 * The JSON object in what a model wrote: alone, in a code block, or with words around it. Only objects that are wanted
 * count, also inside others. Of several different ones none is chosen, because the judge may have quoted a hostile reply.
 */
export function extractJson(text: string, isWanted: (object: UnknownRecord) => boolean): ExtractedJson {
  const answer = withoutThoughts(text);
  const whole = strictObject(answer);
  if (whole !== undefined && isWanted(whole)) return { status: "found", value: whole };

  let found: UnknownRecord | undefined;
  let work = 0;
  let next = 0;
  for (let at = answer.indexOf("{"); at >= 0; at = answer.indexOf("{", next)) {
    const result = parseLenientJson(answer, at);
    work += result.end - at;
    if (work > MAX_PASSES * answer.length) break;
    next = at + 1;
    if (!result.ok || !isRecord(result.value) || !isWanted(result.value)) continue;
    if (found !== undefined && !deepEqual(found, result.value)) return { status: "ambiguous" };
    found = result.value;
    next = result.end;
  }
  return found === undefined ? { status: "absent" } : { status: "found", value: found };
}

const THOUGHTS = "<think>";
const THOUGHTS_END = "</think>";

/** Some servers put the thoughts of a model before its answer. Removed only at the start, where nothing can be quoted. */
function withoutThoughts(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith(THOUGHTS)) return trimmed;
  const end = trimmed.indexOf(THOUGHTS_END);
  return end < 0 ? trimmed : trimmed.slice(end + THOUGHTS_END.length).trim();
}

function strictObject(text: string): UnknownRecord | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
