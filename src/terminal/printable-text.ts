import { lazyPattern } from "../core/lazy.ts";

/** Control characters, halves of surrogate pairs and invisible formatting, except the joiners that scripts and emoji need. */
const unprintable = lazyPattern(String.raw`[[\p{Cc}\p{Cf}\p{Cs}]--[\u200c\u200d]]`, "gv");
/** The same, except line breaks and tabs. */
const unprintableInLines = lazyPattern(String.raw`[[\p{Cc}\p{Cf}\p{Cs}]--[\n\t\u200c\u200d]]`, "gv");

/**
 * A text on one line, safe for any terminal: white space becomes single spaces. Characters that move the cursor, set colours,
 * reverse the direction of writing or are invisible become `�`.
 */
export function printableText(text: string): string {
  return text.replace(/\s+/g, " ").trim().replace(unprintable(), "\ufffd");
}

/** The same for a text of several lines: line breaks and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(unprintableInLines(), "\ufffd");
}
