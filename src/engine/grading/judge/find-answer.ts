import { lazy } from "../../../core/lazy.ts";
import { deepEqual, isRecord, ownValue, type UnknownRecord } from "../../../core/values/json.ts";
import type { JudgeTask } from "./judge-task.ts";
import { parseLenientJson } from "./lenient-json.ts";
import { QuotedPassages, type Span } from "./quoted.ts";

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

/** The object in a text; ambiguous if there are several different ones, quoted if they are not the judge's own. */
export type ExtractedJson =
  | { readonly status: "found"; readonly value: UnknownRecord }
  | { readonly status: "absent" | "ambiguous" | "quoted" };

/** How often the text may be read in total, so that the time is proportional to its length also for hostile input. */
const MAX_PASSES = 32;

/** How many characters are read in total: nothing else happens meanwhile. */
const MOST_READ = 2_000_000;

/** How many objects are looked at: comparing each with the reply takes time. */
const MOST_OBJECTS = 100;

/**
 * The JSON object in what a model wrote: alone, in a code block, or with words around it. Only objects that are wanted
 * count, also inside others. Among words, what the judge quotes is not its answer: a reply may contain a perfect judgement. Of
 * several different objects none is chosen.
 */
export function extractJson(
  text: string,
  isWanted: (object: UnknownRecord) => boolean,
  reply = "",
): ExtractedJson {
  const answer = withoutThoughts(text);
  const alone = strictObject(withoutBlock(answer));
  if (alone !== undefined && isWanted(alone)) return { status: "found", value: alone };

  const quoted = new QuotedPassages(answer, reply);
  // A reply may be made so that the search is given up before a judgement that it contains.
  let isSearched = true;
  const ofReply = lazy(() => [...claimsIn(reply, isWanted, () => (isSearched = false))]);
  const isOfReply = (value: UnknownRecord): boolean =>
    ofReply().some((claim) => repeats(value, claim)) || !isSearched;
  let isQuoted = false;
  let looked = 0;
  let found: UnknownRecord | undefined;
  for (const { value, ...passage } of objectsIn(answer, isWanted)) {
    if (++looked > MOST_OBJECTS) return { status: "ambiguous" };
    const isWhole = answer.slice(0, passage.start) + answer.slice(passage.end) === "";
    if (!isWhole && (quoted.has(passage) || isOfReply(value))) {
      isQuoted = true;
      continue;
    }
    if (found !== undefined && !deepEqual(found, value)) return { status: "ambiguous" };
    found = value;
  }
  if (found !== undefined) return { status: "found", value: found };
  return { status: isQuoted ? "quoted" : "absent" };
}

/** Every object that a reply contains in a wanted one, also as a text in JSON or HTML. */
function* claimsIn(
  reply: string,
  isWanted: (object: UnknownRecord) => boolean,
  onGivenUp: () => void,
): Generator<UnknownRecord> {
  const decoded = new Set([reply, reply.replaceAll('\\"', '"'), reply.replaceAll("&quot;", '"')]);
  for (const text of decoded)
    for (const { value } of objectsIn(text, isWanted, onGivenUp)) yield* recordsWithin(value);
}

function* recordsWithin(value: unknown): Generator<UnknownRecord> {
  if (isRecord(value)) yield value;
  if (Array.isArray(value) || isRecord(value))
    for (const part of Object.values(value)) yield* recordsWithin(part);
}

const SECTIONS = ["fields", "traits", "refused"] as const;

/** True if an object says nothing that a claim does not say; what it has beside its sections makes no difference. */
function repeats(object: UnknownRecord, claim: UnknownRecord): boolean {
  const sections = SECTIONS.filter((name) => Object.hasOwn(object, name));
  if (sections.length === 0) return isPartOf(object, claim);
  return sections.every((name) => Object.hasOwn(claim, name) && isPartOf(object[name], claim[name]));
}

function isPartOf(part: unknown, whole: unknown): boolean {
  if (!isRecord(part) || !isRecord(whole)) return deepEqual(part, whole);
  const keys = Object.keys(part);
  return keys.length > 0 && keys.every((key) => Object.hasOwn(whole, key) && isPartOf(part[key], whole[key]));
}

/** The wanted objects in a text, one after another. */
function* objectsIn(
  text: string,
  isWanted: (object: UnknownRecord) => boolean,
  onGivenUp: () => void = () => {},
): Generator<Span & { readonly value: UnknownRecord }> {
  let work = 0;
  let next = 0;
  for (let start = text.indexOf("{"); start >= 0; start = text.indexOf("{", next)) {
    const { ok, end, ...result } = parseLenientJson(text, start);
    work += end - start;
    if (work > Math.min(MAX_PASSES * text.length, MOST_READ)) return onGivenUp();
    next = start + 1;
    if (!ok || !("value" in result)) continue;
    // What an object contains is found as data: JSON in its texts is quoted.
    for (const value of wantedWithin(result.value, isWanted)) yield { start, end, value };
    next = end;
  }
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
