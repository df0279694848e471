import { patternOnFirstUse } from "../../core/values/on-first-use.ts";
import { type Markers, markersOf } from "./markers.ts";
import { anyOf, matchesAt, phrases } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";

/** "Not only" and "not sure" deny nothing. */
const NOT = `not(?! ${anyOf(
  "only|just|merely|simply|least|to mention|surprising(?:ly)?|confident|100",
  "(?:entirely |completely )?(?:sure|certain|clear|convinced|obvious)|an? (?:doubt|question)",
)}\\b)`;

const SAYING = "(?:say|nam|choos|pick|giv|answer|select|stat|claim|writ|suggest|insist)ing";

/** Words that deny what follows them. */
const denials = phrases(
  NOT,
  "never|neither|nor|none of|(?:nobody|no one) (?:says|said|thinks|believes)|cannot|no way|no longer|far from|nicht|kein|pas",
  "[a-z]+n't(?! (?:only|just|sure|certain|clear|convinced|obvious)\\b)|(?:is|does|do|ca|wo|was|are)nt",
  "rather than|instead of|as opposed to|other than|apart from|unlike|contrary to|as against",
  "except(?: for)?|excluding|exclud(?:e|es|ed)|(?:anything|everything|all) but",
  "rul(?:e|es|ed|ing)(?: [a-z]+)? out|eliminat(?:e|es|ed|ing)|discard(?:s|ed|ing)?|reject(?:s|ed|ing)?",
  "dismiss(?:es|ed|ing)?|avoid(?:s|ed|ing)?",
  "(?:refus(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|fail(?:s|ed)?) to|(?:mistake|error|wrong|mistaken|incorrect|unwise|foolish) to",
  // What somebody was wrong about, or says sorry for.
  `(?:wrong|mistaken|incorrect|in error) ${anyOf(
    "(?:about|on|with|regarding)(?! (?:that|this|it)\\b)",
    `(?:in|by|when) ${SAYING}`,
  )}`,
  `(?:mistake|error|slip) ${anyOf(
    "(?:about|with|regarding)(?! (?:that|this|it)\\b)",
    `(?:in|of|by) ${SAYING}`,
  )}`,
  `(?:sorry|apologi[sz]e|apologies) ${anyOf(
    `for (?:[a-z]+ly )?(?:${SAYING}|having (?:said|named|chosen|picked|given|answered|selected|stated|claimed|suggested))`,
    "about(?! (?:that|this|it|any|all|the|my|your)\\b)",
  )}`,
  "(?:confus(?:e|es|ed|ing)|mix(?:es|ed|ing)?)(?: [a-z']+){0,3}? (?:up )?with|mist(?:ook|aken?)(?: [a-z']+){0,3}? for",
  "(?:misconception|myth|fallacy) (?:is|was)|no (?:source|evidence|basis|support|proof|indication) (?:for|of|that)",
  "disagree (?:about|that|on)",
  "(?:take|took|taking) back|retract(?:s|ed|ing)?|withdr(?:aw|ew)",
  "(?:wrong|incorrect)(?::| (?:answers?|options?|choices?)(?: is| are)?:?)",
);

/** What may stand between an answer and what is said of it: closing marks, or the option's text in brackets. */
export const CLOSERS: string = "[\"')\\]}*:]{0,3}(?:\\.?[\"')\\]}]{0,2}| ?\\([^()\\n]{3,80}\\)),?";
const ADVERBS = `(?: ${anyOf(
  "also|both|all|clearly|definitely|obviously|therefore|thus|indeed|still|likely|probably|actually|certainly",
  "simply|just|in fact|really|always|by far|undoubtedly|absolutely|ultimately|itself|technically",
)}){0,3}`;
const BE = ` ${anyOf(
  "is|are|was|were|would be|would have been|must be|should be|has to be|have to be|has been|can be|could be",
  "will be|being|seems?(?: to be)?|looks?|appears?(?: to be)?|remains",
)}`;
const BAD = anyOf(
  "incorrect|wrong|false|untrue|invalid|inaccurate|mistaken|unlikely|less likely|impossible|implausible",
  "ruled out|eliminated|excluded|discarded|rejected|out|inappropriate|irrelevant",
  "an? (?:[a-z]+ )?(?:distractor|mistake|trap|misconception|myth|fallacy|wrong (?:answer|option))",
);
const GOOD = anyOf(
  "correct|right|true|accurate|valid|appropriate|plausible|possible|likely|suitable|relevant|supported",
  "(?:the|an?|my|our) (?:[a-z]+ ){0,2}(?:answer|choice|option|one|solution|case|fit|pick|match|capital)",
);
const wrongAfter = patternOnFirstUse(
  `${CLOSERS}${anyOf(
    `(?:${BE}|'s)${ADVERBS}(?: (?:an?|the|very|completely|totally|entirely|quite))? ${BAD}`,
    `${BE}(?: not|n't)${ADVERBS}(?: (?:really|quite|entirely|necessarily|at all))? ${GOOD}`,
    ` (?:can|could|should|must|may)${ADVERBS} be (?:ruled out|eliminated|excluded|discarded|rejected)`,
    ` (?:can(?:not|'t| not)|could(?:n't| not)) be(?! (?:ruled|eliminated|excluded|dismissed))(?: ${GOOD})?`,
    " (?:do|does|did)(?:n't| not) (?:fit|work|apply|match|answer|make sense|hold)",
    " (?:fail|fails|makes no sense)",
  )}(?![a-z])`,
  "y",
);
const negatedVerbAfter = patternOnFirstUse(
  `${CLOSERS} (?:(?:is|are|was|were|do|does|did|can|could|would|should|has|have|had|will)(?: not|n't)|cannot|never)(?![a-z])`,
  "y",
);

/** How far before an answer a word may stand that denies it. */
const REACH = 80;

/** What words before an answer, or after it, say against it. */
export class Negation {
  readonly #lower: string;
  readonly #denials: Markers;

  constructor(reply: ReplyText) {
    this.#lower = reply.lower;
    this.#denials = markersOf(reply.lower, denials());
  }

  /** How many words in the range deny what comes after it; two of them may cancel out. */
  before(start: number, end: number): number {
    return this.#denials.countIn(Math.max(start, end - REACH), end);
  }

  /** True if what ends here is called wrong: "B is incorrect", "B can be ruled out". */
  calledWrong(end: number): boolean {
    return matchesAt(wrongAfter(), this.#lower, end);
  }

  /** True if a negated verb follows: "Sydney is not …". */
  negatedVerb(end: number): boolean {
    return matchesAt(negatedVerbAfter(), this.#lower, end);
  }
}
