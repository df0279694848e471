import { announcedAnswer } from "./announced.ts";
import type { Decision, Finding, Kind, Source } from "./kind.ts";
import { PATTERNS, type Pattern } from "./patterns.ts";
import { ReplyText, withoutClosing } from "./reply-text.ts";
import { isForeign } from "./standing.ts";

/** A text that ends in the middle of a sentence, or in an open bracket, whatever is known of how it ended. */
const BREAKS_OFF =
  /(?:[,=+×/(]|(?<!:)\([^()\n]{1,80}|\b(?:the|an?|and|or|of|to|is|are|was|with|for|by|that|which|because|leaving|about|then|but|if|from|in|at|as|we))\s*$|^\s*(?:```[a-z]*\s*)?\{\s*"[^}]*$/;
/** A model that was not tuned to chat goes on with a question of its own. */
const NEXT_QUESTION = /\n[ \t]*(?:question|q|human|user|problem)(?: ?\d{1,3})? ?:/i;

/** Reads what one of the patterns is sure of. Everything else is left unread. */
export function readReply<Value>(
  written: string,
  kind: Kind<Value>,
  { topic, asked, cut: cutOff }: Pick<Source<Value>, "topic" | "asked" | "cut">,
): Decision<Value> {
  const reply = withoutClosing(written);
  const next = NEXT_QUESTION.exec(reply)?.index;
  const before = next === undefined ? undefined : new ReplyText(reply.slice(0, next));
  if (before !== undefined) {
    const announced = announcedAnswer(sourceOf(before, kind, { topic, asked, cut: false }));
    if (announced !== undefined && !announced.isDoubtful && announced.value !== null)
      return placed(before, decisionOf(announced));
  }
  const text = new ReplyText(reply);
  const cut = cutOff || BREAKS_OFF.test(reply);
  return placed(text, decide(sourceOf(text, kind, { topic, asked, cut })));
}

/** A decision with its place in the reply. */
function placed<Value>(text: ReplyText, decision: Decision<Value>): Decision<Value> {
  if (decision.status !== "found") return decision;
  const [start, end] = text.span(decision.start, decision.end);
  return { ...decision, start, end };
}

function sourceOf<Value>(
  reply: ReplyText,
  kind: Kind<Value>,
  known: Pick<Source<Value>, "topic" | "asked" | "cut">,
): Source<Value> {
  return { reply, kind, ...known, mentions: kind.mentions(reply) };
}

/** The one decision that all kinds of values share: the first rank of patterns that finds something decides. */
function decide<Value>(source: Source<Value>): Decision<Value> {
  const { reply, kind, cut, mentions } = source;
  const marked = found("marked", source);
  const sure = marked.filter(({ isDoubtful }) => !isDoubtful);
  if (sure.length > 0) return agreed(sure, marked);
  if (cut) return { status: "absent" };
  if (marked.length > 0 && kind.isCommon) return { status: "ambiguous" };
  const concluded = kind.concluded?.(reply);
  if (concluded !== undefined) return decisionOf(concluded);
  if (mentions.length === 0) return { status: "absent" };
  if (isForeign(reply.lower)) return { status: "ambiguous" };
  const stated = found("stated", source);
  if (stated.length > 0) return agreed(stated);
  const [rest] = found("rest", source);
  return rest === undefined ? { status: "absent" } : decisionOf(rest);
}

function found<Value>(rank: Pattern["rank"], source: Source<Value>): Finding<Value>[] {
  return PATTERNS.filter((pattern) => pattern.rank === rank).flatMap((pattern) => pattern.find(source) ?? []);
}

/** The value that all findings have; ambiguous if there are several, or another one that is doubtful. */
function agreed<Value>(
  sure: readonly Finding<Value>[],
  all: readonly Finding<Value>[] = sure,
): Decision<Value> {
  const [first] = sure as [Finding<Value>];
  const agree =
    sure.every(({ value }) => value === first.value) &&
    all.every(({ value }) => value === null || value === first.value);
  return agree ? decisionOf(first) : { status: "ambiguous" };
}

function decisionOf<Value>({ value, start, end, isNothing = false }: Finding<Value>): Decision<Value> {
  if (value !== null) return { status: "found", value, start, end };
  return { status: isNothing ? "absent" : "ambiguous" };
}
