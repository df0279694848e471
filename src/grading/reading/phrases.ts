import { patternOnFirstUse } from "../../core/values/on-first-use.ts";

/** Alternatives, each a piece of a regular expression over text in lower case. */
export function anyOf(...alternatives: readonly string[]): string {
  return `(?:${alternatives.join("|")})`;
}

/** Whole words that are looked for everywhere: `phrases("not", "rul(?:e|ed) out")`. */
export function phrases(...alternatives: readonly string[]): () => RegExp {
  return patternOnFirstUse(`\\b${anyOf(...alternatives)}(?![a-z])`, "g");
}

/** True if a sticky pattern matches at the position. */
export function matchesAt(pattern: RegExp, text: string, position: number): boolean {
  pattern.lastIndex = position;
  return pattern.test(text);
}
