import { RE2JS } from "re2js";

/** A regular expression whose work grows linearly with the text, whatever the pattern. */
export interface LinearRegex {
  /** True if the pattern occurs anywhere in the text. */
  find(text: string): boolean;
  /** How often the pattern occurs without overlap; counting stops once there are `enough`. */
  count(text: string, enough?: number): number;
  /** What a group, by name or number, matched in the occurrences where it took part; looks at no more than `most`. */
  captures(text: string, group: string | number, most: number): Captures;
  /** How many groups the pattern has, apart from the whole match, which is number 0. */
  readonly groupCount: number;
  readonly groupNames: readonly string[];
}

/** What a group matched, in order. */
interface Captures {
  readonly found: readonly Capture[];
  /** False if there are more occurrences than were looked at. */
  readonly complete: boolean;
}

/** What a group matched, and where. */
interface Capture {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Why a regular expression cannot be used: a clause without a full stop, and what it is about. */
interface RegexProblem {
  readonly problem: string;
  readonly part: "pattern" | "flags";
}

/** A longer pattern is refused, because compiling it may take long. */
const MAX_PATTERN_LENGTH = 5_000;

/** Matching takes time in proportion to text × program, so the program (repeats written out) is bounded too. */
const MAX_PROGRAM_SIZE = 1_000;

const FLAGS: ReadonlyMap<string, number> = new Map([
  ["i", RE2JS.CASE_INSENSITIVE],
  ["m", RE2JS.MULTILINE],
  ["s", RE2JS.DOTALL],
]);

/** What has a pattern: a rule, a trait, a check. */
interface PatternOwner {
  readonly pattern: string;
  readonly flags?: string;
}

const compiled = new WeakMap<PatternOwner, LinearRegex | RegexProblem>();

/** The regular expression of a rule or a trait, compiled once if its owner can no longer change. */
export function linearRegexOf(owner: PatternOwner): LinearRegex | RegexProblem {
  const known = compiled.get(owner);
  if (known !== undefined) return known;
  const regex = compileLinearRegex(owner.pattern, owner.flags);
  if (Object.isFrozen(owner)) compiled.set(owner, regex);
  return regex;
}

/** Compiles a pattern in RE2 syntax; flags are letters out of `i`, `m` and `s`. Never throws. */
export function compileLinearRegex(pattern: string, flags = ""): LinearRegex | RegexProblem {
  let bits = 0;
  for (const flag of flags) {
    const bit = FLAGS.get(flag);
    if (bit === undefined)
      return { problem: `${JSON.stringify(flag)} is not a flag; there are i, m and s`, part: "flags" };
    bits |= bit;
  }
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return patternProblem(`it is longer than ${MAX_PATTERN_LENGTH} characters`);
  }
  try {
    const regex = RE2JS.compile(pattern, bits);
    if (regex.programSize() > MAX_PROGRAM_SIZE)
      return patternProblem("it is too large once its repeats are written out");
    return {
      find: (text) => regex.test(text),
      count: (text, enough) => countMatches(regex, text, enough),
      captures: (text, group, most) => capturesOf(regex, text, { group, most }),
      groupCount: regex.groupCount(),
      groupNames: Object.keys(regex.namedGroups()),
    };
  } catch (error) {
    return patternProblem(explain(pattern, error));
  }
}

/**
 * Stopping early is what keeps counting linear: after each match the search starts again and may have to look at
 * the rest of the text (`a.*z|a`), so a full count can take as many passes as there are matches.
 */
function countMatches(regex: RE2JS, text: string, enough = Number.POSITIVE_INFINITY): number {
  const matcher = regex.matcher(text);
  let count = 0;
  while (count < enough && matcher.find()) count++;
  return count;
}

/** Finds nothing if there is no such group. Looking at many occurrences can take as many passes, as with counting. */
function capturesOf(
  regex: RE2JS,
  text: string,
  { group, most }: { readonly group: string | number; readonly most: number },
): Captures {
  const known =
    typeof group === "string" ? Object.hasOwn(regex.namedGroups(), group) : isGroupNumber(regex, group);
  const found: Capture[] = [];
  if (!known) return { found, complete: true };
  const matcher = regex.matcher(text);
  let count = 0;
  while (matcher.find()) {
    if (++count > most) return { found, complete: false };
    const start = matcher.start(group);
    const end = matcher.end(group);
    if (start >= 0) found.push({ text: text.slice(start, end), start, end });
  }
  return { found, complete: true };
}

function isGroupNumber(regex: RE2JS, group: number): boolean {
  return Number.isInteger(group) && group >= 0 && group <= regex.groupCount();
}

function patternProblem(problem: string): RegexProblem {
  return { problem, part: "pattern" };
}

/** Syntax of backtracking engines that authors know and that no linear-time engine has. */
const FOREIGN_SYNTAX: readonly (readonly [RegExp, string])[] = [
  [/: `\(\?[=!]/, "lookahead is not supported, because matching must take linear time"],
  [/: `\(\?<[=!]/, "lookbehind is not supported, because matching must take linear time"],
  [/: `\\[1-9k]`/, "backreferences are not supported, because matching must take linear time"],
  [/: `\\[uU]`/, "\\u is not supported; write the character itself or \\x{00e9}"],
  [/: `\\Z`/, "\\Z is not supported; write \\z for the end of the text"],
];

function explain(pattern: string, error: unknown): string {
  const message = error instanceof Error ? error.message : "it cannot be read";
  const foreign = FOREIGN_SYNTAX.find(([sign]) => sign.test(message));
  if (foreign !== undefined) return foreign[1];
  // The engine repeats the whole pattern where it has no smaller part to show; the reader has it already.
  return message.replace(/^error parsing regexp: /, "").replace(`: \`${pattern}\``, "");
}
