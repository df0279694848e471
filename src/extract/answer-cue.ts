import type { ReplyText } from "./reply-text.ts";

/**
 * How plainly words announce an answer. `final` is meant to be read by a program or closes the matter, `answer` names
 * an answer or a choice, `claim` states something (`so it's B`), `working` is a step on the way (`= 12`).
 */
export type CueStrength = 4 | 3 | 2 | 1;
export const FINAL: CueStrength = 4;
export const ANSWER: CueStrength = 3;
export const CLAIM: CueStrength = 2;
export const WORKING: CueStrength = 1;

/** Words that announce an answer. */
export interface AnswerCue {
  readonly start: number;
  readonly end: number;
  readonly strength: CueStrength;
}

const GRADE =
  "(?:final|correct|right|best|better|most (?:likely|appropriate|accurate|suitable|plausible|probable|logical|reasonable)|only|ultimate|overall|proper|actual|true|single|logical|chosen|preferred|recommended|selected|definitive|numerical|exact|revised|corrected|updated|new|my|the)";
const NOUN =
  "(?:answer|choice|option|selection|pick|solution|verdict|conclusion|decision|guess|vote|alternative|letter|ans|diagnosis|prediction|judge?ment|bet|respuesta|réponse|antwort|risposta|resposta|antwoord|lösung|ответ|答案|答え|정답)";
const OF_NOUN =
  "(?: (?:choice|option|letter|here|overall|then|now|key|(?:to|for) (?:this|the|your|that)(?: [a-z]+){1,2}|(?:to|for) (?:question|problem|part) [a-z0-9]{1,4}|in this case|correcta|correcte|corretta|is clear|is as follows))?";
const LINK =
  " (?:is|was|are|would be|would have to be|should be|should have been|must be|has to be|will be|remains(?: the same| unchanged)?|stays(?: the same)?|is (?:the same|unchanged)|has(?: not|n't) changed|has always been|seems to be|appears to be|could be|might be|may be|can only be|becomes|es|est|ist|è|é)(?![a-z])(?: (?:still|now|clearly|therefore|thus|hence|indeed|definitely|as follows)(?![a-z]))?";
const SEPARATOR = "[\"']?\\s?(?::|=+>?|→|->|[-–—]+>?(?=\\s)|是|は|为|為)";
const NAMED = `${NOUN}(?:\\(s\\))?${OF_NOUN}["')]?(?:(?:${LINK}|'s)(?:${SEPARATOR})?|${SEPARATOR}|是|は)`;

const I =
  "\\b(?:i|we)(?:'d|'ll|'m|'ve)?(?: (?:would|will|am|have to|have|must|can|do|could|should|had|was)){0,2}";
const ADVERBS =
  "(?: (?:still|also|just|now|then|therefore|thus|hence|definitely|probably|most likely|confidently|personally|actually|strongly|rather|respectfully|going to|inclined to|gonna|like to|go ahead and|firmly|ultimately|tentatively|cautiously))*?";
const CHOOSE =
  "(?:choose|chosen|chose|choosing|pick(?:ed|ing)?|select(?:ed|ing)?|go(?:ing)? with|go(?:ing)? for|went with|opt(?:ed|ing)? for|vot(?:e|ed|ing) for|say(?:ing)?|answer(?:ing)?|stick(?:ing)? (?:with|to)|stand(?:ing)? by|settl(?:e|ed|ing) on|lean(?:ing)? towards?|maintain|conclude|guess(?:ing)?|bet(?:ting)? on|recommend|prefer|stay(?:ing)? with|keep|confirm|reaffirm|submit|suggest|propose)(?: that)?(?: my (?:original |initial |previous |first )?(?:answer|choice)(?: of| is| as|,|:)?)?";
const CHANGE =
  "(?:chang|switch|revis|updat|correct|amend)(?:e|es|ed|ing)?(?: (?:my|the) (?:answer|choice|response))?(?: from [^\\n.;]{1,30})? to";

const GSM8K =
  "####\\s?(?=[-+$€£]{0,2}[\\d.,]{0,19}\\d[%a-z°]{0,8}(?: [a-z°%/]{1,12}){0,2}\\.?\\s?(?:\\n|$)|\\(?[a-z]\\)?\\.?\\s?(?:\\n|$))";
const FINAL_WORDS = `(?:\\\\boxed ?\\{|${GSM8K}|<(?:final_?)?(?:answer|choice|option)>|\\[\\[|(?:${GRADE} ){0,2}\\bfinal (?:${GRADE} )?(?:${NAMED}|(?:answer|choice|verdict|decision|diagnosis)(?=\\n)))`;
const ANSWER_WORDS = `(?:(?:${GRADE} ){0,3}(?<![a-z])${NAMED}|(?<=^|\\n)a:(?= ?["'([]?[a-z][)"'\\].]{0,2}(?:\\n|$))|(?:\\b|(?<=[#\\n ]))(?:correct )?(?:answer|choice|solution)(?=\\n)|${I}${ADVERBS} ${CHOOSE}|${I}?${ADVERBS} ?\\b${CHANGE}|(?<=^|\\n)(?:question|problem|q) ?\\d{1,3}[:.)]|\\bto answer (?:the|your|this) question|(?:let's|let me|you should|you must|please|best to) (?:choose|pick|select|go with)|\\b(?:vote|pick|choice) (?:goes|is) (?:to|for))`;
const CLAIM_WORDS =
  "\\b(?:it|that|this|which)(?:'s| is| are| must be| should be| would be| has to be| will be| was| could be| might be| may be)|\\b(?:so|therefore|thus|hence|consequently|accordingly|ergo|in conclusion|to conclude|in short|to sum up|in summary|summary|overall|ultimately|leaving(?: us with)?|leaves(?: us with)?|left with|must be|has to be|have to be|namely|corresponds to|corresponding to|matches|tl;?dr|result(?: is)?|going with|go with|choose|select|pick|lean towards?|leaning towards?|stand by|sticking with|i(?:'d)? (?:still |also |really |firmly |would )?(?:think|believe|guess|suppose|feel|reckon|assume|conclude|would say|say|assert|contend)(?: that)?|in my (?:opinion|view)|correct(?=:)|actually|in fact|wait(?=,)|no(?=,)|correction|or rather|rather|instead|sorry(?=,)|scratch that|i mean|make that|on second thoughts?|on reflection|maybe|perhaps|possibly|probably|likely|definitely|certainly|undoubtedly|without (?:a |any )?doubt|no doubt|either|both)\\b";
const WORKING_WORDS =
  "(?<![<>!≠=])=(?![=>])|≈|→|=>|->|\\b(?:equals|is equal to|comes to|works out to|adds up to|amounts to|totals|gives|yields|makes)\\b";

const CUE = new RegExp(
  `(?<final>${FINAL_WORDS})|(?<answer>${ANSWER_WORDS})|(?<claim>${CLAIM_WORDS})|(?<working>${WORKING_WORDS})`,
  "g",
);

/** Every place where words announce an answer, in order. */
export function answerCues(reply: ReplyText): AnswerCue[] {
  const cues: AnswerCue[] = [];
  for (const match of reply.lower.matchAll(CUE)) {
    const groups = match.groups ?? {};
    const strength = groups.final ? FINAL : groups.answer ? ANSWER : groups.claim ? CLAIM : WORKING;
    cues.push({ start: match.index, end: match.index + match[0].length, strength });
  }
  return cues;
}

/** Words and marks that may stand between a cue and its answer. */
const OPENERS =
  /^(?:[\s"'([{<$*:=,#>-]|\\boxed|(?:the|an?|option|choice|letter|answer|alternative|number|is|be|it|it's|therefore|thus|hence|still|definitely|clearly|certainly|indeed|probably|likely|most|actually|simply|just|in fact|of course|obviously|undoubtedly|either|both|only|really|approximately|approx\.?|about|around|roughly|nearly|almost|exactly|equal to|equals|a total of|minus|negative|la|l'option|die|el|opción|option|usd|eur|rs\.?)(?![a-z]))*$/;

/** True if nothing but openers stands between a cue and what it announces. */
export function announces(reply: ReplyText, cue: AnswerCue, start: number): boolean {
  const gap = start - cue.end;
  return gap >= 0 && gap <= 60 && OPENERS.test(reply.lower.slice(cue.end, start));
}
