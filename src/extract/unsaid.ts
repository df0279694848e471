import { patternOnFirstUse } from "../value/on-first-use.ts";
import { type Markers, markersOf } from "./markers.ts";
import { anyOf, phrases } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";

const PERSON = anyOf(
  "you|they|he|she|people|some|many|most|others|someone|somebody|everyone|one|folks|critics",
  "(?:student|expert|patient|user|author|professor|teacher|doctor|friend|colleague)s?",
);
const SAY = anyOf(
  "say|said|says|saying|think|thought|thinks|thinking|believe|believed|believes|believing|feel|felt",
  "claim|claimed|claims|claiming|argue|argued|argues|insist|insisted|insists|maintain|maintained",
  "suggest|suggested|suggests|suggesting|propose|proposed|proposes|proposing|mention|mentioned|mentions",
  "choose|chose|chosen|pick|picked|select|selected|answer|answered|prefer|preferred|guess|guessed|put",
  "assume|assumed|assumes|state|stated|states|stating|conclude|concluded|consider|considered|expect|expected",
  "indicated|gave|give|given|provided|wrote|went with|go with",
);

/** Somebody else's words, unless they are taken up ("as you said") or advice ("you should choose"). */
const others = patternOnFirstUse(
  `(?<!\\bas )\\b${PERSON}(?:'ve|'re|'d)?(?: (?!right|correct|agree|should|must|can|will|need|ought|want)[a-z']+){0,3}? ${SAY}(?![a-z])|(?<!\\b(?:i|as [a-z]{1,12}) )\\b(?:thinks|believes|insists|claims|claimed|insisted|told)(?![a-z])|\\b${anyOf(
    "(?:mistake|error|trap|temptation) (?:is|would be|might be|here is) to",
    "(?:misconception|myth|mistake|belief|notion|rumou?r) that",
    "according to|supposedly|allegedly",
  )}(?![a-z])`,
  "g",
);

/** What the speaker said or thought before. */
const earlier = phrases(
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
const otherAnswers = phrases(
  `${anyOf(
    "your|their|his|her|user's|student's|previous|earlier|original|initial|first|prior|old|former|last",
    "obvious|intuitive|tempting|naive|common|popular|typical|usual|wrong|incorrect|mistaken",
    "other|another|second|second[- ]best|next|third|possible|potential|plausible|which|each|every|no|any|some|what|one",
  )}(?: [a-z']+)? ${anyOf(
    "answers?|choices?|options?|response|guess|thought|instinct|reaction|impression|selection|pick|conclusion",
    "statement|claim|suggestion|belief|view|opinion|assertion|solution",
  )}`,
);

/** Words that keep to an earlier answer. */
const keeping = phrases(
  "stick(?:ing)? (?:with|to)|stand(?:ing)? by|maintain(?:ing)?|keep(?:ing)?|stay(?:ing)? with|hold(?:ing)? to",
  "confirm|reaffirm|reiterate|still|remains?|stands?",
);

/** Suppositions and concessions; "if I had to choose" is neither. */
const supposed = phrases(
  `if(?! ${anyOf(
    "i (?:had|have|must|were|was|am|'m)|i'm|forced|asked|pressed|pushed|anything|so|only one",
    "you're asking|you (?:want|need) (?:a|one)",
  )}\\b)(?!')`,
  "unless|suppose|supposing|assuming|assume|whether|in case|imagine|hypothetically|even if|were(?!')",
  "while|whilst|despite|(?:although|though)(?! i(?:'d|'m| would| am| think| believe| lean)\\b)",
  "(?:cannot|can't) (?:decide|choose|determine|tell)",
);

const tentative = phrases(
  "might|may|could|maybe|perhaps|possibly|potentially|conceivably|arguably|unsure|uncertain",
  "(?<=(?:^|[.!?…\\n]) ?)(?:usually|normally|generally|typically|often|sometimes|in theory)",
  "not (?:entirely |completely |100% )?(?:sure|certain)|isn't (?:sure|certain)|candidates?|contenders?|between",
  "consider|considering|looking at|let's (?:look|see|check|test|try|examine|say)",
);

/** What may come after an answer and make it less than one: "B if …", "B in most cases", "B with 20% probability". */
const conditions = patternOnFirstUse(
  `^["')\\].*:]{0,4},? ${anyOf(
    "(?:only )?if(?! (?:i(?:'m| am) not mistaken|i (?:recall|remember)|you ask me))|unless|provided|assuming|when|usually|normally|generally|typically|sometimes",
    "in (?:most|some|many|certain|other) [a-z]+|with (?:an? |about |only )?[0-4]?\\d(?:\\.\\d+)? ?(?:%|percent)",
  )}(?![a-z])`,
  "",
);

/** Whose words they were, said after them: "B is what you said", "B, according to you". */
const attributions = patternOnFirstUse(
  `^["')\\]}.*]{0,3},?["']?(?: (?:is|was))? ${anyOf(
    `(?:what|as) ${PERSON}(?![a-z])`,
    "according to|you (?:say|said|claim|think)",
    "the (?:[a-z]+ )?(?:answer|choice|option) (?:that )?(?:most|many|some|people|you|they|everyone|given|i (?:gave|said|first|initially))",
  )}(?![a-z])`,
  "",
);

/** Why a mention is not the speaker's own assertion, here and now. */
export type Unsaid = "others" | "doubtful";

/** Tells what the speaker asserts from what others say, what was said before, and what is only supposed. */
export class Unsaids {
  readonly #reply: ReplyText;
  readonly #others: Markers;
  readonly #earlier: Markers;
  readonly #otherAnswers: Markers;
  readonly #keeping: Markers;
  readonly #supposed: Markers;
  readonly #tentative: Markers;

  constructor(reply: ReplyText) {
    this.#reply = reply;
    this.#others = markersOf(reply.lower, others());
    this.#earlier = markersOf(reply.lower, earlier());
    this.#otherAnswers = markersOf(reply.lower, otherAnswers());
    this.#keeping = markersOf(reply.lower, keeping());
    this.#supposed = markersOf(reply.lower, supposed());
    this.#tentative = markersOf(reply.lower, tentative());
  }

  /** Looks at the words from `from` up to a mention, and at those after it; `approved` if those approve of it. */
  reason(from: number, { start, end }: Place, approved: boolean): Unsaid | undefined {
    const after = this.#reply.lower.slice(end, Math.min(end + 60, this.#reply.sentenceEnd(end)));
    // What stands behind a closing bracket or tag is about something else.
    const closed = /^["')]{0,2}(?:\}|\]\]|<\/)/.test(after);
    if (!closed && this.#reply.asks(end)) return "doubtful";
    if (this.#others.has(from, start) || this.#asideOfOthers(from, start)) return "others";
    if (!closed && attributions().test(after)) return "others";
    const kept = approved || this.#keeping.has(from, start);
    if (!kept && (this.#earlier.has(from, start) || this.#otherAnswers.has(from, start))) return "others";
    if (this.#supposed.has(from, start) || this.#tentative.has(from, start)) return "doubtful";
    return !closed && conditions().test(after) ? "doubtful" : undefined;
  }

  /** "You said that, in your view, it is B": an aside does not end whose words they are. */
  #asideOfOthers(from: number, start: number): boolean {
    const said = this.#others.endBefore(start);
    if (said <= this.#reply.sentenceStart(start) || said > from || start - said > 160) return false;
    return /^(?: that)?,[^,]{1,60},[^,]*$/.test(this.#reply.lower.slice(said, start));
  }
}

interface Place {
  readonly start: number;
  readonly end: number;
}
