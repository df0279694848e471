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
