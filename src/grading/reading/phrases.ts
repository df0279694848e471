import { lazyPattern } from "../../core/lazy.ts";

/** Alternatives, each a piece of a regular expression over text in lower case. */
export function anyOf(...alternatives: readonly string[]): string {
  return `(?:${alternatives.join("|")})`;
}

/** Whole words that are looked for everywhere: `phrases("not", "rul(?:e|ed) out")`. */
export function phrases(...alternatives: readonly string[]): () => RegExp {
  return lazyPattern(`\\b${anyOf(...alternatives)}(?![a-z])`, "g");
}

/** True if a sticky pattern matches at the position. */
export function matchesAt(pattern: RegExp, text: string, position: number): boolean {
  pattern.lastIndex = position;
  return pattern.test(text);
}

/** The places in a text where a pattern occurs, in order and without overlap. */
export class Markers {
  readonly #starts: readonly number[];
  readonly #ends: readonly number[];

  constructor(starts: readonly number[], ends: readonly number[]) {
    this.#starts = starts;
    this.#ends = ends;
  }

  /** How many occurrences lie inside the range. */
  countIn(start: number, end: number): number {
    return Math.max(0, firstAbove(this.#ends, end) - firstAbove(this.#starts, start - 1));
  }

  /** True if an occurrence lies inside the range. */
  has(start: number, end: number): boolean {
    return this.countIn(start, end) > 0;
  }

  /** The end of the last occurrence that ends at or before the position; 0 if there is none. */
  endBefore(position: number): number {
    return this.#ends[firstAbove(this.#ends, position) - 1] ?? 0;
  }

  /** The start of the last occurrence that ends at or before the position. */
  startBefore(position: number): number | undefined {
    return this.#starts[firstAbove(this.#ends, position) - 1];
  }

  /** The start of the first occurrence that begins at or after the position. */
  startAfter(position: number): number | undefined {
    return this.#starts[firstAbove(this.#starts, position - 1)];
  }

  /** The end of the first occurrence that ends after the position. */
  endAfter(position: number): number | undefined {
    return this.#ends[firstAbove(this.#ends, position)];
  }
}

/** Finds a global pattern everywhere; the pattern must do bounded work at each place. */
export function markersOf(
  text: string,
  pattern: RegExp,
  counts: (match: RegExpExecArray) => boolean = () => true,
): Markers {
  const starts: number[] = [];
  const ends: number[] = [];
  for (const match of text.matchAll(pattern)) {
    if (!counts(match)) continue;
    starts.push(match.index);
    ends.push(match.index + match[0].length);
  }
  return new Markers(starts, ends);
}

/** The index of the first number above the limit, in an ascending list. */
function firstAbove(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
