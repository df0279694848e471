import { isElsewhere } from "./elsewhere.ts";
import { type Markers, markersOf } from "./markers.ts";
import type { ReplyText } from "./reply-text.ts";
import {
  attributions,
  conceded,
  conditions,
  earlier,
  keeping,
  otherAnswers,
  others,
  supposed,
  tentative,
} from "./unsaid-words.ts";

/** Why a mention is not the speaker's own assertion, here and now. */
export type Unsaid = "others" | "doubtful" | "conceded";

/** Tells what the speaker asserts from what others say, what was said before, and what is only supposed. */
export class Unsaids {
  readonly #reply: ReplyText;
  readonly #others: Markers;
  readonly #earlier: Markers;
  readonly #otherAnswers: Markers;
  readonly #keeping: Markers;
  readonly #supposed: Markers;
  readonly #conceded: Markers;
  readonly #tentative: Markers;

  constructor(reply: ReplyText) {
    this.#reply = reply;
    this.#others = markersOf(reply.lower, others());
    this.#earlier = markersOf(reply.lower, earlier());
    this.#otherAnswers = markersOf(reply.lower, otherAnswers());
    this.#keeping = markersOf(reply.lower, keeping());
    this.#supposed = markersOf(reply.lower, supposed());
    this.#conceded = markersOf(reply.lower, conceded());
    this.#tentative = markersOf(reply.lower, tentative());
  }

  /** Looks at the words from `from` up to a mention, and at those after it; `approved` if those approve of it. */
  reason(from: number, { start, end }: Place, approved: boolean): Unsaid | undefined {
    const after = this.#reply.lower.slice(end, Math.min(end + 60, this.#reply.sentenceEnd(end)));
    // What stands behind a closing bracket or tag is about something else.
    const closed = /^["')]{0,2}(?:\}|\]\]|<\/)/.test(after);
    if (!closed && this.#reply.asks(end)) return "doubtful";
    if (this.#others.has(from, start) || this.#asideOfOthers(from, start)) return "others";
    if (!closed && attributions().test(after)) return "others";
    const kept = approved || this.#keeping.has(from, start);
    if (!kept && (this.#earlier.has(from, start) || this.#otherAnswers.has(from, start))) return "others";
    if (this.#supposed.has(from, start) || this.wavers(from, start)) return "doubtful";
    if (!closed && conditions().test(after)) return "doubtful";
    return this.#conceded.has(from, start) || isElsewhere(this.#reply, start, end) ? "conceded" : undefined;
  }

  /** True if words from `from` up to a mention say that it may be so: "perhaps B". */
  wavers(from: number, start: number): boolean {
    return this.#tentative.has(from, start);
  }

  /** "You said that, in your view, it is B": an aside does not end whose words they are. */
  #asideOfOthers(from: number, start: number): boolean {
    const said = this.#others.endBefore(start);
    if (said <= this.#reply.sentenceStart(start) || said > from || start - said > 160) return false;
    // "According to your book, B".
    return /^ (?:that,[^,]{1,60},[^,]*|(?:you|(?:your|their|his|her) [^,]{1,40}),[ "'(]*)$/.test(
      this.#reply.lower.slice(said, start),
    );
  }
}

interface Place {
  readonly start: number;
  readonly end: number;
}
