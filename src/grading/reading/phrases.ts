import { MONTHS } from "../../core/checks/date-value.ts";
/** Alternatives, each a piece of a regular expression over text in lower case. */
export function anyOf(...alternatives: readonly string[]): string {
  return `(?:${alternatives.join("|")})`;
}

/**
 * A group that may be repeated, up to so many times. V8 copies a group that cannot be empty for each of up to three
 * repetitions, and copies within copies take tens of milliseconds to compile.
 */
export function upTo(most: number, group: string): string {
  return `(?:${group}|(?!)){0,${most}}`;
}

/** True if a sticky pattern matches at the position. */
export function matchesAt(pattern: RegExp, text: string, position: number): boolean {
  pattern.lastIndex = position;
  return pattern.test(text);
}

/** All matches of a global pattern. `matchAll` copies the pattern each time, which takes longer than to look for it in most replies. */
export function allMatches(pattern: RegExp, text: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match);
    if (match[0] === "") pattern.lastIndex++;
  }
  return found;
}

/** Adverbs that change nothing about what is said. */
export const ADVERBS: string = upTo(
  3,
  ` ${anyOf(
    "also|clearly|definitely|obviously|therefore|thus|hence|indeed|still|actually|certainly|simply|just|now|then",
    "likely|most likely|probably|in fact|really|by far|undoubtedly|absolutely|ultimately|of course|technically",
    "confidently|personally|factually|respectfully",
  )}`,
);

/** Verbs that say what something is, or seems to be. */
export const BE: string = ` ${anyOf(
  "is|are|was|were|would be|would have been|must be|should be|has to be|have to be|has been|can be|could be",
  "will be|being|seems?(?: to be)?|looks?|appears?(?: to be)?|remains",
)}`;

/** The name of a month. */
export const MONTH: string = anyOf(...MONTHS);

/** Words with which a speaker takes back what was said. */
export const RETRACTION: string = anyOf(
  "wait(?=[,.!…—])|hold on|scratch that|on second thoughts?|i(?:'ll| will| must)? (?:defer|concede)",
  "let me (?:re[- ]?(?:consider|check|think|evaluate|examine|calculate|compute|do)|think again|double[- ]check|try again|correct|revise|fix)",
  "i(?: was| am|'m) (?:wrong|mistaken)|i misspoke|i (?:made|have made|see) (?:an?|my|the) (?:[a-z]+ )?(?:mistake|error)",
  "(?:that|this)(?:'s| is| was| can't be| cannot be) (?:wrong|incorrect|not right|not correct|a mistake|an error|(?:right|correct)\\?)",
);
