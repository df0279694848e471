import { patternOnFirstUse } from "../core/values/on-first-use.ts";

/** Control characters, halves of surrogate pairs and invisible formatting, apart from the joiners that scripts and emoji need. */
const unprintable = patternOnFirstUse(String.raw`[[\p{Cc}\p{Cf}\p{Cs}]--[\u200c\u200d]]`, "gv");

/**
 * A text on one line, safe for any terminal: white space becomes single spaces, and what could move the cursor,
 * set colours, reverse the direction of writing or hide is replaced by `�`.
 */
export function printableText(text: string): string {
  return text.replace(/\s+/g, " ").trim().replace(unprintable(), "\ufffd");
}
