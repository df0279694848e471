import { patternOnFirstUse } from "../core/values/on-first-use.ts";

/** All that could move the cursor, set colours or hide, apart from line breaks, tabs and the joiners that scripts and emoji need. */
const unprintable = patternOnFirstUse(String.raw`[[\p{Cc}\p{Cf}\p{Cs}]--[\n\t\u200c\u200d]]`, "gv");

/** A text of several lines that is safe for any terminal: what it says is what a person sees. */
export function visibleText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(unprintable(), "\ufffd");
}
