import { lazyPattern } from "../../core/lazy.ts";
import { ANSWER, APPROVAL, type CueStrength } from "./answer-cue.ts";
import { anyOf, type Markers, markersOf, matchesAt, phrases } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";

/** "Not only" and "not sure" deny nothing. */
const NOT = `not(?! ${anyOf(
  "only|just|merely|simply|least|changed|to mention|surprising(?:ly)?|confident|100",
  "(?:entirely |completely )?(?:sure|certain|clear|convinced|obvious)|an? (?:doubt|question)",
)}\\b)`;

const SAYING = "(?:say|nam|choos|pick|giv|answer|select|stat|claim|writ|suggest|insist)ing";

/** Words that deny what follows them. */
const denials = phrases(
  NOT,
  "never|neither|nor|none of|(?:nobody|no one) (?:says|said|thinks|believes)|cannot|no way|no longer|far from|nicht|kein|pas",
  "[a-z]+n't(?! (?:only|just|sure|certain|clear|convinced|obvious|changed)\\b)|(?:is|does|do|ca|wo|was|are)nt",
  "rather than|instead of|as opposed to|other than|apart from|unlike|contrary to|as against",
  "except(?: for)?|excluding|exclud(?:e|es|ed)|(?:anything|everything|all) but",
  "rul(?:e|es|ed|ing)(?: [a-z]+)? out|eliminat(?:e|es|ed|ing)|discard(?:s|ed|ing)?|reject(?:s|ed|ing)?",
  "dismiss(?:es|ed|ing)?|avoid(?:s|ed|ing)?|least (?:likely|probable|plausible)",
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
const CLOSERS = "[\"')\\]}*:]{0,3}(?:\\.?[\"')\\]}]{0,2}| ?\\([^()\\n]{3,80}\\)),?";
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
const wrongAfter = lazyPattern(
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
const negatedVerbAfter = lazyPattern(
  `${CLOSERS} (?:(?:is|are|was|were|do|does|did|can|could|would|should|has|have|had|will)(?: not|n't)|cannot|never)(?![a-z])`,
  "y",
);

/** How far before an answer a word may stand that denies it. */
const BEFORE_REACH = 80;

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
    return this.#denials.countIn(Math.max(start, end - BEFORE_REACH), end);
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

const PRONOUN = "(?:it|that|this|he|she|they)";
const NEGATED_VERB = anyOf(
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
const inSentence = lazyPattern(
  `(?:[,;—–)]|\\b(?:but|though|although|yet|and|however|albeit|which|who)),?(?: (?:but|though|although|yet|and|which|who))?(?: ${PRONOUN})?(?: (?:still|also|alone|of course))? ?${NEGATED_VERB}${THING}|\\b(?:rather than|instead of)${THING}|${UNREAL}`,
  "",
);
const nextSentence = lazyPattern(
  `^["'(]{0,2}(?:(?:however|but|though|still|yet|of course|unfortunately),? ){0,2}${PRONOUN}(?: alone| still| also)? ?${NEGATED_VERB}${THING}`,
  "",
);
/** A reason tells of other things. */
const REASON = /\b(?:because|since)\b/;
const LATER_REACH = 200;

/**
 * True if a reply goes on to say what a value is not: "Sydney is a fine city, but not the capital". Looks no further
 * than the clause of the next value, which begins at `next`.
 */
export function isDeniedLater(reply: ReplyText, end: number, next: number | undefined): boolean {
  const limit = next === undefined ? reply.text.length : Math.max(end, reply.clauseStart(next));
  const sentence = reply.sentenceEnd(end);
  const rest = reply.lower.slice(end, Math.min(sentence, limit, end + LATER_REACH));
  if (inSentence().test(rest.slice(0, REASON.exec(rest)?.index))) return true;
  if (limit <= sentence) return false;
  return nextSentence().test(
    reply.lower.slice(sentence, Math.min(sentence + LATER_REACH, limit)).trimStart(),
  );
}

const APPROVING_BE = anyOf(
  ` ${anyOf(
    "is|are|was|would be|must be|should be|has to be|will be|being|seems(?: to be)?|looks|appears(?: to be)?",
    "remains|stands as|stands out as|comes out as",
  )}`,
  "'s",
);
const APPROVING_ADVERBS = `(?: ${anyOf(
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

const calledAnswer = lazyPattern(
  `${CLOSERS}${APPROVING_BE}${APPROVING_ADVERBS} (?:the|my|our|your)?(?: ?${anyOf(
    "single|only|final|correct|right|best|better|most [a-z]+|clear|obvious|actual|true|logical|one",
  )}){0,3} ?(?:answer|choice|option|pick|solution|selection|diagnosis)${WHOLLY}`,
  "y",
);
const calledRight = lazyPattern(
  `${CLOSERS}${anyOf(
    `${APPROVING_BE}${APPROVING_ADVERBS} (?:the )?(?:only |most )?(?:correct|right|true|best(?! known)|accurate|appropriate|likely)(?: one| fit)?${WHOLLY}`,
    `${APPROVING_BE}${APPROVING_ADVERBS} (?:the )?one${WHOLLY}`,
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
