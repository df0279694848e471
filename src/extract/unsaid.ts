import { type Markers, markersOf } from "./markers.ts";
import type { ReplyText } from "./reply-text.ts";

const PERSON =
  "(?:you|they|he|she|people|some|many|most|others|someone|somebody|everyone|one|students?|critics|experts?|patients?|users?|authors?|professors?|teachers?|doctors?|friends?|colleagues?|folks)";
const SAY =
  "(?:say|said|says|saying|think|thought|thinks|thinking|believe|believed|believes|believing|claim|claimed|claims|claiming|suggest|suggested|suggests|suggesting|argue|argued|argues|propose|proposed|proposes|proposing|mention|mentioned|mentions|choose|chose|chosen|pick|picked|select|selected|answer|answered|assume|assumed|assumes|insist|insisted|insists|feel|felt|state|stated|states|stating|prefer|preferred|guess|guessed|conclude|concluded|indicated|gave|give|given|provided|proposed|maintain|maintained|consider|considered|expect|expected|wrote|went with|go with|said it was|put)";

/** Somebody else's words, unless they are taken up ("as you said"). */
const OTHERS = new RegExp(
  `(?<!\\bas )\\b${PERSON}(?:'ve|'re|'d)?(?: (?!right|correct|agree|should|must|can|will|need|ought|want)[a-z']+){0,3}? ${SAY}(?![a-z])|(?<!\\b(?:i|as [a-z]{1,12}) )\\b(?:thinks|believes|insists|claims|claimed|insisted|told)(?![a-z])|\\b(?:(?:misconception|myth|mistake|belief|notion|rumou?r) that|according to|supposedly|allegedly)(?![a-z])`,
  "g",
);

/** What the speaker said or thought before. */
const EARLIER =
  /\b(?:i|we)(?:'d|'ve| had| have)?(?: (?:first|initially|originally|previously|earlier|at first|just|mistakenly|incorrectly|wrongly|once|may have|might have|also))? (?:thought|said|answered|stated|believed|assumed|suggested|considered|was (?:thinking|leaning|inclined|going|about|tempted|considering)|guessed|claimed|wrote|gave|said it was)(?![a-z])|\b(?:at first|initially|originally|previously|formerly|used to be|once thought|first thought|earlier|at first glance|on first (?:glance|reading)|tempting|tempted)(?![a-z])/g;

/** Answers that are not, or not yet, the speaker's: "your answer", "the obvious answer", "another option". */
const OTHER_ANSWER =
  /\b(?:your|their|his|her|user's|student's|previous|earlier|original|initial|first|prior|old|former|last|obvious|intuitive|tempting|naive|common|popular|typical|wrong|incorrect|mistaken|usual|other|another|second|second[- ]best|next|third|possible|potential|plausible|which|each|every|no|any|some|what|one)(?: [a-z]+)? (?:answers?|choices?|options?|response|guess|thought|instinct|reaction|impression|selection|pick|conclusion|statement|claim|suggestion|belief|view|opinion|assertion|solution)(?![a-z])/g;

/** Words that keep to an earlier answer. */
const KEEP =
  /\b(?:stick(?:ing)? (?:with|to)|stand(?:ing)? by|maintain(?:ing)?|keep(?:ing)?|confirm|reaffirm|reiterate|stay(?:ing)? with|hold(?:ing)? to|still|remains?|stands?)(?![a-z])/g;

/** Suppositions and concessions; "if I had to choose" is neither. */
const SUPPOSED =
  /\b(?:if(?! (?:i (?:had|have|must|were|was|am|'m)|i'm|forced|asked|pressed|pushed|anything|so|you're asking|you (?:want|need) (?:a|one)|only one)\b)|unless|suppose|supposing|assuming|assume|whether|in case|imagine|hypothetically|even if|were|while|whilst|(?:although|though)(?! i(?:'d|'m| would| am| think| believe| lean)\b)|despite|cannot (?:decide|choose|determine|tell)|can't (?:decide|choose|determine|tell))(?![a-z'])/g;

const TENTATIVE =
  /\b(?:might|may|could|maybe|perhaps|possibly|potentially|conceivably|arguably|not (?:entirely |completely |100% )?(?:sure|certain)|isn't (?:sure|certain)|unsure|uncertain|candidates?|contenders?|consider|considering|let's (?:look|see|check|test|try|examine|say)|looking at|between)(?![a-z])/g;

/** A condition after the answer: "B if …". */
const CONDITION = /^["')\]}.*:]{0,4}(?: [a-z]+){0,3}? (?:if|unless|only if|provided|assuming|when)(?![a-z])/;

/** Why a mention is not the speaker's own assertion. */
export type Unsaid = "others" | "doubtful";

/** Tells whether what a reply mentions is asserted by the speaker, here and now. */
export class Unsaids {
  readonly #reply: ReplyText;
  readonly #others: Markers;
  readonly #earlier: Markers;
  readonly #otherAnswer: Markers;
  readonly #keep: Markers;
  readonly #supposed: Markers;
  readonly #tentative: Markers;

  constructor(reply: ReplyText) {
    this.#reply = reply;
    this.#others = markersOf(reply.lower, OTHERS);
    this.#earlier = markersOf(reply.lower, EARLIER);
    this.#otherAnswer = markersOf(reply.lower, OTHER_ANSWER);
    this.#keep = markersOf(reply.lower, KEEP);
    this.#supposed = markersOf(reply.lower, SUPPOSED);
    this.#tentative = markersOf(reply.lower, TENTATIVE);
  }

  /** Looks at the words from `from` up to a mention, and at those after it; `approved` if they approve of it. */
  reason(from: number, start: number, end: number, approved: boolean): Unsaid | undefined {
    if (this.#reply.asks(end)) return "doubtful";
    if (this.#others.has(from, start) || this.#asideOfOthers(from, start)) return "others";
    const kept = approved || this.#keep.has(from, start);
    if (!kept && (this.#earlier.has(from, start) || this.#otherAnswer.has(from, start))) return "others";
    if (this.#supposed.has(from, start) || this.#tentative.has(from, start)) return "doubtful";
    const after = this.#reply.lower.slice(end, Math.min(end + 60, this.#reply.sentenceEnd(end)));
    return CONDITION.test(after) ? "doubtful" : undefined;
  }

  /** "You said that, in your view, it is B": an aside does not end whose words they are. */
  #asideOfOthers(from: number, start: number): boolean {
    const sentence = this.#reply.sentenceStart(start);
    const said = this.#others.endBefore(start);
    if (said <= sentence || said > from || from > start) return false;
    return /^(?: that)?,[^,]{1,60},[^,]*$/.test(this.#reply.lower.slice(said, start).slice(0, 160));
  }
}
