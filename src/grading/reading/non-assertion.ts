import { lazyPattern } from "../../core/lazy.ts";
import { anyOf, type Markers, markersOf, phrases } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";

/** Why a mention is not the speaker's own assertion, here and now. */
export type NonAssertion = "others" | "doubtful" | "conceded";

/** Separates what the speaker asserts from what others say, what was said before, and what is only supposed. */
export class NonAssertions {
  readonly #reply: ReplyText;
  readonly #others: Markers;
  readonly #earlier: Markers;
  readonly #otherAnswers: Markers;
  readonly #keeping: Markers;
  readonly #supposed: Markers;
  readonly #conceded: Markers;
  readonly #tentative: Markers;

  constructor(reply: ReplyText) {
    this.#reply = reply;
    this.#others = markersOf(reply.lower, others());
    this.#earlier = markersOf(reply.lower, earlier());
    this.#otherAnswers = markersOf(reply.lower, otherAnswers());
    this.#keeping = markersOf(reply.lower, keeping());
    this.#supposed = markersOf(reply.lower, supposed());
    this.#conceded = markersOf(reply.lower, conceded());
    this.#tentative = markersOf(reply.lower, tentative());
  }

  /** Looks at the words from `from` up to a mention, and at those after it; `approved` if those approve of it. */
  reason(from: number, { start, end }: Place, approved: boolean): NonAssertion | undefined {
    const after = this.#reply.lower.slice(end, Math.min(end + 60, this.#reply.sentenceEnd(end)));
    // What stands behind a closing bracket or tag is about something else.
    const closed = /^["')]{0,2}(?:\}|\]\]|<\/)/.test(after);
    if (!closed && this.#reply.asks(end)) return "doubtful";
    if (this.#others.has(from, start) || this.#asideOfOthers(from, start)) return "others";
    if (!closed && attributions().test(after)) return "others";
    const kept = approved || this.#keeping.has(from, start);
    if (!kept && (this.#earlier.has(from, start) || this.#otherAnswers.has(from, start))) return "others";
    if (this.#supposed.has(from, start) || this.wavers(from, start)) return "doubtful";
    if (!closed && conditions().test(after)) return "doubtful";
    return this.#conceded.has(from, start) || isCounterfactual(this.#reply, start, end)
      ? "conceded"
      : undefined;
  }

  /** True if words from `from` up to a mention say that it may be so: "perhaps B". */
  wavers(from: number, start: number): boolean {
    return this.#tentative.has(from, start);
  }

  /** "You said that, in your view, it is B": an aside does not end whose words they are. */
  #asideOfOthers(from: number, start: number): boolean {
    const said = this.#others.endBefore(start);
    if (said <= this.#reply.sentenceStart(start) || said > from || start - said > 160) return false;
    // "According to your book, B".
    return /^ (?:that,[^,]{1,60},[^,]*|(?:you|(?:your|their|his|her) [^,]{1,40}),[ "'(]*)$/.test(
      this.#reply.lower.slice(said, start),
    );
  }
}

interface Place {
  readonly start: number;
  readonly end: number;
}

const PREPOSITION = "(?:on|in|at|with|without|under|for|by|from|before|after|during|outside|inside)";
/** Settings that are the question's own, or no settings at all. */
const HERE = anyOf(
  "this|these|that|those|my|our|your opinion|all|any case|fact|conclusion|short|summary|sum|total|general|addition",
  "other words|respect|elimination|definition|convention|light|view|what|balance|reflection|the whole|essence|context",
  "(?:the )?(?:given|present|same|end|example|basis|options?|question|following|above|case)",
);
const SETTING = `${PREPOSITION} (?!${HERE}(?![a-z]))`;

/** Conditions; "if I had to choose" is none. */
const CONDITION =
  "(?:if(?! (?:i |i'|forced|asked|pressed|pushed|so|you (?:want|need|ask)))|had|were|unless) ";
const fronted = lazyPattern(
  `^["'(]{0,2}(?:(?:yes|no|well|but|and|so|sure),? )?(?:${SETTING}|${CONDITION})`,
  "",
);
const WOULD_BEFORE = /\bwould(?: [a-z]+)? be(?:en)?(?: [a-z]+){0,2} ["'([]{0,3}$/;
const WOULD_AFTER = /^["')\]}*.]{0,3} would(?![a-z])/;
const wouldInSetting = lazyPattern(
  `^["')\\]}*.]{0,3} would(?: [a-z]+){0,2} be(?:en)?(?: [a-z]+){1,4}?(?: ${SETTING}|,? (?:had|were) [a-z])`,
  "",
);
const behind = lazyPattern(`^["')\\]}*]{0,3},? ${SETTING}`, "");

/** How far before a value its sentence may begin. */
const REACH = 100;

/** True if a reply says what would be so in another setting: "On Earth it would be A", "A would be true on Earth". */
export function isCounterfactual(reply: ReplyText, start: number, end: number): boolean {
  const to = Math.min(end + REACH, reply.sentenceEnd(end));
  const after = reply.lower.slice(end, to);
  if (wouldInSetting().test(after)) return true;
  const from = reply.sentenceStart(start);
  if (start - from > REACH) return false;
  const before = reply.lower.slice(from, start).trimStart();
  const would = WOULD_BEFORE.test(before);
  if (!would && !WOULD_AFTER.test(after)) return false;
  return fronted().test(before) || (would && behind().test(after));
}

const PERSON = anyOf(
  "you|they|he|she|people|some|many|most|others|someone|somebody|everyone|one|folks|critics",
  "(?:student|expert|patient|user|author|professor|teacher|doctor|friend|colleague)s?",
);
/** Texts that somebody holds against the speaker. */
const SOURCE =
  "(?:(?:hand|text|guide|phrase|year|note)?book|manual|brochure|leaflet|slide|sign|card|handout|poster|certificate|label|note)s?";
/** Those of whom a reply says what they choose; of others it may tell what they do. */
const CHOOSER = "(?:you|people|some|many|most|others|one|students?|users?|folks)";
const SAY = anyOf(
  "say|said|says|saying|think|thought|thinks|thinking|believe|believed|believes|believing|guess|guessed",
  "claim|claimed|claims|claiming|argue|argued|argues|insist|insisted|insists|maintain|maintained",
  "suggest|suggested|suggests|suggesting|propose|proposed|proposes|proposing|mention|mentioned|mentions",
  "answer|answered|assume|assumed|assumes|state|stated|states|stating|conclude|concluded|indicated|wrote|repeat|repeated|repeating",
);
const CHOOSE = anyOf(
  "choose|chose|chosen|pick|picked|select|selected|prefer|preferred|go with|went with|feel|felt",
  "expect|expected|consider|considered|give|gave|given|provided|put",
);
/** Words between them; advice ("you should choose") and assent ("you are right to say") are the speaker's own. */
const BETWEEN =
  "(?:'ve|'re|'d)?(?: (?!right|correct|agree|should|must|can|will|need|ought|want|that|the)[a-z']+){0,3}?";

/** Somebody else's words, unless they are taken up ("as you said"). */
export const others: () => RegExp = lazyPattern(
  anyOf(
    `(?<!\\bas )\\b(?!some thought|one (?:answer|guess|state))${PERSON}${BETWEEN} ${SAY}(?![a-z])`,
    `(?<!\\bas )\\b(?!one pick)${CHOOSER}${BETWEEN} ${CHOOSE}(?![a-z])`,
    "(?<!\\b(?:i|as [a-z]{1,12}) )\\b(?:thinks|believes|insists|claims|claimed|insisted|told)(?![a-z])",
    `\\b(?:${SOURCE}|your (?:[a-z]+ )?[a-z]+) (?:says?|said|states?|stated|lists?|listed|shows?|names?|claims?|claimed)(?![a-z])`,
    `\\b${SOURCE} gives?(?![a-z])`,
    "(?<=^|[.!?…\\n] ?)(?:saying|repeating)(?![a-z])",
    "\\b(?:mistake|error|trap|temptation) (?:is|would be|might be|here is) to(?![a-z])",
    "\\b(?:misconception|myth|mistake|belief|notion|rumou?r) that(?![a-z])",
    "\\b(?:according to|supposedly|allegedly)(?![a-z])",
  ),
  "g",
);

/** What the speaker said or thought before. */
export const earlier: () => RegExp = phrases(
  `(?:i|we)(?:'d|'ve| had| have)?(?: ${anyOf(
    "first|initially|originally|previously|earlier|at first|just|mistakenly|incorrectly|wrongly|once|also",
    "may have|might have",
  )})? ${anyOf(
    "thought|said|answered|stated|believed|assumed|suggested|considered|guessed|claimed|wrote|gave",
    "was (?:thinking|leaning|inclined|going|about|tempted|considering)",
  )}`,
  "at first|initially|originally|previously|formerly|earlier|once thought|first thought",
  "used to (?:be|think|believe|say|answer)|at first glance|on first (?:glance|reading)|tempting|tempted",
);

/** Answers that are not, or no longer, the speaker's: "your answer", "the obvious answer", "another option". */
export const otherAnswers: () => RegExp = phrases(
  `${anyOf(
    "your|their|his|her|user's|student's|previous|earlier|original|initial|first|prior|old|former|last",
    "obvious|intuitive|tempting|naive|common|popular|typical|usual|wrong|incorrect|mistaken",
    "other|another|(?<!on )second|second[- ]best|next|third|possible|potential|plausible|which|each|every|no|any|some|what|one",
  )}(?: [a-z']+)? ${anyOf(
    "answers?|choices?|options?|response|guess|thought|instinct|reaction|impression|selection|pick|conclusion",
    "statement|claim|suggestion|belief|view|opinion|assertion|solution",
  )}`,
);

/** Words that keep to an earlier answer. */
export const keeping: () => RegExp = phrases(
  "stick(?:ing)? (?:with|to)|stand(?:ing)? by|maintain(?:ing)?|keep(?:ing)?|stay(?:ing)? with|hold(?:ing)? to",
  "confirm|reaffirm|reiterate|still|remains?|stands?",
);

/** Suppositions; "if I had to choose" is none. */
export const supposed: () => RegExp = phrases(
  `(?<!even )if(?! ${anyOf(
    "i (?:had|have|must|were|was|am|'m)|i'm|forced|asked|pressed|pushed|anything|so|only one",
    "you're asking|you (?:want|need) (?:a|one)",
  )}\\b)(?!')`,
  "unless|suppose|supposing|assuming|assume|whether|in case|imagine|hypothetically|were (?:it|this|that|i|the answer)",
  "(?:cannot|can't) (?:decide|choose|determine|tell)",
);

/** Concessions. What they grant may be the answer as well as what they set aside: "while B is correct, …". */
export const conceded: () => RegExp = phrases(
  "while|whilst|despite|even if|(?:moved|transferred|shifted|relocated)(?: away)? from",
  "(?:although|though)(?! i(?:'d|'m| would| am| think| believe| lean)\\b)",
);

export const tentative: () => RegExp = phrases(
  "(?:might|may|could)(?: (?:well|also|possibly|just|even|perhaps))? (?:be|have been|seem|say|choose|argue|go|mean|pick)",
  "maybe|perhaps|possibly|potentially|conceivably|arguably|unsure|uncertain|unclear",
  "(?<=(?:^|[.!?…\\n]) ?)(?:usually|normally|generally|typically|often|sometimes|in theory)",
  "(?:not|n't) (?:entirely |completely |100% )?(?:sure|certain|clear|convinced|obvious)",
  "(?<!no |without |without an? |without any )doubt(?:s|ful)?",
  "consider|considering|looking at|let's (?:look|see|check|test|try|examine|say)",
);

/** What may come after an answer and make it less than one: "B if …", "B in most cases", "B with 20% probability". */
export const conditions: () => RegExp = lazyPattern(
  `^["')\\].*:]{0,4},? ${anyOf(
    "(?:only )?if(?! (?:i(?:'m| am) not mistaken|i (?:recall|remember)|you ask me))|unless|provided|assuming|when|usually|normally|generally|typically|sometimes",
    "(?:for|in|with|on|at|when) [^.\\n]{1,30}? (?:and|but|or|while|whereas) [\"'(]?[a-z][\"')]? (?:for|in|with|on|at|when)",
    `(?:is|are|was|were|has been|gets) ${anyOf(
      "often|commonly|sometimes|frequently|easily|widely|popularly|usually|wrongly|mistakenly|regularly",
    )} (?:mistaken|confused|mixed|thought|assumed|believed|considered|taken|given|cited|named|said|supposed|regarded)`,
    "can(?:not|'t| not) be (?:ruled out|eliminated|excluded|dismissed)",
    "in (?:most|some|many|certain|other) [a-z]+|with (?:an? |about |only )?[0-4]?\\d(?:\\.\\d+)? ?(?:%|percent)",
  )}(?![a-z])`,
  "",
);

/** Whose words they were, said after them: "B is what you said", "B, according to you". */
export const attributions: () => RegExp = lazyPattern(
  `^["')\\]}.*]{0,3},?["']?(?: (?:is|was))? ${anyOf(
    `(?:what|as) ${PERSON}(?![a-z])`,
    "according to|you (?:say|said|claim|think)",
    "the (?:[a-z]+ )?(?:answer|choice|option) (?:that )?(?:most|many|some|people|you|they|everyone|given|i (?:gave|said|first|initially))",
  )}(?![a-z])`,
  "",
);
