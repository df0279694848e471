import { ANSWER, CLAIM, type CueStrength } from "./answer-cue.ts";
import { matchesAt } from "./negation.ts";

const CLOSERS = "[\"')\\]}.*:]{0,4}(?: ?\\([^()\\n]{1,80}\\))?,?";
const ADVERB =
  "(?: (?:also|clearly|definitely|obviously|therefore|thus|indeed|still|likely|most likely|probably|most probably|actually|certainly|simply|just|in fact|really|by far|undoubtedly|absolutely|ultimately|in my opinion|in my view|both|all|hence|of course|100%))*";
const BE =
  "(?: (?:is|are|was|would be|must be|should be|has to be|seems(?: to be)?|looks|appears(?: to be)?|remains|stands as|stands out as|comes out as|will be|being)|'s)";
// "Right about", "true if" and "correct in saying" take back half of it.
const WHOLLY =
  "(?![a-z-])(?!,? (?:but|although|though|however|if|only|unless|when|about|at first|initially|on the surface|superficially|in (?:some|certain|a sense|part|theory|principle|general|saying|that)|to (?:some|say|a)|for (?:some|certain)|as far as|that|from))";

const NAMED = new RegExp(
  `${CLOSERS}${BE}${ADVERB} (?:the|my|our|your)?(?: ?(?:single|only|final|correct|right|best|better|most [a-z]+|clear|obvious|actual|true|logical|one))* ?(?:answer|choice|option|pick|solution|selection|diagnosis)${WHOLLY}`,
  "y",
);
const CALLED_RIGHT = new RegExp(
  `${CLOSERS}(?:${BE}${ADVERB} (?:the )?(?:only |most )?(?:correct|right|true|best|accurate|appropriate|likely|correct one|right one|best one|best fit|one)${WHOLLY}| (?:fits|matches|answers|describes|explains)(?: (?:it|this))? best| best (?:fits|matches|answers|describes|explains|represents)| makes (?:the )?most sense| it is(?![a-z ])|(?: still)? (?:stands|holds)(?![a-z])(?! (?:for|out|up|in))| remains (?:correct|unchanged|the same))`,
  "y",
);

/** How plainly words after an answer approve of it: "B is the answer", "B is correct"; else undefined. */
export function approvalAfter(lower: string, end: number): CueStrength | undefined {
  if (matchesAt(NAMED, lower, end)) return ANSWER;
  return matchesAt(CALLED_RIGHT, lower, end) ? CLAIM : undefined;
}
