import { patternOnFirstUse } from "../value/on-first-use.ts";
import { anyOf } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";

const PREPOSITION = "(?:on|in|at|with|without|under|for|by|from|before|after|during|outside|inside)";
/** Settings that are the question's own, or no settings at all. */
const HERE = anyOf(
  "this|these|that|those|my|our|your opinion|all|any case|fact|conclusion|short|summary|sum|total|general|addition",
  "other words|respect|elimination|definition|convention|light|view|what|balance|reflection|the whole|essence|context",
  "(?:the )?(?:given|present|same|end|example|basis|options?|question|following|above|case)",
);
const SETTING = `${PREPOSITION} (?!${HERE}(?![a-z]))`;

/** Conditions; "if I had to choose" is none. */
const CONDITION =
  "(?:if(?! (?:i |i'|forced|asked|pressed|pushed|so|you (?:want|need|ask)))|had|were|unless) ";
const fronted = patternOnFirstUse(
  `^["'(]{0,2}(?:(?:yes|no|well|but|and|so|sure),? )?(?:${SETTING}|${CONDITION})`,
  "",
);
const WOULD_BEFORE = /\bwould(?: [a-z]+)? be(?:en)?(?: [a-z]+){0,2} ["'([]{0,3}$/;
const WOULD_AFTER = /^["')\]}*.]{0,3} would(?![a-z])/;
const wouldElsewhere = patternOnFirstUse(
  `^["')\\]}*.]{0,3} would(?: [a-z]+){0,2} be(?:en)?(?: [a-z]+){1,4}?(?: ${SETTING}|,? (?:had|were) [a-z])`,
  "",
);
const behind = patternOnFirstUse(`^["')\\]}*]{0,3},? ${SETTING}`, "");

/** How far before a value its sentence may begin. */
const REACH = 100;

/** True if a reply says what would be so elsewhere: "On Earth it would be A", "A would be true on Earth". */
export function isElsewhere(reply: ReplyText, start: number, end: number): boolean {
  const to = Math.min(end + REACH, reply.sentenceEnd(end));
  const after = reply.lower.slice(end, to);
  if (wouldElsewhere().test(after)) return true;
  const from = reply.sentenceStart(start);
  if (start - from > REACH) return false;
  const before = reply.lower.slice(from, start).trimStart();
  const would = WOULD_BEFORE.test(before);
  if (!would && !WOULD_AFTER.test(after)) return false;
  return fronted().test(before) || (would && behind().test(after));
}
