import { deepEqual, isRecord, ownValue, type UnknownRecord } from "../../../core/values/json.ts";
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
interface FoundAnswer {
  readonly top: UnknownRecord;
  readonly fields: UnknownRecord | undefined;
  readonly traits: UnknownRecord | undefined;
}

/** Finds the object of an answer: structured output if there is any, else the JSON in its text that is not quoted from the reply. */
export function findAnswer(
  task: JudgeTask,
  answer: RawAnswer,
  reply = "",
): FoundAnswer | { readonly error: string } {
  if (isRecord(answer.object)) return sectionsOf(task, answer.object);
  const extracted = extractJson(answer.text, (object) => answersSome(task, object), reply);
  switch (extracted.status) {
    case "found":
      return sectionsOf(task, extracted.value);
    case "ambiguous":
      return { error: "- The answer holds several different JSON objects; expected exactly one." };
    case "quoted":
      return {
        error: "- The answer only quotes JSON. Answer with a JSON object of your own, and nothing else.",
      };
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
  parts: readonly { readonly key: string; readonly name: string }[],
  top: UnknownRecord,
  name: string,
): UnknownRecord | undefined {
  const given = ownValue(top, name);
  if (parts.length === 0) return {};
  if (given === null) return Object.fromEntries(parts.map(({ key }) => [key, null]));
  if (!isRecord(given)) return undefined;
  // Recorded answers and judges that are programs know the names, also those that cannot be keys everywhere.
  const named = parts.filter(
    (part) => part.key !== part.name && !Object.hasOwn(given, part.key) && Object.hasOwn(given, part.name),
  );
  if (named.length === 0) return given;
  const keys = new Map(named.map((part) => [part.name, part.key]));
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [keys.get(key) ?? key, value]));
}

/** The object in a text; ambiguous if there are several different ones, quoted if only the reply says it. */
type ExtractedJson =
  | { readonly status: "found"; readonly value: UnknownRecord }
  | { readonly status: "absent" | "ambiguous" | "quoted" };

/** How often the text may be read in total, so that the time is proportional to its length also for hostile input. */
const MAX_PASSES = 32;

/** How many characters are read in total: nothing else happens meanwhile. */
const MOST_READ = 2_000_000;

/** How many objects are looked at. */
const MOST_OBJECTS = 100;

/**
 * The JSON object in what a model wrote: alone, in a code block, or with words around it. Only objects that are wanted
 * count, also inside others. Among words, an object that the reply contains is a quotation, not the answer: a reply may contain a
 * perfect judgement. Of several different objects none is chosen.
 */
export function extractJson(
  text: string,
  isWanted: (object: UnknownRecord) => boolean,
  reply = "",
): ExtractedJson {
  const answer = withoutThoughts(text);
  const alone = strictObject(withoutBlock(answer));
  if (alone !== undefined && isWanted(alone)) return { status: "found", value: alone };

  const objects = objectsIn(answer, isWanted);
  if (objects.length > MOST_OBJECTS) return { status: "ambiguous" };
  const ofReply = objects.length === 0 ? [] : objectsIn(reply, isWanted);
  const own = objects.filter(
    ({ value, length }) =>
      length === answer.length || !ofReply.some((quoted) => deepEqual(quoted.value, value)),
  );
  const [first, ...others] = own;
  if (first === undefined) return { status: objects.length === 0 ? "absent" : "quoted" };
  if (others.some(({ value }) => !deepEqual(first.value, value))) return { status: "ambiguous" };
  return { status: "found", value: first.value };
}

/** The wanted objects in a text, one after another; `length` is that of the outermost JSON value. */
function objectsIn(
  text: string,
  isWanted: (object: UnknownRecord) => boolean,
): readonly { readonly value: UnknownRecord; readonly length: number }[] {
  const found: { readonly value: UnknownRecord; readonly length: number }[] = [];
  let work = 0;
  let next = 0;
  for (let start = text.indexOf("{"); start >= 0; start = text.indexOf("{", next)) {
    const { ok, end, ...result } = parseLenientJson(text, start);
    work += end - start;
    if (work > Math.min(MAX_PASSES * text.length, MOST_READ) || found.length > MOST_OBJECTS) break;
    next = start + 1;
    if (!ok || !("value" in result)) continue;
    // What an object contains is found as data: JSON in its texts is quoted.
    for (const value of wantedWithin(result.value, isWanted)) found.push({ value, length: end - start });
    next = end;
  }
  return found;
}

/** The value itself if it is wanted, else those that are within it. */
function* wantedWithin(
  value: unknown,
  isWanted: (object: UnknownRecord) => boolean,
): Generator<UnknownRecord> {
  if (isRecord(value) && isWanted(value)) yield value;
  else if (Array.isArray(value) || isRecord(value))
    for (const part of Object.values(value)) yield* wantedWithin(part, isWanted);
}

/** The content of a code block that is all there is. */
function withoutBlock(text: string): string {
  return /^```[a-z]*\s*\n([\s\S]*?)\n?```$/i.exec(text)?.[1]?.trim() ?? text;
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
