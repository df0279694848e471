import { cleanText, lowerCase } from "../../../core/text/clean-text.ts";

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
  #plain: string | undefined;
  /** The part of the reply that a part of the text was made of. */
  readonly span: (start: number, end: number) => readonly [start: number, end: number];

  constructor(reply: string) {
    const { text, span } = cleanText(shownText(reply));
    this.text = text;
    this.lower = lowerCase(text);
    this.span = span;
    this.sentences = sentencesOf(this.lower);
  }

  /** The text in lower case, in which dates, amounts and asides that limit nothing are blank. */
  get plain(): string {
    this.#plain ??= this.lower
      .replace(ASIDE, (found) => "".padEnd(found.length))
      .replace(ADJUNCT, (found) => "".padEnd(found.length));
    return this.#plain;
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

/** "Kilimanjaro, at 5,895 m, is the highest." */
const ASIDE =
  /, (?:(?:at|with|in) [^,.;\n]{0,24}\d[^,.;\n]{0,24}(?:,\d{3}[^,.;\n]{0,9})?|however|though|by contrast|on the other hand|of course|meanwhile),(?!\d)/g;
const MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)";
/** When and how much, at the end of a clause: "in 1903", "at 5,895 m", "with about 78 %". */
const ADJUNCT = new RegExp(
  `(?<![a-z])(?:since|in|on|at|with|by|of) (?:(?:about|around|roughly|some|over|only|just) )?(?:\\d{1,2} )?(?:${MONTH} )?(?:\\d{1,2}, )?[$€£]?\\d+(?:[.,]\\d+)*(?![.,]?\\d)(?: ?(?:%|percent|per cent|km²?|m²?|metres|meters|miles|°c|million|billion)(?![a-z]))?(?=\\s*(?:$|[.,;!—)]))`,
  "g",
);

const SENTENCE_END = /\n+|(?<![.!?…])[.!?…]+["')\]}]*(?=\s|$)|[。！？]|;(?= )/g;
/** Words after which a full stop does not end a sentence, and numbers of a list. */
const ABBREVIATION =
  /(?:^|[^a-z])(?:approx|e\.g|i\.e|vs|dr|mr|mrs|ms|prof|fig|eq|st|ca|no|opt|est|incl|cf)$|(?:^|\n)[^a-z0-9\n]{0,6}(?:1?\d|[a-z])$/;
/** A hard-wrapped line goes on in the next one: "the answer is not\nB" stays together. */
const OPEN_LINE =
  /(?:^|[^a-z])(?:not|n't|is|are|be|was|the|an?|of|to|and|or|nor|but|than|with|for|by|that|option)$/;

/** A longer sentence counts as several: what is looked at around a value is bounded, so that reading takes linear time. */
const LONGEST = 1_000;

function sentencesOf(lower: string): Place[] {
  const found: Place[] = [];
  let start = 0;
  const push = (end: number): void => {
    for (; end - start > LONGEST; start += LONGEST) found.push({ start, end: start + LONGEST });
    found.push({ start, end });
    start = end;
  };
  for (const { 0: mark, index } of lower.matchAll(SENTENCE_END)) {
    const before = lower.slice(Math.max(0, index - 12), index);
    if (mark === "\n" ? OPEN_LINE.test(before) : mark === "." && ABBREVIATION.test(before)) continue;
    push(index + mark.length);
  }
  if (start < lower.length) push(lower.length);
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

/** A reply in which everything that a reader does not see is blank: hidden text, and working in `<think>` blocks. */
export function shownText(reply: string): string {
  if (!/<[!a-z/]|\]:/i.test(reply)) return reply;
  const text = withoutWorking(reply);
  return text.replace(HIDDEN, (found, code) => (code === undefined ? blank(found) : found));
}

/** A line break, so that what stands before does not run into what stands behind. */
function blank(text: string): string {
  return text === "" ? "" : "\n".padEnd(text.length);
}

/**
 * What stands in `<think>…</think>` is working, so it is left out as long as the reply goes on after it. Some models open the
 * block in their prompt, so that only its end is in the reply; a block that never ends is a reply that was cut off.
 */
function withoutWorking(reply: string): string {
  let answer = "";
  let inside = "";
  let depth = 0;
  const add = (to: number, isWorking: boolean): void => {
    const part = reply.slice(answer.length, to);
    answer += isWorking ? blank(part) : part;
    inside += isWorking ? part : blank(part);
  };
  for (const { 0: tag, 1: slash, index } of reply.matchAll(WORKING)) {
    const closes = slash === "/";
    // An end without a beginning makes everything before it working.
    if (closes && depth === 0) {
      inside = reply.slice(0, answer.length);
      answer = blank(answer);
    }
    add(index, depth > 0 || closes);
    depth = Math.max(0, depth + (closes ? -1 : 1));
    answer += blank(tag);
    inside += blank(tag);
  }
  add(reply.length, depth > 0);
  return answer.trim() === "" && depth === 0 ? inside : answer;
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
