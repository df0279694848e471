import { lazyPattern } from "../../core/lazy.ts";
import { BE as ANSWER_BE, GRADE, NOUN, OF_NOUN } from "./explicit-answer.ts";
import { ADVERBS, anyOf, BE, upTo } from "./phrases.ts";
import { CLOSERS } from "./standing.ts";

/**
 * How clearly a reply states a value: as its answer or choice, as a claim (`so it's B`), by calling it right
 * (`B is true`), which may be a step on the way, or not at all.
 */
export type Strength = 3 | 2 | 1 | 0;
export const ANSWER = 3;
export const CLAIM = 2;
export const APPROVAL = 1;

const I = `\\b(?:i|we)(?:'d|'ll|'m|'ve)?${upTo(2, " (?:would|will|am|have to|have|must|can|do|could|should|had|was)")}`;
const GOING = "(?: (?:going to|inclined to|gonna|like to|go ahead and))?";
const CHOOSE = anyOf(
  "choose|chosen|chose|choosing|pick(?:ed|ing)?|select(?:ed|ing)?|go(?:ing)? (?:with|for)|went with|sticking with",
  "opt(?:ed|ing)? for|vot(?:e|ed|ing) for|settl(?:e|ed|ing) on|lean(?:ing)? towards?|bet(?:ting)? on",
  "say(?:ing)?|answer(?:ing)?|guess(?:ing)?|conclude|maintain|recommend|prefer|suggest|propose|submit",
  "put(?: down)?|tick|mark|enter|name|write(?: down)?|give(?: you)?|tell (?:her|him|them|you)",
  "stick(?:ing)? (?:with|to)|stand(?:ing)? by|stay(?:ing)? with|keep(?:ing)?|confirm|reaffirm|diagnose this patient with",
);
const MY_ANSWER =
  "(?: (?:my|the) (?:original |initial |previous |first |earlier )?(?:answer|choice)(?: of| is| as|,|:)?)?";
const CHANGE =
  "(?:chang|switch|revis|updat|correct|amend)(?:e|es|ed|ing)?(?: (?:my|the) (?:answer|choice|response))?(?: from [^\\n.;]{1,30})? to";

/** Words that name an answer or a choice, or a mark for programs. */
const ANSWER_WORDS = anyOf(
  "\\bboxed ?\\{|####|<(?:final_?)?(?:answer|choice|option)>",
  `${upTo(3, `${GRADE} `)}(?<![a-z])${NOUN}(?:\\(s\\))?(?: ${OF_NOUN})?["')]?(?: ${ANSWER_BE}(?![a-z])|'s| ?[:=]+>?| ?[-–—→➜➡⇒]+>?(?= )|(?= ?\\n)|是| of)`,
  `${I}${ADVERBS}${GOING} ${CHOOSE}(?: that)?${MY_ANSWER}`,
  `(?:${I}${ADVERBS}${GOING} )?\\b${CHANGE}`,
  "(?:let's|let me|you should|you must|please|best to) (?:choose|pick|select|go with|tick|mark|put|enter|write)|(?<=(?:^|[.!\\n]) ?)tell (?:her|him|them)",
  "\\b(?:and|but|so) (?:chose|picked|selected|went with)|答案是",
  "(?<=^|\\n)(?:question|problem|q) ?\\d{1,3}[:.)]",
);

/** Words that state something, or set it right. */
const CLAIM_WORDS = `(?<![a-z])${anyOf(
  "(?:it|that|this)(?:'s| (?:is|are|was|remains|stays|must be|should be|would be|has to be|will be))(?: the)?",
  "so(?! (?:is|are|was|were|do|does|did|has|have|can|will|would)(?![a-z]))|therefore|thus|hence|consequently|overall|ultimately|namely|result(?: is)?|in conclusion|in short|in summary|in my (?:opinion|view)",
  "(?:looking for|in question|you (?:want|need)) is(?: the)?|(?<=(?:answer|choice), )which is|which is(?= (?:option|choice|answer) )",
  "leav(?:ing|es)(?: us with| only)?|left with|must be|has to be|have to be|correspond(?:s|ing) to|matches|supports|points? to|correct(?=:)",
  "(?:that|this|it|which) (?:gives|yields|makes(?: it)?|means|implies|indicates)(?: that)?",
  "(?<=(?:^|[.!?…\\n:;,]|so|then|just|simply) ?)(?:go(?:ing)? with|choose|select|pick|tick|mark|enter|write|lean(?:ing)? towards?|stand(?:ing)? by|sticking with|answer|still)",
  "i(?:'d)? (?:still |also |really |firmly |would )?(?:think|believe|guess|suppose|feel|reckon|say|contend)(?: that)?",
  "i(?:'m| am) (?:[a-z]+ )?(?:sure|certain|confident) (?:about|of)",
  "actually|in fact|wait(?=[,:])|no(?=[,:]| [–—-])|correction|(?:edit|update)(?=:)|or rather|but rather|but|rather|instead|scratch that|i mean|make that",
  "probably|likely|definitely|certainly|undoubtedly|without (?:a |any )?doubt|no doubt",
)}(?![a-z])`;

/** What may stand between a cue and its value. */
const OPENERS = anyOf(
  "[\\s\"'([{<$*:,#>–—✅✔❌✘-]|\\\\boxed",
  `${anyOf(
    "the|an?|option|choice|letter|answer|alternative|number|is|be|it|it's|only|either|both|statement",
    "therefore|thus|hence|still|definitely|clearly|certainly|indeed|probably|likely|most|actually|simply|just",
    "in fact|of course|obviously|undoubtedly|really|approximately|about|around|roughly|exactly|in|to be|las?|city of",
  )}(?![a-z])`,
);
/** They look back from a position, and so fail at the first word that is no cue. */
const answerBefore = lazyPattern(`(?<=(${ANSWER_WORDS})${OPENERS}*)`, "y");
const claimBefore = lazyPattern(`(?<=(${CLAIM_WORDS})${OPENERS}*)`, "y");

/** Words that announce a value. */
export interface AnswerCue {
  readonly start: number;
  readonly strength: Strength;
  /** True for a conclusion, which replaces what its sentence said before: "that gives 3, minus 1, so 2". */
  readonly concludes: boolean;
}

const CONCLUDES =
  /^(?:so|therefore|thus|hence|leav|but|actually|rather|instead|it is actually|or rather|wait|correction|scratch that|make that)|\b(?:chang|switch|revis)/;

/** The cue right before a position, no further back than a place. */
export function cueBefore(lower: string, from: number, position: number): AnswerCue | undefined {
  const offset = Math.max(from, position - 120);
  const before = lower.slice(offset, position);
  const answer = lookBack(answerBefore(), before);
  const words = answer ?? lookBack(claimBefore(), before);
  if (words === undefined) return undefined;
  const start = offset + before.lastIndexOf(words);
  return { start, strength: answer === undefined ? CLAIM : ANSWER, concludes: CONCLUDES.test(words) };
}

function lookBack(pattern: RegExp, before: string): string | undefined {
  pattern.lastIndex = before.length;
  return pattern.exec(before)?.[1];
}

/** "Right about", "true if" and "correct in saying" take half of it back. */
const WHOLLY = `(?![a-z-])(?!,? ${anyOf(
  "but|although|though|however|if|only|unless|when|about|as far as|that|from|most|many|people|you(?!(?:'re| are) looking for| (?:want|need|asked for))|they|given",
  "at first|initially|on the surface|superficially|(?:to|for) (?:the|an?|your) (?:previous|other|earlier|last|first|different)|to another",
  "in (?:some|certain|a sense|part|theory|principle|general|saying|that)|to (?:some|say|a)|for (?:some|certain)",
)})`;
const CALLED = "(?:answer|choice|option|pick|solution|selection|diagnosis)";
const calledAnswer = lazyPattern(
  `^${CLOSERS}${BE}${ADVERBS} (?:the|my|our|your)?${upTo(
    3,
    " ?(?:single|only|final|correct|right|best|better|most [a-z]+|clear|obvious|actual|true|logical|one)",
  )} ?${CALLED}${WHOLLY}`,
  "",
);
const calledRight = lazyPattern(
  `^${CLOSERS}${anyOf(
    `${BE}${ADVERBS} (?:(?:the )?(?:only |most )?(?:correct|right|true|best(?! known)|accurate|appropriate|likely)(?: one| fit)?(?! ${CALLED})|the (?:only )?one)${WHOLLY}`,
    " (?:fits|matches|answers|describes|explains)(?: (?:it|this))? best",
    " makes (?:the )?most sense| it is(?![a-z ])",
    "(?: still)? (?:stands|holds)(?![a-z])(?! (?:for|out|up|in))| remains (?:correct|unchanged|the same)| remains(?= ?(?:[.!]|$))",
  )}`,
  "",
);

/** How plainly words after a value approve of it: "B is the answer", "B is correct". */
export function approvalAfter(after: string): Strength {
  if (calledAnswer().test(after)) return ANSWER;
  return calledRight().test(after) ? APPROVAL : 0;
}
