import { cleanText, lowerCase } from "../../core/text/clean-text.ts";

/** A part of a text, as offsets. */
export type Range = readonly [start: number, end: number];

/** A part of a text that rules look at. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** What a reader sees of a reply, without markup and working, cut into sentences. */
export class ReplyText {
  readonly text: string;
  /** The text in lower case, character for character. */
  readonly lower: string;
  readonly sentences: readonly Place[];
  /** The part of the reply that a part of the text was made of. */
  readonly span: (start: number, end: number) => Range;

  constructor(reply: string) {
    const { text, span } = cleanText(reply, shownRanges(reply));
    this.text = text;
    this.lower = lowerCase(text);
    this.span = span;
    this.sentences = sentencesOf(this.lower);
  }

  sentenceAt(position: number): Place {
    let low = 0;
    let high = this.sentences.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.sentences[middle] as Place).end > position) high = middle;
      else low = middle + 1;
    }
    return this.sentences[low] ?? { start: 0, end: this.text.length };
  }
}

const SENTENCE_END = /\n+|[.!?…]+["')\]}]*(?=\s|$)|[。！？]|;(?= )/g;
/** Words after which a full stop does not end a sentence, and numbers of a list. */
const ABBREVIATION =
  /(?:^|[^a-z])(?:approx|e\.g|i\.e|vs|dr|mr|mrs|ms|prof|fig|eq|st|ca|no|opt|est|incl|cf)$|(?:^|\n)[^a-z0-9\n]{0,6}(?:\d{1,2}|[a-z])$/;
/** A hard-wrapped line goes on in the next one: "the answer is not\nB" stays together. */
const OPEN_LINE =
  /(?:^|[^a-z])(?:not|n't|is|are|be|was|the|an?|of|to|and|or|nor|but|than|with|for|by|that|option)$/;

function sentencesOf(lower: string): Place[] {
  const found: Place[] = [];
  let start = 0;
  for (const { 0: mark, index } of lower.matchAll(SENTENCE_END)) {
    const before = lower.slice(Math.max(0, index - 12), index);
    if (mark === "\n" ? OPEN_LINE.test(before) : mark === "." && ABBREVIATION.test(before)) continue;
    found.push({ start, end: index + mark.length });
    start = index + mark.length;
  }
  if (start < lower.length) found.push({ start, end: lower.length });
  return found;
}

const CODE = "```[^]*?(?:```|$)|`[^`\\n]*`";
/** Comments, scripts, hidden elements and link definitions: a renderer shows nothing of them. */
const HIDDEN = new RegExp(
  [
    `(${CODE})`,
    "<!--[^]*?(?:-->|$)",
    "<(script|style|template)\\b[^]*?(?:</\\2>|$)",
    "<([a-z]+)\\s[^<>]{0,200}?(?:\\bhidden\\b|display:\\s*none)[^<>]{0,200}>[^]*?(?:</\\3>|$)",
    "(?<=^|\\n) {0,3}\\[[^\\]\\n]{1,99}\\]:[ \\t]*(?:#|<|/|https?:)[^\\n]*",
  ].join("|"),
  "gi",
);
const WORKING = /<(\/?)(?:think|thinking|thought|reasoning|scratchpad|analysis)>/gi;

/** The parts of a reply that a reader sees: without hidden text, and without working in `<think>` blocks. */
function shownRanges(reply: string): readonly Range[] {
  const answer = withoutWorking(reply);
  if (!/<[!a-z]|\]:/i.test(reply)) return answer;
  const hidden = [...reply.matchAll(HIDDEN)]
    .filter(([, code]) => code === undefined)
    .map(({ 0: text, index }): Range => [index, index + text.length]);
  let next = 0;
  return answer.flatMap(([start, end]) => {
    const shown: Range[] = [];
    let from = start;
    for (; next < hidden.length && (hidden[next] as Range)[0] < end; next++) {
      const [first, last] = hidden[next] as Range;
      if (first > from) shown.push([from, first]);
      from = Math.max(from, last);
    }
    if (from < end) shown.push([from, end]);
    return shown.filter((range) => isWritten(reply, range));
  });
}

/**
 * What stands in `<think>…</think>` is working, so it is left out as long as the reply goes on after it. Some models open the
 * block in their prompt, so that only its end is in the reply; a block that never ends is a reply that was cut off.
 */
function withoutWorking(reply: string): readonly Range[] {
  const answer: Range[] = [];
  const inside: Range[] = [];
  let depth = 0;
  let from = 0;
  for (const tag of reply.matchAll(WORKING)) {
    const closes = tag[1] === "/";
    // An end without a beginning makes everything before it working.
    if (closes && depth === 0) inside.push(...answer.splice(0));
    (depth > 0 || closes ? inside : answer).push([from, tag.index]);
    depth = Math.max(0, depth + (closes ? -1 : 1));
    from = tag.index + tag[0].length;
  }
  if (depth === 0) answer.push([from, reply.length]);
  const written = answer.filter((range) => isWritten(reply, range));
  return written.length > 0 || depth > 0 ? written : inside.filter((range) => isWritten(reply, range));
}

function isWritten(reply: string, [start, end]: Range): boolean {
  for (let index = start; index < end; index++) if (reply.charCodeAt(index) > 0x20) return true;
  return false;
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

/** The shown parts of a reply as one text, with markup; `span` converts its positions to those of the reply. */
export function shownText(reply: string): { readonly text: string; span(start: number, end: number): Range } {
  const ranges = shownRanges(reply).map(([start, end]): Range => {
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
