import { lowerCase } from "../../core/text/clean-text.ts";
import { cleanReply } from "./clean-reply.ts";
import { type Markers, markersOf } from "./markers.ts";

/** A reply prepared for rules: clean, in lower case beside it, and cut into sentences and clauses. */
export class ReplyText {
  readonly text: string;
  /** The text in lower case, character for character. */
  readonly lower: string;
  readonly strong: ReadonlySet<number>;
  readonly span: (start: number, end: number) => readonly [start: number, end: number];
  /** Where sentences begin. */
  readonly #sentences: Markers;
  /** Where clauses begin; sentences begin clauses too. */
  readonly #clauses: Markers;
  readonly #lines: Markers;

  constructor(reply: string) {
    const { text, strong, span } = cleanReply(reply);
    this.text = text;
    this.lower = lowerCase(text);
    this.strong = strong;
    this.span = span;
    this.#sentences = markersOf(this.lower, SENTENCE_END, (match) => endsSentence(this.lower, match));
    this.#clauses = markersOf(this.lower, CLAUSE_END);
    this.#lines = markersOf(this.lower, /\n/g);
  }

  sentenceStart(position: number): number {
    return this.#sentences.endBefore(position);
  }

  /** The end of the sentence, with its marks. */
  sentenceEnd(position: number): number {
    return this.#sentences.endAfter(position) ?? this.text.length;
  }

  clauseStart(position: number): number {
    return Math.max(this.#sentences.endBefore(position), this.#clauses.endBefore(position));
  }

  clauseEnd(position: number): number {
    return Math.min(this.sentenceEnd(position), this.#clauses.startAfter(position) ?? this.text.length);
  }

  lineStart(position: number): number {
    return this.#lines.endBefore(position);
  }

  lineEnd(position: number): number {
    return this.#lines.startAfter(position) ?? this.text.length;
  }

  /** True if the sentence at this place asks. */
  asks(position: number): boolean {
    const end = this.sentenceEnd(position);
    return this.text.slice(Math.max(position, end - 6), end).includes("?");
  }
}

const SENTENCE_END = /\n+|[.!?…]+["')\]}]*|[。!?]/g;

/** Words after which a full stop does not end a sentence, and numbers of a list. */
const ABBREVIATION =
  /(?:^|[^a-z])(?:approx|e\.g|i\.e|vs|dr|mr|mrs|ms|prof|fig|eq|st|ca|ans|opt|est|incl|cf)$|(?:^|\n)[^a-z0-9\n]{0,6}\d{1,2}$/;

/** Lines that break off in the middle of a sentence. */
const OPEN_LINE =
  /(?:^|[^a-z])(?:not|n't|is|are|be|was|the|an|of|to|and|or|nor|but|than|with|for|by|that|option|answer is)$/;

function endsSentence(lower: string, match: RegExpExecArray): boolean {
  const before = lower.slice(Math.max(0, match.index - 12), match.index);
  if (match[0].startsWith("\n")) {
    if (match[0] !== "\n") return true;
    // A hard-wrapped line goes on in the next one: "the answer is not\nB" must stay together.
    if (OPEN_LINE.test(before)) return false;
    return !(/[a-z,]$/.test(before) && /^[a-z]{2}/.test(lower.slice(match.index + 1, match.index + 3)));
  }
  const next = lower.charAt(match.index + match[0].length);
  if (next !== "" && next !== " " && next !== "\n" && /^[.!?…]/.test(match[0])) return false;
  return match[0] !== "." || !ABBREVIATION.test(before);
}

const CLAUSE_END =
  /[,;:—]|\s[-–]+\s|\((?![^()\n]{0,3}\))|(?<!\([^()\n]{0,3})\)|(?=(?<!(?:any|every)thing |none |all )\b(?:but|however|yet|so|because|since|although|though|while|whereas|therefore|thus|hence|then|which|who|nevertheless|nonetheless)\b)/g;
