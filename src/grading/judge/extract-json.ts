import { deepEqual, isRecord, type UnknownRecord } from "../../core/values/json.ts";
import { parseLenientJson } from "./lenient-json.ts";

/** The object that a text holds; ambiguous if it holds several that differ. */
export type ExtractedJson =
  | { readonly status: "found"; readonly value: UnknownRecord }
  | { readonly status: "absent" | "ambiguous" };

/** How often the text may be read over in all, so that braces without end cost no more than time in proportion. */
const MAX_PASSES = 32;

/**
 * The JSON object in what a model wrote: alone, in a code block, or with words around it. Only objects that are wanted
 * count, also inside others. Of several different ones none is chosen: the judge may have quoted a hostile reply.
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

/** Some servers leave the thoughts of a model before its answer; only at the start, where nothing can have been quoted. */
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
