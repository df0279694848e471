import { lazyPattern } from "../../../core/lazy.ts";
import { closingValue } from "./alone.ts";
import { anyOf, type Finding, type Kind, type Mention, type Source } from "./kind.ts";
import type { Place, ReplyText } from "./reply-text.ts";
import { contradicts, isNoted, isStatedAlone } from "./rival.ts";
import { denialStart, isPlain, isQuoted, LIMIT, retraction, withoutAssent } from "./standing.ts";

const NOUN = anyOf(
  "answer|ans|choice|option|(?<!each |every )letter|solution|diagnosis|conclusion|verdict|result|judge?ment|decision|prediction|selection|pick|(?:right|correct|best) one",
);
/** What the answer is to: "(Yes or No)", "to the question 'Who …?'", "choice that best completes the sentence". */
const OF_NOUN = anyOf(
  "\\([^()\\n]{1,40}\\)",
  "choice|option|letter|key|here|overall|then|now|among a through [a-z]|in this case|from [a-z ]{1,30}",
  '(?:to|for) (?:the |this )?(?:[a-z]+ ){0,2}?(?:question|problem|part)(?: \\d{1,3}|,)? ?(?:"[^"\\n]{1,200}"|\'[^\\n]{1,200}?\'(?= is))?',
  "(?:to|that|which)(?: best| most [a-z]+)? (?:completes?|answers?|fits?|satisf(?:y|ies)|meets?|match(?:es)?|describes?|explains?|supports?|represents?|works|makes)(?: [a-z]+){0,12}?",
);
const BE = anyOf("is|are|stands(?=:)|would be|should be|must be|has to be|will be|remains|stays|is still");
const ADVERB =
  " (?:still|now|clearly|therefore|thus|hence|indeed|definitely|most likely|actually|as follows|option|simply|choice)";
const I =
  "(?<![a-z])i(?:'d|'ll|'m| would| will| am| must| have to)?(?: still| therefore| also| definitely)?(?: going to)?";
const CHOOSE = anyOf(
  "choose|chose|pick(?:ed)?|select(?:ed)?|go(?:ing)? (?:with|for)|vote for|settle on|stick(?:ing)? (?:with|to)|stand(?:ing)? by|stay(?:ing)? with|conclude|keep(?:ing)?|say|answer|get|put|give you|name|write|spell it|(?:do )?mean",
  "(?:chang|switch|revis|updat)(?:e|ing)(?: my answer)?(?: from [^\\n.;,]{1,30})? to",
);

/** Words and marks that announce an answer. A group's name is the kind of announcement. */
const announcements = lazyPattern(
  anyOf(
    "(?<box>\\\\?\\bboxed ?\\{)",
    "(?<=(?:^|\\n) ?)(?<hashes>####) ?(?=[^\\n]{1,40}(?:\\n|$))",
    "(?<tag><(?:final_?)?answer>)",
    '(?<json>"(?:final_?)?(?:answer|choice)" ?: ?)',
    "(?<=(?:^|\\n) ?)(?<line>a: ?)",
    `(?<words>(?<![a-z])${NOUN}(?:\\(s\\))?(?: ${OF_NOUN}|(?!)){0,2}(?: ${BE}(?:${ADVERB}|(?!)){0,2}:?| ?:|'s)(?![a-z])(?! (?:correct|right|wrong|incorrect|unchanged|the same|unclear)(?![a-z])))`,
    "(?<=(?:^|[.!?:\\n}>]|so) ?)(?<order>(?:please |let's )?(?:enter|write(?: down)?|put(?: down)?|mark|tick|order|pick|choose|select|go with|tell (?:her|him|them))(?![a-z]))",
    `(?<choice>${I} ${CHOOSE}(?: with)?(?: my (?:[a-z]+ )?answer(?: of|,|:)?)?(?![a-z]))`,
  ),
  "g",
);

/** Words before an announcement, in its clause, that make it less than the reply's own answer, here and now. */
const foreign = lazyPattern(
  `(?<![a-z])${anyOf(
    "if|unless|whether|suppose|assum(?:e|ing)|hypothetical|were|had|would have|might|may|could|perhaps|maybe|possibly",
    "you|your|they|their|he|his|she|her|people|some|many|someone|one|others?|another|student|friend|user|expert|author|teacher|(?:model|assistant|ai|bot)'s|critics|rumou?r|legend|supposedly",
    "initial|initially|original|originally|previous|previously|earlier|first|second|third|next|last|prior|old|former|partial|possible|potential|alternative|intermediate",
    "trap|decoy|distractor|obvious|intuitive|tempt[a-z]+|naive|common|popular|typical|usual|intended|expected|supposed|said|says?|saying|claims?|claimed|thought|was|according",
    "nobody|shown|proven|(?<!(?<![a-z])i )think|normally|usually|generally|typically|often|sometimes|in theory|imagine|pretend|explain|(?<!(?<![a-z])i )believe",
    "while|although|though|even|despite|before|until|which|what|why|how|each|every|any|part|step|sub|check|either|both|doubt|least|worst|less|too|almost|nearly|between|when",
    "not|never|no|neither|nor|[a-z]+n't|cannot|without|rather|instead|except|wrong|incorrect|mistaken(?:ly)?|mistake|refuse|hard|impossible|unable|stop",
  )}(?![a-z])|\\?`,
  "",
);
/** A conclusion or a contrast starts a clause of its own: "We don't know, so the answer is C". */
const NEW_CLAUSE = /^.*(?:[,;] (?:so|therefore|thus|hence|but|however|and),? |[;—:] |\b(?:but|so) )/s;

/** Where nothing limits what the sentence says, a comma starts one too: "The book is wrong, the answer is C". */
const NEW_STATEMENT = /^.*(?:[,;—:] |\b(?:but|so) )/s;

interface Announcement extends Place {
  /** Where what is announced ends. */
  readonly limit: number;
  /** True for a mark that is meant for programs: `\boxed{}`, `####`, `<answer>`, a JSON field. */
  readonly mark: boolean;
}

const JSON_VALUE = /"[^"\n]{0,80}"|[^,}\n]{0,60}/y;

function announcementsIn(reply: ReplyText): Announcement[] {
  const { lower } = reply;
  const found: Announcement[] = [];
  for (const match of lower.matchAll(announcements())) {
    const start = match.index;
    const end = start + match[0].length;
    const { box, tag, json, hashes } = match.groups ?? {};
    const place = { start, end, mark: true };
    JSON_VALUE.lastIndex = end;
    if (box ?? tag) found.push({ ...place, limit: Math.max(end, lower.indexOf(box ? "}" : "</", end)) });
    else if (json) found.push({ ...place, limit: end + (JSON_VALUE.exec(lower)?.[0].length ?? 0) });
    else if (hashes) found.push({ ...place, limit: end + (/\n|$/.exec(lower.slice(end))?.index ?? 0) });
    else if (isOwn(reply, start, match[0]))
      found.push({ ...place, mark: false, limit: regionEnd(reply, end) });
  }
  return found;
}

/** The end of the sentence, or of the next line if the announcement ends its own. */
function regionEnd(reply: ReplyText, end: number): number {
  const first = reply.lower.slice(end).search(/[^\s"'*:]/);
  return Math.min(end + 300, reply.sentenceAt(end + Math.max(0, first)).end);
}

function isOwn(reply: ReplyText, start: number, words: string): boolean {
  const sentence = withoutAssent(
    // A mark ends what it belongs to.
    reply.lower.slice(Math.max(reply.sentenceAt(start).start, start - 240), start).replace(/^.*[}>]\s/s, ""),
  );
  const clause = sentence.replace(LIMIT.test(sentence) ? NEW_CLAUSE : NEW_STATEMENT, "");
  // "On Mars the answer would be A"
  if (isQuoted(reply, { start, end: start + words.length })) return false;
  if (/ would be/.test(words) && /\b(?:on|in|at|for|under|with)\b/.test(sentence)) return false;
  return !foreign().test(clause);
}

/** What may stand between an announcement and its value. */
const GAP =
  /^(?:[\s"'([{$*:>~≈=-]|\\boxed|(?:the|an?|option|choice|letter|answer|is|it's|it is|that|that it's|that it is|in|city of|about|approximately|around|roughly|exactly|equal to|equals|a total of|still|definitely|clearly|most likely|likely|minus|negative|not [^,]{1,30}, but)(?![a-z]))*$/;
const REASON =
  /\b(?:because|since|as|given|where|so that|which|whereas|compared|even though|although|though|despite|no matter|regardless|whatever)\b|: /;
const OPEN_AFTER =
  /^["')\]}*.]{0,3},? \(?(?:or|if|unless|maybe|perhaps|possibly|provided|assuming|only|in (?:most|some|many)|for (?:some|many)|according|you)(?![a-z])/;

/** The value that an announcement is followed by; undefined if that cannot be read without doubt. */
function payloadOf<Value>(
  reply: ReplyText,
  { end, limit, mark }: Announcement,
  kind: Kind<Value>,
): (Mention<Value> & { readonly value: Value; readonly until: number }) | undefined {
  const { lower } = reply;
  const [first, ...more] = kind.announced(reply, end, limit);
  if (first === undefined || first.value === null) return undefined;
  if (denialStart(lower, first) !== undefined && !mark) return undefined;
  // "Answer: there are 7 apples"
  const isLabel = /answer ?: ?$/.test(lower.slice(Math.max(0, end - 10), end));
  if (!GAP.test(lower.slice(end, first.start)) && !(isLabel && isPlain(reply, first, lower)))
    return undefined;
  if (!mark && /\?\W*$/.test(lower.slice(first.end, limit))) return undefined;
  const isRival = (other: Mention<Value>): boolean => {
    if (other.value === first.value || denialStart(lower, other) !== undefined) return false;
    const between = lower.slice(first.end, other.start);
    return !REASON.test(between) && !/\((?!or |maybe|perhaps|possibly)[^()]*$/.test(between);
  };
  if (
    more.some(isRival) ||
    (mark ? /^\W*(?:or|and)\b/ : OPEN_AFTER).test(reply.text.slice(first.end, first.end + 40))
  )
    return undefined;
  return { ...first, value: first.value, until: limit };
}

/** What a reply announces: "The answer is X", a boxed value, a JSON field. */
export function announcedAnswer<Value>(source: Source<Value>): Finding<Value> | undefined {
  const { reply, kind, cut } = source;
  const { lower } = reply;
  const all = announcementsIn(reply);
  const last = all.at(-1);
  if (last === undefined) return undefined;
  const found = payloadOf(reply, last, kind);
  if (found === undefined) {
    // A mark that holds something else: `"answer": "indeterminate"`.
    const isNothing =
      last.mark && last.limit > last.end && kind.announced(reply, last.end, last.limit).length === 0;
    return { value: null, start: last.start, end: last.end, isNothing, isDoubtful: !isNothing };
  }
  const end = closingValue(source);
  if (end !== undefined && end.value !== found.value) return { ...found, value: null };
  const doubt = { ...found, isDoubtful: true };
  // Of a reply that was cut off, nothing may be missing behind the answer: "The answer is 1" may have been going to be 12.
  if (cut && !/^["')\]}*]*(?:[.!](?=\s)|\n|[)\]}<"]| (?:because|since) )/.test(lower.slice(found.end)))
    return doubt;
  const rival = all.slice(0, -1).findLast((other) => {
    const before = payloadOf(reply, other, kind);
    return before === undefined ? other.mark : before.value !== found.value;
  });
  // "The answer is A. Wait, no. The answer is C."
  if (rival !== undefined && !retraction().test(lower.slice(rival.limit, last.start))) return doubt;
  if (retraction().test(lower.slice(found.end))) return doubt;
  const mentions = source.mentions.filter(({ start }) => start >= found.until);
  const isRival = (other: Mention<Value>): boolean => {
    if (!last.mark)
      return kind.isCommon
        ? other.value !== found.value
        : !isNoted(lower, other) && contradicts(reply, kind, found, other);
    // "\\boxed{57} 42", "\\boxed{57} I believe it's 42."
    const before = lower.slice(found.until, other.start).replace(/^<[^<>]*>/, "");
    const isStated = before.length < 60 && /^[^a-z]*$|\b(?:is|it's|be) ["'(]{0,2}$/.test(before);
    return other.value !== found.value && (isStated || isStatedAlone(reply, other));
  };
  return mentions.some(isRival) ? doubt : found;
}
