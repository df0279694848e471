import { type Markers, markersOf } from "./markers.ts";
import type { ReplyText } from "./reply-text.ts";

/** Words that deny what follows them. "Not only" and "not sure" deny nothing. */
const DENIAL =
  /\b(?:not(?! (?:only|just|merely|simply|sure|certain|surprising(?:ly)?|to mention|confident|an? (?:doubt|question)|entirely (?:sure|certain)|completely (?:sure|certain)|100|least)\b)|never|neither|nor|cannot|[a-z]+n't(?! (?:only|just|sure|certain)\b)|(?:is|does|do|ca|wo|was|are)nt|none of|no way|rather than|instead of|as opposed to|other than|apart from|except(?: for)?|excluding|exclud(?:e|es|ed)|rul(?:e|es|ed|ing)(?: [a-z]+)? out|eliminat(?:e|es|ed|ing)|discard(?:s|ed|ing)?|reject(?:s|ed|ing)?|dismiss(?:es|ed|ing)?|unlike|(?:anything|everything|all) but|no longer|far from|avoid(?:s|ed|ing)?|contrary to|nicht|kein|pas|(?:wrong|incorrect)(?::| (?:answers?|options?|choices?)(?: is| are)?:?)|as against)(?![a-z])/g;

/** What may stand between an answer and what is said of it: closing marks, the option's text in brackets, adverbs. */
const CLOSERS = "[\"')\\]}.*:]{0,4}(?: ?\\([^()\\n]{1,80}\\))?,?";
const ADVERB =
  "(?: (?:also|both|all|clearly|definitely|obviously|therefore|thus|indeed|still|likely|probably|actually|certainly|simply|just|in fact|really|always|by far|undoubtedly|absolutely|ultimately|itself|technically))";
const BE =
  "(?: (?:is|are|was|were|would be|would have been|must be|should be|has to be|have to be|has been|seems(?: to be)?|seem|looks|look|appears(?: to be)?|appear|remains|can be|could be|will be|being)|'s)";
const NO = "(?: not|n't)";
const BAD =
  "(?:incorrect|wrong|false|untrue|invalid|inaccurate|mistaken|ruled out|eliminated|excluded|discarded|rejected|out|unlikely|less likely|impossible|implausible|inappropriate|irrelevant|an? (?:distractor|mistake|trap|misconception|wrong (?:answer|option)))";
const GOOD =
  "(?:correct|right|true|accurate|valid|appropriate|plausible|possible|likely|suitable|relevant|supported|(?:the|an?|my|our) (?:[a-z]+ ){0,2}(?:answer|choice|option|one|solution|case|fit|pick|match|capital))";

const AGAINST = new RegExp(
  `${CLOSERS}(?:${BE}${ADVERB}*(?: (?:a|an|the|very|completely|totally|entirely|quite))? ${BAD}|${BE}${NO}${ADVERB}*(?: (?:really|quite|entirely|necessarily|at all))? ${GOOD}| (?:can|could|should|must|may)(?: ${ADVERB}*)? be (?:ruled out|eliminated|excluded|discarded|rejected)| (?:can|could)(?:not|n't| not) be(?: ${GOOD})?| (?:do|does|did)(?:n't| not) (?:fit|work|apply|match|answer|make sense|hold)| (?:fail|fails|makes no sense))(?![a-z])`,
  "y",
);
const NEGATED_VERB = new RegExp(
  `${CLOSERS} (?:(?:is|are|was|were|do|does|did|can|could|would|should|has|have|had|will)(?: not|n't)|cannot|never)(?![a-z])`,
  "y",
);

/** What words after an answer, or before it, say against it. */
export class Negation {
  readonly #lower: string;
  readonly #denials: Markers;

  constructor(reply: ReplyText) {
    this.#lower = reply.lower;
    this.#denials = markersOf(reply.lower, DENIAL);
  }

  /** How many words in the range deny what comes after it. Two of them may cancel out. */
  before(start: number, end: number): number {
    return this.#denials.countIn(Math.max(start, end - 80), end);
  }

  /** True if what ends here is called wrong: "B is incorrect", "B can be ruled out". */
  calledWrong(end: number): boolean {
    return matchesAt(AGAINST, this.#lower, end);
  }

  /** True if a negated verb follows: "Sydney is not …". */
  negatedVerb(end: number): boolean {
    return matchesAt(NEGATED_VERB, this.#lower, end);
  }
}

/** True if a sticky pattern matches at the position. */
export function matchesAt(pattern: RegExp, text: string, position: number): boolean {
  pattern.lastIndex = position;
  return pattern.test(text);
}
