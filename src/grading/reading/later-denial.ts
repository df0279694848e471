import { patternOnFirstUse } from "../../core/values/on-first-use.ts";
import { anyOf } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";

const PRONOUN = "(?:it|that|this|he|she|they)";
const NOT = anyOf(
  "(?:is|was|are|were|has|have|does|do|did|would|can|could)(?:n't| not| never| no longer)",
  "(?:'s|'re) (?:not|never|no longer)|not|never|no longer|cannot|rather than|instead of",
);
/** What is denied is a thing, and so may be the one that was asked for: "not the capital", and not "not by 400". */
const THING = `(?: (?:been|be|make|mean|it|that|really|actually|officially|yet|in fact|is)){0,4} ${anyOf(
  "the|an?|its|my|our|your|their|here|correct|right|true|official",
)}(?![a-z])`;

/** What was so, or would be so, or is less than so: "used to be", "would be a better", "until 1923". */
const UNREAL = anyOf(
  "^[\"')\\]}*]{0,3}(?:,[^,]{1,60},)? (?:used to|would|could|might|may|ceased|lost|stopped|almost|nearly)(?![a-z])",
  "^[\"')\\]}*]{0,3} (?:is|was|has been) (?:almost|nearly|formerly|once|only|at best)(?![a-z])",
  "\\bonly (?:in|for|to|if|when)(?![a-z])",
  "\\b(?:until|till|up to) (?:1\\d|20)\\d\\d",
  "\\b(?:is|was|has|have|had|but|and) no(?! (?:longer|doubt|less|more))(?: [a-z]+)",
);
const inSentence = patternOnFirstUse(
  `(?:[,;—–)]|\\b(?:but|though|although|yet|and|however|albeit|which|who)),?(?: (?:but|though|although|yet|and|which|who))?(?: ${PRONOUN})?(?: (?:still|also|alone|of course))? ?${NOT}${THING}|\\b(?:rather than|instead of)${THING}|${UNREAL}`,
  "",
);
const nextSentence = patternOnFirstUse(
  `^["'(]{0,2}(?:(?:however|but|though|still|yet|of course|unfortunately),? ){0,2}${PRONOUN}(?: alone| still| also)? ?${NOT}${THING}`,
  "",
);
/** A reason tells of other things. */
const REASON = /\b(?:because|since)\b/;
const REACH = 200;

/**
 * True if a reply goes on to say what a value is not: "Sydney is a fine city, but not the capital". Looks no further
 * than the clause of the next value, which begins at `next`.
 */
export function isDeniedLater(reply: ReplyText, end: number, next: number | undefined): boolean {
  const limit = next === undefined ? reply.text.length : Math.max(end, reply.clauseStart(next));
  const sentence = reply.sentenceEnd(end);
  const rest = reply.lower.slice(end, Math.min(sentence, limit, end + REACH));
  if (inSentence().test(rest.slice(0, REASON.exec(rest)?.index))) return true;
  if (limit <= sentence) return false;
  return nextSentence().test(reply.lower.slice(sentence, Math.min(sentence + REACH, limit)).trimStart());
}
