import { cleanText, lowerCase } from "../../core/text/clean-text.ts";
import type { Decision } from "./decide.ts";
import { explicitAnswer, type PayloadReader } from "./explicit-answer.ts";
import type { TailText } from "./payloads.ts";
import { answerRanges, outerRanges, type Range, ReplyText, tailStart } from "./reply-text.ts";

/** A reply, whether it was cut off, and the question, which is empty if it is not known. */
export interface Source {
  readonly reply: string;
  readonly cut: boolean;
  readonly question: string;
}

/** How a rule reads: what is announced first, then the whole reply. */
export interface Reader<Value> {
  readonly payload: (tail: TailText) => PayloadReader<Value>;
  readonly decide: (text: ReplyText) => Decision<Value>;
  /** True if nothing else counts where something is announced. */
  readonly announcedOnly?: boolean;
}

/** A text that ends in the middle of a sentence, or in an open bracket, whatever is known of how it ended. */
const BREAKS_OFF =
  /(?:[,=+×/(]|(?<!:)\([^()\n]{1,80}|\b(?:the|an?|and|or|of|to|is|are|was|with|for|by|that|which|because|leaving|about|then|but|if|from|in|at|as|we))\s*$/;

/** True for JSON that has no end. */
function isOpenObject(reply: string): boolean {
  return /^\s*(?:```[a-z]*\s*)?\{\s*"/.test(reply) && !/[}`]$/.test(reply.trimEnd());
}

/** How much of a reply's end is read where it announces nothing. */
const END = 300;

/** Reads what a reply announces as its answer, or else what it says where it begins and ends. */
export function readReply<Value>(
  source: Source,
  { payload, decide, announcedOnly = false }: Reader<Value>,
): Decision<Value> {
  const { reply } = source;
  const ranges = answerRanges(reply);
  const cut = source.cut || BREAKS_OFF.test(reply.slice(-100)) || isOpenObject(reply);
  const explicit = readExplicit(reply, ranges, payload, cut);
  if (explicit !== undefined && explicit !== "doubt") return explicit;
  if (cut) return { status: "absent" };
  if (explicit === "doubt" && announcedOnly) return { status: "ambiguous" };
  const text = new ReplyText(reply, outerRanges(reply, ranges, END));
  const decision = decide(text);
  if (decision.status !== "found") return decision;
  const [start, end] = text.span(decision.start, decision.end);
  return { ...decision, start, end };
}

/** How much of a reply's end is searched for an announced answer: most replies end with it. */
const TAIL = 500;
/** A model that was not tuned to chat goes on with a question of its own. */
const NEXT_QUESTION = /\n[ \t]*(?:question|q|human|user|problem)(?: ?\d{1,3})? ?:/i;

function readExplicit<Value>(
  reply: string,
  ranges: readonly Range[],
  payload: (tail: TailText) => PayloadReader<Value>,
  cut: boolean,
): Decision<Value> | "doubt" | undefined {
  const [from, to] = ranges.at(-1) ?? [0, 0];
  const next = NEXT_QUESTION.exec(reply.slice(from, to))?.index;
  for (const end of next === undefined ? [to] : [from + next, to]) {
    const start = tailStart(reply, from, end, TAIL);
    const { text, span } = cleanText(reply, [[start, end]]);
    const lower = lowerCase(text);
    const ends = { cut: cut && end === to, whole: start === from };
    const found = explicitAnswer(lower, payload({ text, lower }), ends);
    if (found === "none") return { status: "absent" };
    if (found === "doubt") return found;
    if (found === undefined) continue;
    const [first, last] = span(found.start, found.end);
    return { status: "found", value: found.value, start: first, end: last };
  }
  return undefined;
}
