import type { Kind, Mention } from "./kind.ts";
import type { Place, ReplyText } from "./reply-text.ts";
import { denialStart, isDeniedAfter, isSupposed } from "./standing.ts";

const STATED_BEFORE =
  /(?:\b(?:it|answer|one|that) (?:is|was)|\b(?:be|it's|that's|remains|answer)|answer:)(?: (?:still|clearly|definitely|actually|indeed))? (?:the |an? )?["'(]{0,2}$/;
/** At the end of a sentence: "To sum up: X.", "Therefore, X.", "I think X." */
const CONCLUDED_BEFORE = /(?:[:,]|\b(?:but|think|believe|say)) ["'(]{0,2}$/;
const CONCLUDED_AFTER = /^["')]{0,2}(?:[.!]|\s*$)/;
const STATED_AFTER =
  /^["')\]}]{0,3} (?:is|are|was) (?:indeed |actually )?(?:the )?(?:correct|right|answer|one)\b/;

/** True if a value behind an answer may be another answer: named in its sentence, on a line of its own, or stated. */
export function contradicts<Value>(
  reply: ReplyText,
  { isListed = false }: Kind<Value>,
  answer: Mention<Value>,
  other: Mention<Value>,
): boolean {
  const { lower } = reply;
  const isDenied = denialStart(lower, other) !== undefined;
  if (other.value === answer.value) return isDenied || isDeniedAfter(lower, other);
  const between = lower.slice(answer.end, other.start);
  if (isListed || isDenied) return isListed;
  if (/^["')\]]* \($/.test(between)) return true;
  if (other.start < reply.sentenceAt(answer.start).end)
    return !/[:(—]|\s[–-]\s|\b(?:because|since)\b/.test(between);
  const { start, end } = reply.sentenceAt(other.start);
  const isBare = !/[a-z]/.test(lower.slice(start, other.start) + lower.slice(other.end, end));
  return isBare || (isStatedAlone(reply, other) && !isSupposed(reply, other.start));
}

/** "The answer is B. The Bosporus (C) connects two seas." notes a listed letter. */
export function isNoted(lower: string, { start, end }: Place): boolean {
  const before = lower.slice(Math.max(0, start - 20), start);
  return (
    / (?!(?:than|both|like|only|with|option|choice|answer|choose|select|pick) )[a-z]{4,} \($/.test(before) &&
    /^\) [a-z]/.test(lower.slice(end))
  );
}

/** True if the words around a value say that it is the answer: "it is X", "X is correct". */
export function isStatedAlone({ lower }: ReplyText, { start, end }: Place): boolean {
  const before = lower.slice(Math.max(0, start - 40), start);
  const after = lower.slice(end, end + 40);
  return (
    STATED_BEFORE.test(before) ||
    (CONCLUDED_BEFORE.test(before) && CONCLUDED_AFTER.test(after)) ||
    STATED_AFTER.test(after)
  );
}
