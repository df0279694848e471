import { lazyPattern } from "../../core/lazy.ts";
import { ADVERBS, allMatches, anyOf, BE } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";

/**
 * What a reply does with a value that it names: asserts it, denies it, reports what others say or what it said before,
 * leaves it open (asked, supposed, doubted, conceded), or says something about it that does not answer the question.
 */
export type Standing = "asserted" | "denied" | "others" | "open" | "aside";

/** A part of a text. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Whole words anywhere in a part of a text. */
const words = (...alternatives: readonly string[]): (() => RegExp) =>
  lazyPattern(`\\b${anyOf(...alternatives)}(?![a-z])`, "");

const NOT = `not(?! ${anyOf(
  "only|just|merely|simply|least|changed|to mention|surprising(?:ly)?|confident|100",
  "(?:entirely |completely )?(?:sure|certain|clear|convinced|obvious)|an? (?:doubt|question)",
)}\\b)`;
const SAYING = "(?:say|nam|choos|pick|giv|answer|select|stat|claim|writ|suggest|insist)ing";

/** Words that deny what follows them. */
const denials = lazyPattern(
  `\\b${anyOf(
    NOT,
    "never|neither|nor|none of|cannot|no way|no longer|by no means|far from|(?:is|'s) no(?= [\"'(]{0,2}$)",
    "(?:nobody|no one)(?: [a-z]+){0,2} (?:says|said|thinks|believes|calls|shown|proven|claimed|found)",
    "no (?:[a-z]+ )?(?:evidence|sources?|stud(?:y|ies)|data|proof)(?: [a-z]+){0,2} (?:says?|suggests?|shows?|supports?|indicates?|confirms?)",
    "[a-z]+n't(?! (?:only|just|sure|certain|clear|convinced|obvious|changed)\\b)|(?:is|does|do|ca|wo|was|are)nt",
    "without(?= (?:the )?[\"'(]{0,2}$)|rather than|instead of|as opposed to|other than|apart from|unlike|contrary to|as against",
    "except(?: for)?|exclud(?:e|es|ed|ing)|(?:anything|everything|all) but|out of the question",
    "rul(?:e|es|ed|ing)(?: [a-z]+)? out|eliminat(?:e|es|ed|ing)|discard(?:s|ed|ing)?|reject(?:s|ed|ing)?",
    "dismiss(?:es|ed|ing)?|avoid(?:s|ed|ing)?|(?:advise|warn|caution|decide)d? against|least (?:likely|probable|plausible)",
    "(?:refus(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|fail(?:s|ed)?|mistake|error|wrong|mistaken|incorrect|unwise|foolish) to",
    // An error that is admitted, or an apology.
    `(?:wrong|mistaken|incorrect|mistake|error|slip|sorry|apologi[sz]e|apologies) ${anyOf(
      "(?:about|on|with|regarding)(?! (?:that|this|it|any|all|the|my|your)\\b)",
      `(?:in|by|when|of|for) (?:[a-z]+ly )?(?:${SAYING}|having [a-z]+)`,
    )}`,
    "(?:confus(?:e|es|ed|ing)|mix(?:es|ed|ing)?)(?: [a-z']+){0,3}? (?:up )?with|mist(?:ook|aken?)(?: [a-z']+){0,3}? for",
    "(?:misconception|myth|fallacy|(?:common|typical|frequent) (?:mistake|error)) (?:is|was)|no (?:source|evidence|basis|support|proof|indication) (?:for|of|that)",
    "disagree (?:about|that|on)|(?:take|took|taking) back|retract(?:s|ed|ing)?|withdr(?:aw|ew)",
    "(?:wrong|incorrect|misconception|misspelling|mistake|trap|decoy|distractor)(?::| (?:answers?|options?|choices?|spelling)(?: is| are)?:?)",
    "(?:decoy|distractor)(?: here)? (?:is|are)",
    "(?:more|less|fewer|larger|bigger|hotter|higher|lower|better|older|smaller|closer|greater) than",
  )}(?![a-z])`,
  "g",
);

const PERSON = anyOf(
  "you|they|he|she|people|some|many|most|others|someone|somebody|everyone|one|folks|critics",
  "(?:student|expert|patient|user|author|professor|teacher|doctor|friend|colleague)s?",
);
const SOURCE =
  "(?:(?:hand|text|guide|phrase|year|note)?book|manual|brochure|leaflet|slide|sign|card|handout|poster|certificate|label|note)s?";
const SAY = anyOf(
  "sa(?:y|id|ys|ying)|th(?:ink|ought|inks|inking)|believ(?:e|ed|es|ing)|guess(?:ed)?|claim(?:ed|s|ing)?|argue[ds]?",
  "insist(?:ed|s)?|maintain(?:ed)?|suggest(?:ed|s|ing)?|propos(?:e|ed|es|ing)|mention(?:ed|s)?|answer(?:ed)?|assume[ds]?",
  "stat(?:e|ed|es|ing)|concluded?|indicated|wrote|written|repeat(?:ed|ing)?|call(?:s|ed|ing)?",
);
const CHOOSE = anyOf(
  "choose|chose|chosen|pick(?:ed)?|select(?:ed)?|prefer(?:red)?|go with|went with|feel|felt",
  "expect(?:ed)?|consider(?:ed)?|give|gave|given|provided|put",
);
/** Words between them; advice ("you should choose") and assent ("you are right to say") are the speaker's own. */
const BETWEEN =
  "(?:'ve|'re|'d)?(?: (?!right|correct|agree|should|must|can|will|need|ought|want|that|the)[a-z']+){0,3}?";

/** Words of others, unless the reply adopts them ("as you said"). */
const others = words(
  `(?<!\\bas )(?!some thought|one (?:answer|guess|state))${PERSON}${BETWEEN} ${SAY}`,
  `(?<!\\bas )(?!one pick)(?:you|people|some|many|most|others|one|students?|users?|folks)${BETWEEN} ${CHOOSE}`,
  "(?<!\\b(?:i|as [a-z]{1,12}) )(?:thinks|believes|insists|claims|claimed|insisted|told)",
  "(?:ask|want|urg|push|press|pressur|tell|expect|requir|request|encourag)(?:e|es|ed|s|ing)? me to|(?:like|told|asked) me to",
  `(?:${SOURCE}|your (?:[a-z]+ )?[a-z]+) (?:says?|said|states?|stated|lists?|listed|shows?|names?|claims?|claimed|mentioned)`,
  "the [a-z]+ (?:says|said|thinks|thought|mentioned|suggested)",
  `${SOURCE} gives?`,
  "your (?:[a-z]+ )?(?:sum|addition|calculation|total|count|result|arithmetic|maths?)",
  "(?:mistake|error|trap|temptation) (?:is|would be|might be|here is) to",
  "(?:misconception|myth|mistake|belief|notion|rumou?r|(?<!my )claim)(?: is)? that|according to|supposedly|allegedly",
  "(?:rumou?r|legend) has it|(?:stop|quit) (?:saying|claiming|repeating|insisting|telling)",
  "(?:understandable|easy|natural|tempting|common) to (?:think|believe|assume|say|answer|guess)",
  "(?:commonly|widely|often|popularly|generally|usually|sometimes|wrongly|mistakenly) (?:believed|thought|assumed|said|considered|held|taken)",
);
/** "… is B," he said: words behind a quotation that say whose words it has. */
export const ATTRIBUTED: RegExp =
  /^[.,!]?["']{1,2},? (?:(?:the|an?|my|your|his|her|their|one) )?[a-z]+ (?:said|says?|claim(?:s|ed)|replied|answered|insist(?:s|ed)|wrote|writes|argue[ds])(?![a-z])/;
/** "According to your book, B", "You said that, in your view, it is B": a comma does not end whose words they are. */
const ASIDE =
  /\baccording to [^,]{1,40},[ "'(]*$|\b(?:said|says?|thinks?|claim(?:s|ed)?) that,[^,]{1,60},[^,]*$|(?:^|[.!?] )(?:saying|repeating)\b[^,:]*$|\b(?:says|said|claims|claimed|reads): ["'(]*$/;

/** What the speaker said or thought before, and answers that are not, or no longer, the speaker's. */
const earlier = words(
  `(?:i|we)(?:'d|'ve| had| have)?(?: ${anyOf(
    "first|initially|originally|previously|earlier|at first|just|mistakenly|incorrectly|wrongly|once|also",
    "may have|might have",
  )})? ${anyOf(
    "thought|said|answered|stated|believed|assumed|suggested|considered|guessed|claimed|wrote|gave",
    "was (?:thinking|leaning|inclined|going|about|tempted|considering)",
  )}`,
  "at first|initially|originally|previously|formerly|earlier|once thought|first thought|my (?:[a-z]+ )?answer was",
  "used to (?:be|think|believe|say|answer)|at first glance|on first (?:glance|reading)|tempting|tempted",
  `${anyOf(
    "your|their|his|her|(?:user|student|model|assistant|bot)'s|previous|earlier|original|initial|first|prior|old|former|last",
    "obvious|intuitive|tempting|naive|common|popular|typical|usual|wrong|incorrect|mistaken",
    "other|another|(?<!on )second|second[- ]best|next|third|possible|potential|plausible|which(?! (?:is|matches|equals))|each|every|no|any|some|what|one",
  )}(?: [a-z']+)? ${anyOf(
    "answers?|choices?|options?|response|guess|thought|instinct|reaction|impression|selection|pick|conclusion",
    "statement|claim|suggestion|belief|view|opinion|assertion|solution",
  )}`,
);
/** Words that keep to an earlier answer. */
const keeping = words(
  "stick(?:ing)? (?:with|to)|stand(?:ing)? by|maintain(?:ing)?|keep(?:ing)?|stay(?:ing)? with|hold(?:ing)? to",
  "confirm|reaffirm|reiterate|still|remains?|stands?",
);

/** Suppositions ("if I had to choose" is none), doubts and concessions. */
const open = words(
  `(?<!even )if(?! ${anyOf(
    "i (?:had|have|must|were|was|am|'m)|i'm|forced|asked|pressed|pushed|anything|so|only one",
    "you're asking|you insist|you (?:want|need) (?:a|one)",
  )}\\b)(?!')`,
  "(?:yet|remains?) to be [a-z]+|unless|suppose|supposing|assuming|assume|whether|in case|imagine|hypothetically|were (?:it|this|that|i|the answer)",
  "(?:cannot|can't) (?:decide|choose|determine|tell)|(?:unable|not able|impossible|hard|difficult) to (?:say|tell|know|believe|confirm|verify|determine)",
  "(?<=(?:^|please |you )[\"'(]{0,2})(?:explain|tell me|show me)(?: to me)? why",
  "(?:almost|nearly) was|not (?:just|merely)(?= [\"'(]{0,2}$)|was once|once was",
  "(?:might|may|could)(?: (?:well|very well|also|possibly|just|even|perhaps))? (?:be|have been|seem|say|choose|argue|go|mean|pick)",
  "maybe|perhaps|possibly|potentially|conceivably|arguably|unsure|uncertain|unclear",
  "(?:not|n't) (?:entirely |completely |100% )?(?:sure|certain|clear|convinced|obvious)",
  "(?<!no |without |without an? |without any )doubt(?:s|ful)?",
  "consider|considering|looking at|(?<!in )between(?! [^,.]{1,40} and [^,.]{1,40} (?:is|was|are) )|history of|risk (?:of|for)|distinguish|differentiate|let's (?:look|see|check|test|try|examine|say)",
  "while|whilst|whereas|despite|even if|even though|(?:moved|transferred|shifted|relocated)(?: away)? from",
  "(?:although|though)(?! i(?:'d|'m| would| am| think| believe| lean)\\b)",
);
const HEAD_ADVERB =
  /^["'(]{0,2}(?:usually|normally|generally|typically|often|sometimes|in theory|theoretically|hypothetically|for the sake of argument|if [^,:]{1,60}(?: (?:is|are|was|were)|'s|'re) (?:right|correct|true|so|the case),)/;

/** What may stand between a value and what is said of it: closing marks, or the option's text in brackets. */
export const CLOSERS = "[\"')\\]}*:]{0,3}(?:\\.?[\"')\\]}]{0,2}| ?\\([^()\\n]{3,80}\\)),?";
const BAD = anyOf(
  "incorrect|wrong|false|untrue|invalid|inaccurate|mistaken|unlikely|less likely|impossible|implausible|too [a-z]+",
  "ruled out|eliminated|excluded|discarded|rejected|out|inappropriate|irrelevant|unsupported",
  "an? (?:[a-z]+ )?(?:distractor|mistake|trap|misconception|myth|fallacy|misspelling|wrong (?:answer|option))",
);
const GOOD = anyOf(
  "correct|right|true|accurate|valid|appropriate|plausible|possible|likely|suitable|relevant|supported",
  "(?:the|an?|my|our) (?:[a-z]+ ){0,2}(?:answer|choice|option|one|solution|case|fit|pick|match|capital)",
);
/** Words after a value that deny it: "B is incorrect", "B can be ruled out". */
const wrongAfter = lazyPattern(
  `^${CLOSERS}${anyOf(
    `(?:${BE}|'s)${ADVERBS}(?: (?:an?|the|very|completely|totally|entirely|quite))? ${BAD}`,
    `${BE}(?: not|n't)${ADVERBS}(?: (?:really|quite|entirely|necessarily|at all))? ${GOOD}`,
    ` (?:can|could|should|must|may)${ADVERBS} be (?:ruled out|eliminated|excluded|discarded|rejected)`,
    ` (?:can(?:not|'t| not)|could(?:n't| not)) be(?! (?:ruled|eliminated|excluded|dismissed))(?: ${GOOD})?`,
    " (?:do|does|did)(?:n't| not) (?:fit|work|apply|match|answer|make sense|hold)",
    " (?:fail|fails|makes no sense|contradicts|ignores)",
    " (?:is|was)(?:n't| not) (?:it|so|the one|what)",
    " (?:is|was) (?:a bit |way )?off(?= ?[.,;!])",
    " (?:sounds|seems|looks|appears)[^.;\\n]{1,30},? but (?:it |that )?(?:isn't|is not|'s not|doesn't|does not)",
  )}(?![a-z])`,
  "",
);
/** Words after a value that leave it open, or say whose words they were: "B if …", "B in most cases", "B, according to you". */
const openAfter = lazyPattern(
  `^["')\\]}.*:]{0,4},?["']? ${anyOf(
    "only (?:when|for|in|on|with|under)|perhaps|maybe|possibly|used to be|before(?= ?[.!,])|in the past|back then|at (?:the|that) time",
    // Not "also": what is as plausible as the answer is its rival.
    `(?:is|are|would be|seems)(?: (?:certainly|quite|very|indeed))? ${anyOf(
      "possible|plausible|tempting|conceivable|(?:an?|another) (?:[a-z]+ )?(?:option|possibility|candidate|contender|guess)",
    )}`,
    "was my (?:[a-z]+ )?(?:guess|answer|choice|thought|pick)(?! and)",
    "(?:only )?if(?! (?:i(?:'m| am) not mistaken|i (?:recall|remember)|you ask me))|unless|provided|assuming|when|usually|normally|generally|typically|sometimes",
    "(?:for|in|with|on|at|when) [^.\\n]{1,30}? (?:and|but|or|while|whereas) [\"'(]?(?:[a-z]|not|true|false|right|wrong|(?:in)?correct)[\"')]? (?:for|in|with|on|at|when)",
    "that [^.\\n]{1,60},? (?:but|however|yet)",
    `(?:is|are|was|were|has been|gets) ${anyOf(
      "often|commonly|sometimes|frequently|easily|widely|popularly|usually|wrongly|mistakenly|regularly|long|once",
    )} [a-z]+`,
    "can(?:not|'t| not) be (?:ruled out|eliminated|excluded|dismissed)|(?:might|may|could) [a-z]+|at first(?: glance)?",
    "in (?:most|some|many|certain|other) [a-z]+|with (?:an? |about |only )?[0-4]?\\d(?:\\.\\d+)? ?(?:%|percent)",
    `(?:is |was )?what ${PERSON}|according to|you (?:said|claim|think)`,
    "(?:is|was) (?:the|what) (?:[a-z]+ ){0,4}?(?:that )?(?:most people|many|some|people|tourists|they|everyone|everybody|given|i (?:gave|said|first|initially)|you (?!are|want|need|asked|ask|seek)|your)",
  )}(?![a-z])`,
  "",
);

/** "On Mars it would be A", "A would be true on Mars": another setting; "I would choose A" and "that would be A" are none. */
const WOULD_BEFORE = /\bwould(?: [a-z]+){1,4} ["'([]{0,3}$/;
const WOULD_HERE =
  /^(?!(?:on|in(?! (?:that|this|any|my)\b)|at|if|under|for|with|without|were|had|outside|inside|by|from|before|after|during)\b).*\b(?:that|it|this|i|we|you|answer|choice|option|letter|diagnosis|number|value|result|total|one) would\b/;
const WOULD_AFTER =
  /^["')\]}*.°]{0,3} would(?! (?:have to |definitely |still )?be (?:the|my) (?:[a-z]+ ){0,2}(?:answer|choice|option)(?:[.,;!]| because| since|$))(?![a-z])/;
/** "B, but I can't be sure", "6 × 180 is 1080, that much is right" */
const UNSURE_AFTER =
  /^["')\]}°]{0,3}, (?:that much is (?:right|true|correct)|that(?:'s| is) true|true)[.,;]|^["')\]}°]{0,3} [a-z]+ [^.,;]{3,80}, (?:that(?:'s| is) (?:true|right|correct)|yes|indeed|correct)[.!]|\b(?:but|though|although) (?:i|it|that|this)(?: (?:can't|cannot|could|may|might|am not)|'m not)(?! (?:entirely |completely |100% |absolutely )?(?:sure|certain)\b)/;

/** True if words before an announcement, in its sentence, make it less than the speaker's own: "Critics say (the answer is X)". */
export function isNotOwn(sentence: string): boolean {
  const clause = sentence.slice(sentence.search(LAST_CLAUSE));
  return (
    HEAD_ADVERB.test(sentence) ||
    others().test(clause) ||
    open().test(clause) ||
    allMatches(denials(), clause).length > 0
  );
}

const LAST_CLAUSE = /[^,;:—]*$/;

/** How far before a value a word may stand that denies it. */
const REACH = 80;

/** What the words around a value do with it; `from` is where the words before it begin that are about it. */
export function standingOf(
  reply: ReplyText,
  { start, end }: Place,
  from: number,
  approved: boolean,
): Standing {
  const { lower } = reply;
  const before = lower.slice(Math.min(from, start), start);
  const after = lower.slice(end, Math.min(end + REACH, reply.sentenceEnd(end)));
  const wrong = wrongAfter().test(after);
  const denied = allMatches(denials(), before.slice(-REACH)).length;
  if (denied > 1 || (denied === 1 && wrong)) return "open";
  if (denied === 1 || wrong) return "denied";
  // What stands behind a closing bracket or tag is about something else.
  const closed = /^["')]{0,2}(?:\}|\]\]|<\/)/.test(after);
  if (!closed && reply.asks(end)) return "open";
  const sentence = lower.slice(Math.max(reply.sentenceStart(start), start - 160), start).trimStart();
  if (others().test(before) || ASIDE.test(sentence) || ATTRIBUTED.test(after)) return "others";
  if (!approved && earlier().test(before) && !keeping().test(before)) return "others";
  if (open().test(before) || HEAD_ADVERB.test(sentence) || (!closed && openAfter().test(after)))
    return "open";
  if (UNSURE_AFTER.test(lower.slice(end, reply.sentenceEnd(end)))) return "open";
  const elsewhere = WOULD_BEFORE.test(sentence) ? !WOULD_HERE.test(sentence) : WOULD_AFTER.test(after);
  return elsewhere ? "open" : "asserted";
}
