import { lazyPattern } from "../../core/lazy.ts";
import { anyOf } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";

const GRADE = anyOf(
  "final|correct|right|best|better|only|ultimate|overall|proper|actual|true|single|logical|definitive|exact",
  "most (?:likely|appropriate|accurate|suitable|plausible|probable|logical|reasonable)",
  "chosen|preferred|recommended|selected|revised|corrected|updated|new|numerical|my|the",
);
const NOUN = anyOf(
  "answer|ans|choice|option|alternative|(?<!each |every )letter|selection|pick|solution|verdict|conclusion|decision",
  "guess|bet|vote|diagnosis|prediction|judge?ment",
  // The languages in which models like to label their answers.
  "respuesta|réponse|antwort|lösung|risposta|resposta|antwoord|ответ|答案|答え|정답",
);
const OF_NOUN = anyOf(
  "choice|option|letter|key|here|overall|then|now|in this case|is clear|is as follows",
  "(?:to|for) (?:this|the|your|that)(?: [a-z]+){1,2}",
  "(?:to|for) (?:question|problem|part) [a-z0-9]{1,4}",
  "correcta|correcte|corretta",
);
const BE = anyOf(
  "is|was|are|will be|becomes|would be|would have to be|should be|should have been|must be|has to be",
  "remains(?: the same| unchanged)?|stays(?: the same)?|is (?:the same|unchanged)|has(?: not|n't) changed",
  "has always been|seems to be|appears to be|could be|might be|may be|can only be",
  "es|est|ist|è|é",
);
const LINK = ` ${BE}(?![a-z])(?: (?:still|now|clearly|therefore|thus|hence|indeed|definitely|as follows)(?![a-z]))?`;
const SEPARATOR = "[\"']?\\s?(?::|=+>?|→|->|[-–—]+>?(?=\\s)|是|は|为|為)";
/** "answer is", "answer to this question:", `"answer": `. */
const NAMED = `${NOUN}(?:\\(s\\))?(?: ${OF_NOUN})?["')]?(?:(?:${LINK}|'s)(?:${SEPARATOR})?|${SEPARATOR}|是|は)`;

const I =
  "\\b(?:i|we)(?:'d|'ll|'m|'ve)?(?: (?:would|will|am|have to|have|must|can|do|could|should|had|was)){0,2}";
const ADVERBS = `(?: ${anyOf(
  "still|also|just|now|then|therefore|thus|hence|definitely|probably|most likely|confidently|personally",
  "actually|strongly|rather|respectfully|firmly|ultimately|tentatively|cautiously",
  "going to|inclined to|gonna|like to|go ahead and",
)}){0,3}?`;
const CHOOSE = anyOf(
  "choose|chosen|chose|choosing|pick(?:ed|ing)?|select(?:ed|ing)?|go(?:ing)? (?:with|for)|went with",
  "opt(?:ed|ing)? for|vot(?:e|ed|ing) for|settl(?:e|ed|ing) on|lean(?:ing)? towards?|bet(?:ting)? on",
  "say(?:ing)?|answer(?:ing)?|guess(?:ing)?|conclude|maintain|recommend|prefer|suggest|propose|submit",
  "stick(?:ing)? (?:with|to)|stand(?:ing)? by|stay(?:ing)? with|keep|confirm|reaffirm",
);
const MY_ANSWER = "(?: my (?:original |initial |previous |first )?(?:answer|choice)(?: of| is| as|,|:)?)?";
const CHANGE =
  "(?:chang|switch|revis|updat|correct|amend)(?:e|es|ed|ing)?(?: (?:my|the) (?:answer|choice|response))?(?: from [^\\n.;]{1,30})? to";

/** `#### 42` with nothing else on its line; any other `####` is a heading. */
const HASHES =
  "####\\s?(?=[-+$€£]{0,2}[\\d.,]{0,19}\\d[%a-z°]{0,8}(?: [a-z°%/]{1,12}){0,2}\\.?\\s?(?:\\n|$)|\\(?[a-z]\\)?\\.?\\s?(?:\\n|$))";

/** Marks for programs, and what is called final. */
export const FINAL_WORDS: string = anyOf(
  "\\\\boxed ?\\{",
  HASHES,
  "<(?:final_?)?(?:answer|choice|option)>",
  "\\[\\[",
  `(?:${GRADE} ){0,2}\\bfinal (?:${GRADE} )?(?:${NAMED}|(?:answer|choice|verdict|decision|diagnosis)(?=\\n))`,
);

/** Words that name an answer or a choice. */
export const ANSWER_WORDS: string = anyOf(
  `(?:${GRADE} ){0,3}(?<![a-z])${NAMED}`,
  "(?<![a-z])(?:correct )?(?:answer|choice|solution)(?=\\n)",
  `${I}${ADVERBS} ${CHOOSE}(?: that)?${MY_ANSWER}`,
  `(?:${I}${ADVERBS} )?\\b${CHANGE}`,
  "(?:let's|let me|you should|you must|please|best to) (?:choose|pick|select|go with)",
  "\\b(?:vote|pick|choice) (?:goes|is) (?:to|for)|\\b(?:and|but) (?:chose|picked|selected|went with)",
  "\\bto answer (?:the|your|this) question",
  "(?<=^|\\n)(?:question|problem|q) ?\\d{1,3}[:.)]",
  // "A: B" after "Q: …"
  "(?<=^|\\n)a:(?= ?[\"'([]?[a-z][)\"'\\].]{0,2}(?:\\n|$))",
);

/** Words that state something, or set it right. */
export const CLAIM_WORDS: string = `\\b${anyOf(
  "(?:it|that|this|which)(?:'s| (?:is|are|remains|stays|must be|should be|would be|has to be|will be|was|could be|might be|may be))",
  "so|therefore|thus|hence|consequently|accordingly|ergo|overall|ultimately|namely|result(?: is)?|summary",
  "in conclusion|to conclude|in short|to sum up|in summary|tl;?dr|in my (?:opinion|view)|(?<=(?:^|[.!?…\\n]) ?)correct(?=:)",
  "leaving(?: us with)?|leaves(?: us with)?|left with|must be|has to be|have to be",
  "corresponds to|corresponding to|matches",
  // Advice and short forms: "Choose B.", "Going with B."
  "(?<=(?:^|[.!?…\\n:;,]|so|then|just|simply) ?)(?:go(?:ing)? with|choose|select|pick|lean(?:ing)? towards?|stand(?:ing)? by|sticking with)",
  "i(?:'d)? (?:still |also |really |firmly |would )?(?:think|believe|guess|suppose|feel|reckon|assume|conclude|would say|say|assert|contend)(?: that)?",
  "actually|in fact|wait(?=,)|no(?=,)|correction|(?:edit|update)(?=:)|or rather|rather|instead|sorry(?=,)|scratch that|i mean",
  "make that|on second thoughts?|on reflection",
  "maybe|perhaps|possibly|probably|likely|definitely|certainly|undoubtedly|without (?:a |any )?doubt|no doubt",
  "either|both|(?<=(?:^|[.!?…\\n]) ?)still",
)}\\b`;

/** Steps on the way to an answer. */
export const WORKING_WORDS: string = anyOf(
  "(?<![<>!≠=])=(?![=>])|≈|→|=>|->",
  "\\b(?:equals|is equal to|comes to|works out to|adds up to|amounts to|totals|gives|yields|makes)\\b",
);

/** What may stand between a cue and its answer. */
export const OPENERS: string = anyOf(
  "[\\s\"'([{<$*:=,#>-]|\\\\boxed",
  `${anyOf(
    "the|an?|option|choice|letter|answer|alternative|number|is|be|it|it's|either|both|only",
    "therefore|thus|hence|still|definitely|clearly|certainly|indeed|probably|likely|most|actually|simply|just",
    "in fact|of course|obviously|undoubtedly|really",
    "approximately|approx\\.?|about|around|roughly|nearly|almost|exactly|equal to|equals|a total of",
    "minus|negative|usd|eur|rs\\.?|la|l'option|die|el|opción|opção|letra|lettera|buchstabe",
  )}(?![a-z])`,
);

/**
 * How plainly words announce an answer. `final` is meant to be read by a program or closes the matter, `answer` names
 * an answer or a choice, `claim` states something (`so it's B`), `approval` calls something right (`B is true`), which
 * may be a step on the way, as `working` is (`= 12`).
 */
export type CueStrength = 5 | 4 | 3 | 2 | 1;
export const FINAL: CueStrength = 5;
export const ANSWER: CueStrength = 4;
export const CLAIM: CueStrength = 3;
export const APPROVAL: CueStrength = 2;
export const WORKING: CueStrength = 1;

/** Words that announce an answer. */
export interface AnswerCue {
  readonly start: number;
  readonly end: number;
  readonly strength: CueStrength;
}

const cue = lazyPattern(
  `(?<final>${FINAL_WORDS})|(?<answer>${ANSWER_WORDS})|(?<claim>${CLAIM_WORDS})|(?<working>${WORKING_WORDS})`,
  "g",
);

/** Every place where words announce an answer, in order. */
export function answerCues(reply: ReplyText): AnswerCue[] {
  const cues: AnswerCue[] = [];
  for (const match of reply.lower.matchAll(cue())) {
    const { final, answer, claim } = match.groups ?? {};
    const strength = final ? FINAL : answer ? ANSWER : claim ? CLAIM : WORKING;
    cues.push({ start: match.index, end: match.index + match[0].length, strength });
  }
  return cues;
}

const openers = lazyPattern(`^${OPENERS}*$`, "");

/** True if nothing but openers stands between a cue and what it announces. */
export function announces(reply: ReplyText, { end }: AnswerCue, start: number): boolean {
  const gap = start - end;
  return gap >= 0 && gap <= 60 && openers().test(reply.lower.slice(end, start));
}
