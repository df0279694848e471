import { patternOnFirstUse } from "../../core/values/on-first-use.ts";
import { ANSWER, APPROVAL, type CueStrength } from "./answer-cue.ts";
import { CLOSERS } from "./negation.ts";
import { anyOf, matchesAt } from "./phrases.ts";

const BE = anyOf(
  ` ${anyOf(
    "is|are|was|would be|must be|should be|has to be|will be|being|seems(?: to be)?|looks|appears(?: to be)?",
    "remains|stands as|stands out as|comes out as",
  )}`,
  "'s",
);
const ADVERBS = `(?: ${anyOf(
  "also|both|all|clearly|definitely|obviously|therefore|thus|hence|indeed|still|actually|certainly|simply|just",
  "likely|most likely|probably|most probably|in fact|really|by far|undoubtedly|absolutely|ultimately",
  "of course|100%|in my opinion|in my view",
)}){0,3}`;
/** "Right about", "true if" and "correct in saying" take half of it back. */
const WHOLLY = `(?![a-z-])(?!,? ${anyOf(
  "but|although|though|however|if|only|unless|when|about|as far as|that|from|most|many|people|you|they|given",
  "at first|initially|on the surface|superficially",
  "in (?:some|certain|a sense|part|theory|principle|general|saying|that)|to (?:some|say|a)|for (?:some|certain)",
)})`;

const calledAnswer = patternOnFirstUse(
  `${CLOSERS}${BE}${ADVERBS} (?:the|my|our|your)?(?: ?${anyOf(
    "single|only|final|correct|right|best|better|most [a-z]+|clear|obvious|actual|true|logical|one",
  )}){0,3} ?(?:answer|choice|option|pick|solution|selection|diagnosis)${WHOLLY}`,
  "y",
);
const calledRight = patternOnFirstUse(
  `${CLOSERS}${anyOf(
    `${BE}${ADVERBS} (?:the )?(?:only |most )?(?:correct|right|true|best(?! known)|accurate|appropriate|likely)(?: one| fit)?${WHOLLY}`,
    `${BE}${ADVERBS} (?:the )?one${WHOLLY}`,
    " (?:fits|matches|answers|describes|explains)(?: (?:it|this))? best",
    " best (?:fits|matches|answers|describes|explains|represents)",
    " makes (?:the )?most sense",
    " it is(?![a-z ])",
    "(?: still)? (?:stands|holds)(?![a-z])(?! (?:for|out|up|in))",
    " remains (?:correct|unchanged|the same)",
  )}`,
  "y",
);

/** How plainly words after an answer approve of it: "B is the answer", "B is correct"; else undefined. */
export function approvalAfter(lower: string, end: number): CueStrength | undefined {
  if (matchesAt(calledAnswer(), lower, end)) return ANSWER;
  return matchesAt(calledRight(), lower, end) ? APPROVAL : undefined;
}
