import { type CleanText, cleanText, lowerCase } from "../../core/text/clean-text.ts";
import { allMatches } from "./phrases.ts";

/** A reply prepared for rules: clean, in lower case beside it, and cut into sentences and clauses. */
export class ReplyText {
  readonly text: string;
  /** The text in lower case, character for character. */
  readonly lower: string;
  readonly strong: ReadonlySet<number>;
  readonly span: (start: number, end: number) => readonly [start: number, end: number];
  /** Where the last part of the reply begins, if something before it is left out. */
  readonly #tail: number;
  /** Where sentences end, with their marks. */
  readonly #ends: readonly number[];

  constructor(reply: string, parts: readonly Range[] = answerRanges(reply)) {
    const { text, strong, span } = cleanText(reply, parts);
    this.text = text;
    this.lower = lowerCase(text);
    this.strong = strong;
    this.span = span;
    this.#tail = parts.length > 1 ? (parts.at(-1)?.[0] ?? 0) : Number.POSITIVE_INFINITY;
    this.#ends = allMatches(SENTENCE_END, this.lower)
      .filter((match) => endsSentence(this.lower, match))
      .map((match) => match.index + match[0].length);
  }

  /** True if what stands before the position is not read in full. */
  isBehindGap(position: number): boolean {
    return this.#tail < Number.POSITIVE_INFINITY && this.span(position, position + 1)[0] >= this.#tail;
  }

  sentenceStart(position: number): number {
    return this.#ends.findLast((end) => end <= position) ?? 0;
  }

  /** The end of the sentence, with its marks. */
  sentenceEnd(position: number): number {
    return this.#ends.find((end) => end > position) ?? this.text.length;
  }

  clauseStart(position: number): number {
    const from = this.sentenceStart(position);
    const last = allMatches(CLAUSE_END, this.lower.slice(from, position + CLAUSE_WORD))
      .map((match) => from + match.index + match[0].length)
      .findLast((end) => end <= position);
    return last ?? from;
  }

  clauseEnd(position: number): number {
    const to = this.sentenceEnd(position);
    CLAUSE_END.lastIndex = 0;
    const next = CLAUSE_END.exec(this.lower.slice(position, to));
    return next === null ? to : position + next.index;
  }

  lineStart(position: number): number {
    return this.lower.lastIndexOf("\n", position - 1) + 1;
  }

  lineEnd(position: number): number {
    const end = this.lower.indexOf("\n", position);
    return end < 0 ? this.text.length : end;
  }

  /** True if the sentence at this place is a question. */
  asks(position: number): boolean {
    const end = this.sentenceEnd(position);
    return this.text.slice(Math.max(position, end - 6), end).includes("?");
  }
}

/** The longest word that begins a clause. */
const CLAUSE_WORD = 14;

const SENTENCE_END = /\n+|[.!?…]+["')\]}]*|[。!?]|;(?= )/g;

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

/** Makes a reply readable for rules; working in `<think>` blocks is left out. */
export function cleanReply(reply: string): CleanText {
  return cleanText(reply, answerRanges(reply));
}

/** A part of a text, as offsets. */
export type Range = readonly [start: number, end: number];

const TAGS = /<(\/?)(?:think|thinking|thought|reasoning|scratchpad|analysis)>/gi;

/**
 * The parts of a reply that answer. What stands in `<think>…</think>` is working, so it is left out as long as the
 * reply goes on after it. Some models open the block in their prompt, so that only its end is in the reply; a block
 * that never ends is a reply that was cut off before it answered.
 */
export function answerRanges(reply: string): readonly Range[] {
  if (!reply.includes("<")) return [[0, reply.length]];
  const answer: Range[] = [];
  const inside: Range[] = [];
  let depth = 0;
  let from = 0;
  for (const tag of reply.matchAll(TAGS)) {
    const closes = tag[1] === "/";
    // An end without a beginning makes everything before it working.
    if (closes && depth === 0) inside.push(...answer.splice(0));
    (depth > 0 || closes ? inside : answer).push([from, tag.index]);
    depth = Math.max(0, depth + (closes ? -1 : 1));
    from = tag.index + tag[0].length;
  }
  if (depth > 0) return answer.filter((range) => isWritten(reply, range));
  answer.push([from, reply.length]);
  const written = answer.filter((range) => isWritten(reply, range));
  return written.length > 0 ? written : inside.filter((range) => isWritten(reply, range));
}

/** How much is read of the beginning of a long reply. */
const HEAD = 150;

/** The parts of a long reply in which it states its answer: where it begins and where it ends, in whole sentences. */
export function outerRanges(reply: string, ranges: readonly Range[], end: number): readonly Range[] {
  const [first] = ranges;
  const last = ranges.at(-1);
  if (first === undefined || last === undefined) return ranges;
  if (ranges.reduce((sum, [from, to]) => sum + to - from, 0) <= HEAD + end) return ranges;
  const head = headEnd(reply, first[0], Math.min(first[1], first[0] + HEAD));
  const tail = tailStart(reply, Math.max(last[0], head), last[1], end);
  return [
    [first[0], head],
    [tail, last[1]],
  ];
}

/** The end of a line or sentence; "B. " begins one. */
const HEAD_END = /\n|(?<!(?:^|\s)[([]?[A-Za-z0-9])[.!?] /g;

function headEnd(reply: string, from: number, to: number): number {
  const at = [...reply.slice(from, to).matchAll(HEAD_END)].at(-1)?.index;
  return at === undefined ? from : from + at + 1;
}

/** The beginning of a line or sentence in the last characters of a part, or where they begin if there is none. */
export function tailStart(reply: string, from: number, to: number, most: number): number {
  if (to - from <= most) return from;
  const start = to - most;
  const match = /\n|[.!?] /.exec(reply.slice(start, Math.min(to, start + 300)));
  return match === null ? start : start + match.index + match[0].length;
}

/** "Would you like me to explain this further?", "I hope this helps!": how many replies close, after their answer. */
const CLOSING =
  /(?<=[.!?)\]}*"'$>\n]\s*)(?:(?:please )?let me know|i hope (?:this|that)|would you like|do you (?:want|have|need)|is there anything|please feel free|feel free|if you (?:have|need|want|would like))[^.!?\n]{0,100}[.!?]\s*$/i;

/** A reply without the sentence that it closes with. */
export function withoutClosing(reply: string): string {
  const from = Math.max(0, reply.length - 160);
  const at = CLOSING.exec(reply.slice(from))?.index;
  return at === undefined || from + at === 0 ? reply : reply.slice(0, from + at);
}

/** The answering parts as one text; `span` converts its positions to those of the reply. */
export interface AnswerText {
  readonly text: string;
  span(start: number, end: number): Range;
}

/** The reply without its working; what begins after working begins with its first word. */
export function answerText(reply: string): AnswerText {
  const ranges = answerRanges(reply).map(([start, end]): Range => {
    const blank = start === 0 ? 0 : (/^\s*/.exec(reply.slice(start, end))?.[0].length ?? 0);
    return [start + blank, end];
  });
  const offsets: number[] = [];
  let text = "";
  for (const [start, end] of ranges) {
    if (text !== "") text += "\n";
    offsets.push(start - text.length);
    text += reply.slice(start, end);
  }
  const source = (position: number, before: number): number => {
    const index = ranges.findLastIndex(([start], at) => start - (offsets[at] ?? 0) <= before);
    return position + (offsets[index] ?? 0);
  };
  return { text, span: (start, end) => [source(start, start), source(end, Math.max(start, end - 1))] };
}

function isWritten(reply: string, [start, end]: Range): boolean {
  for (let index = start; index < end; index++) if (reply.charCodeAt(index) > 0x20) return true;
  return false;
}
