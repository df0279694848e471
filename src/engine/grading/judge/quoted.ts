import { words } from "../../../core/text/text-value.ts";

const SINGLE_QUOTES = /[\u2018\u2019\u201a\u201b\u2032]/g;
const DOUBLE_QUOTES = /[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;

/**
 * Looks for quotes in a reply. White space and the shapes of quotation marks and dashes make no difference, because
 * models change them; everything else must match.
 */
export function quoteFinder(reply: string): (quote: string) => boolean {
  let haystack: string | undefined;
  return (quote) => {
    haystack ??= comparable(reply);
    const needle = comparable(quote);
    return needle !== "" && haystack.includes(needle);
  };
}

function comparable(text: string): string {
  return words(text.normalize("NFC"))
    .join("")
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(DASHES, "-");
}

/** Where something stands in a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Lines of a reply that are at least this long are not in a judge's answer by chance. */
const TELLING = 12;

/** Says of passages in what a judge wrote whether the judge quotes them instead of saying them. */
export class QuotedPassages {
  readonly #text: string;
  readonly #isInReply: (quote: string) => boolean;
  #doubleQuotes: readonly number[] | undefined;
  #fences: readonly Span[] | undefined;

  constructor(text: string, reply: string) {
    this.#text = text;
    this.#isInReply = quoteFinder(reply);
  }

  /** True of a passage that is in the reply, in quotation marks, on a quoted line, or in a code block that repeats the reply. */
  has(passage: Span): boolean {
    return (
      this.#isInReply(this.#text.slice(passage.start, passage.end)) ||
      this.#isOnQuotedLine(passage) ||
      this.#isInQuotationMarks(passage) ||
      this.#isInRepeatedBlock(passage)
    );
  }

  #isOnQuotedLine({ start }: Span): boolean {
    const line = this.#text.lastIndexOf("\n", start - 1) + 1;
    return /^\s*>/.test(this.#text.slice(line, start));
  }

  #isInQuotationMarks({ start, end }: Span): boolean {
    const before = this.#text.slice(Math.max(0, start - 3), start).trimEnd();
    const after = this.#text.slice(end, end + 3).trimStart();
    const opening = before.at(-1) ?? "";
    const closing = PAIRS.get(opening);
    if (closing !== undefined && after.startsWith(closing)) return true;
    if (this.#depth("“”„", start) || this.#depth("«»", start)) return true;
    // A single mark may be the sign for inches: what is quoted has one before and one behind it.
    const marks = this.#marks();
    const earlier = countBelow(marks, start);
    return earlier % 2 === 1 && countBelow(marks, end) < marks.length;
  }

  /** True if more of a kind of marks open than close before the position. */
  #depth(marks: string, position: number): boolean {
    const [open = "", close = "", low = open] = marks;
    const last = Math.max(
      this.#text.lastIndexOf(open, position - 1),
      this.#text.lastIndexOf(low, position - 1),
    );
    if (last < 0 || position === 0) return false;
    return this.#text.lastIndexOf(close, position - 1) < last && this.#text.indexOf(close, position) >= 0;
  }

  /** Straight quotation marks of the prose; those of JSON come in pairs, so that they do not change what is odd. */
  #marks(): readonly number[] {
    this.#doubleQuotes ??= [...this.#text.matchAll(/"/g)].map(({ index }) => index);
    return this.#doubleQuotes;
  }

  #isInRepeatedBlock({ start, end }: Span): boolean {
    this.#fences ??= [...this.#text.matchAll(FENCE)].map(({ index, 0: whole }) => ({
      start: index,
      end: index + whole.length,
    }));
    const block = this.#fences.find((fence) => fence.start <= start && end <= fence.end);
    if (block === undefined) return false;
    const around = [this.#text.slice(block.start, start), this.#text.slice(end, block.end)].join("\n");
    return around
      .split("\n")
      .filter((line) => !line.trim().startsWith("```"))
      .some((line) => line.trim().length >= TELLING && this.#isInReply(line));
  }
}

/** From three backticks to the next three, or to the end. */
const FENCE = /```[\s\S]*?(?:```|$)/g;

const PAIRS: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["“", "”"],
  ["„", "“"],
  ["‘", "’"],
  ["«", "»"],
]);

/** How many of some positions in ascending order are below a limit. */
function countBelow(positions: readonly number[], limit: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
