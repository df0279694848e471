import { type Announced, announcedAnswer, contradicts, isStatedAlone } from "./announced.ts";
import type { Decision, Kind, Mention } from "./kind.ts";
import { NUMBER_WORD, numberWords } from "./number-words.ts";
import { type Place, ReplyText, withoutClosing } from "./reply-text.ts";
import {
  denialStart,
  isAttributed,
  isDeclined,
  isDeniedAfter,
  isForeign,
  isPlain,
  isQuoted,
  isReported,
  retraction,
  withoutAssent,
} from "./standing.ts";
import { isAbout, isNarrowed, type Topic, topicalValue } from "./topic.ts";

/** A text that ends in the middle of a sentence, or in an open bracket, whatever is known of how it ended. */
const BREAKS_OFF =
  /(?:[,=+×/(]|(?<!:)\([^()\n]{1,80}|\b(?:the|an?|and|or|of|to|is|are|was|with|for|by|that|which|because|leaving|about|then|but|if|from|in|at|as|we))\s*$|^\s*(?:```[a-z]*\s*)?\{\s*"[^}]*$/;
/** A model that was not tuned to chat goes on with a question of its own. */
const NEXT_QUESTION = /\n[ \t]*(?:question|q|human|user|problem)(?: ?\d{1,3})? ?:/i;

/**
 * Reads what is certain: the answer that a reply announces, a reply or last line that is a value, or the only value that it
 * names, if one of its sentences states it. Everything else is left unread.
 */
export function readReply<Value>(
  written: string,
  kind: Kind<Value>,
  topic: Topic,
  cutOff: boolean,
): Decision<Value> {
  const reply = withoutClosing(written);
  const next = NEXT_QUESTION.exec(reply)?.index;
  const before = next === undefined ? undefined : new ReplyText(reply.slice(0, next));
  const announced = before === undefined ? undefined : announcedAnswer(before, kind, false);
  if (before !== undefined && announced?.status === "found") return placed(before, announced);
  const text = new ReplyText(reply);
  return placed(text, decide(text, kind, topic, cutOff || BREAKS_OFF.test(reply)));
}

/** A decision with its place in the reply. */
function placed<Value>(text: ReplyText, decision: Decision<Value>): Decision<Value> {
  if (decision.status !== "found") return decision;
  const [start, end] = text.span(decision.start, decision.end);
  return { ...decision, start, end };
}

function decide<Value>(reply: ReplyText, kind: Kind<Value>, topic: Topic, cut: boolean): Decision<Value> {
  const announced = announcedAnswer(reply, kind, cut);
  const lone = cut ? undefined : lastLine(reply, kind);
  if (lone === "doubt" || (lone !== undefined && differs(announced, lone.value)))
    return { status: "ambiguous" };
  if (lone !== undefined) return found(lone);
  const closing = cut ? undefined : closingValue(reply, kind);
  if (closing !== undefined && differs(announced, closing.value)) return { status: "ambiguous" };
  if (announced !== undefined && announced.status !== "doubt") return announced;
  if (cut) return { status: "absent" };
  if (announced !== undefined && kind.isCommon) return { status: "ambiguous" };
  const concluded = kind.concluded?.(reply);
  if (concluded !== undefined) return found(concluded);
  const mentions = kind.mentions(reply);
  if (mentions.length === 0) return { status: "absent" };
  if (isForeign(reply.lower)) return { status: "ambiguous" };
  const stated = [
    topicalValue(reply, kind.named?.(reply) ?? mentions, topic),
    leadingValue(reply, kind, mentions),
    kind.isCommon || kind.isSelfEvident ? undefined : identifiedValue(reply, mentions),
    closing,
  ].filter((each) => each !== undefined);
  const [sure] = stated;
  if (sure !== undefined)
    return found(stated.every(({ value }) => value === sure.value) ? sure : { ...sure, value: null });
  // Numbers occur beside the answer too: a lone one counts only in a reply of one sentence.
  if (kind.isCommon && (mentions.length !== 1 || reply.sentences.length > 1 || COUNTED.test(reply.lower)))
    return { status: "ambiguous" };
  return onlyValue(reply, kind, topic, mentions);
}

function differs<Value>(announced: Announced<Value> | undefined, value: Value): boolean {
  return (
    announced !== undefined && "value" in announced && announced.value !== null && announced.value !== value
  );
}

/** A number that is said of something else: "forty years is a long time", "each state sends two". */
const COUNTED = new RegExp(
  `\\b(?:each|every|per|half|another|for|after|by|rate|multiply|divide|add)\\b|^[^a-z\\d]*(?:\\d[\\d.,]*|${NUMBER_WORD})(?: [a-z]+)? (?:is|are|was) (?!the )`,
);

/** A value that a text names. */
type Named<Value> = Mention<Value> & { readonly value: Value };

function found<Value>({ value, start, end }: Mention<Value>): Decision<Value> {
  return value === null ? { status: "ambiguous" } : { status: "found", value, start, end };
}

function isNamed<Value>(mention: Mention<Value>): mention is Named<Value> {
  return mention.value !== null;
}

const BARE_BEFORE =
  /^(?:[\s"'([{$>#*•-]|(?:[Tt]he|an?|[Oo]ption|[Ll]etter|about|roughly|[Aa]t|[Oo]n|[Ii]n|[Dd]ay|[Pp]ort|(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December)(?: \d{1,2},)?|[Ii]t(?:'s| is| was)) )*$/;
const UNIT_AFTER =
  /^["')\]}$*]*(?: ?(?!(?:or|to|and|less|more|fewer|than|of|times|plus|minus|if|when|not|is|are|was|were|has|would|dozen|higher|lower|in|on|at|for|by|ago|before|after|until|once)\b)[\p{L}°€£%$/²³^23.-]{1,20}){0,3}["')\]}$*]*\s*$/u;
const BARE_AFTER = /^["')\]}$*]*[.!]?["')\]}$*]*\s*$/;

/** True if nothing but marks, or the unit of a number, stands between two positions. */
function ends<Value>({ lower }: ReplyText, { isCommon }: Kind<Value>, from: number, to: number): boolean {
  const counts = isCommon || /\d$/.test(lower.slice(0, from));
  return (counts ? UNIT_AFTER : BARE_AFTER).test(lower.slice(from, to));
}

/** The value that a line consists of. */
function bareValue<Value>(
  reply: ReplyText,
  kind: Kind<Value>,
  start: number,
  end: number,
): Named<Value> | undefined {
  if (end - start > 60) return undefined;
  const [only, ...more] = kind.announced(reply, start, end);
  if (only === undefined || more.length > 0 || !isNamed(only)) return undefined;
  const isBare = BARE_BEFORE.test(reply.text.slice(start, only.start)) && ends(reply, kind, only.end, end);
  return isBare ? only : undefined;
}

/** A last line, or a whole reply, that is nothing but a value; no other such line may say something else. */
function lastLine<Value>(reply: ReplyText, kind: Kind<Value>): Named<Value> | "doubt" | undefined {
  const text = reply.text.trimEnd();
  let start = text.lastIndexOf("\n") + 1;
  if (start > 0 && !/[^:\n]\n\n$/.test(text.slice(0, start).slice(-3))) return undefined;
  const last = bareValue(reply, kind, start, text.length);
  while (last !== undefined && start > 1) {
    const end = start - 1;
    start = text.lastIndexOf("\n", end - 1) + 1;
    const other = bareValue(reply, kind, start, end);
    if (other !== undefined && other.value !== last.value) return "doubt";
  }
  return last;
}

/** What may stand before a leading answer, and what follows it: the end of its sentence, a gloss, no verb. */
const HEAD =
  /^(?:[\s"'([{$>•#*–—-]|(?:the|an?|still|again|so|short (?:answer|version)|option|port|about|in|at|on|it's|it is|it was|that's|that is)[,.:]?(?= ))*$/;
const LED =
  /^["')\]}$*°]{0,3}(?: degrees| in (?:total|all)| altogether)?(?:\)|[.:](?=\s)|[.!]["')]|(?: ?\([^()\n]{1,80}\))?(?:$|[.!;](?:\s|$)|,? (?:actually|then)[.!]|\s*\n| [–—-] |—|: |, (?:not|because|since|as|at|with|in|on|by|who|which|where|given|of course|my mistake)\b))/;

const CONTRAST = /\b(?:but|if|unless|or|maybe|perhaps)\b/;

/** A reply that begins with a value has given its answer, unless it takes it back or states another one. */
function leadingValue<Value>(
  reply: ReplyText,
  kind: Kind<Value>,
  [first, ...later]: readonly Mention<Value>[],
): Named<Value> | undefined {
  if (first === undefined || !isNamed(first)) return undefined;
  const behind = reply.lower.slice(first.end);
  if (!HEAD.test(withoutAssent(reply.lower.slice(0, first.start))) || !LED.test(behind)) return undefined;
  if (/^[^.?!\n]*[=×?]/.test(behind) || retraction().test(behind)) return undefined;
  const sentence = reply.sentenceAt(first.start);
  const [own = ""] = reply.lower.slice(first.end, sentence.end).split(/\b(?:because|since)\b/);
  if (!kind.isListed && CONTRAST.test(own)) return undefined;
  return later.some((mention) => contradicts(reply, kind, first, mention)) ? undefined : first;
}

/** "It's X", as a clause of its own. */
const IDENTIFIED =
  /(?:^|[,;:—–]|\b(?:but|and|so|yet|no))[\s"'*]*(?:(?:so|then|therefore|hence|today|still|no|yes|in fact|actually|however|of course|i'm (?:sure|certain|confident)(?: that)?|i (?:think|believe)(?: that)?|there(?:'s| is) no doubt that),? )*(?:it's|it is|it was|that's|that is|that would be) (?:(?:still|now|actually|indeed|really|just|clearly|definitely|simply|only) )?(?:(?:the|an?|in|on|at|about|option|port) )?["'([*]*$/;
const IDENTIFIED_END =
  /^["')\]}*°]{0,3}(?:\s*$|[.!;](?:\s|$)|,? (?:not|because|since|rather than|instead of|and not|no matter|whatever)(?![a-z])|,(?! (?:or|if|unless|maybe|perhaps|possibly|but|right|then|too|as well|according|you|says?|they)(?![a-z]))|:| [–—-] |—|\n)/;

/** What a reply says that "it" is: "Your daughter has a point, but it's Venus!"; null if it says so of several. */
function identifiedValue<Value>(
  reply: ReplyText,
  mentions: readonly Mention<Value>[],
): Mention<Value> | undefined {
  const isIdentified = (mention: Mention<Value>, index: number): boolean => {
    const sentence = reply.sentenceAt(mention.start);
    const before = withoutAssent(reply.lower.slice(sentence.start, mention.start));
    const after = reply.lower.slice(mention.end, sentence.end);
    const next = mentions[index + 1];
    return (
      IDENTIFIED.test(before) &&
      IDENTIFIED_END.test(after) &&
      !after.includes("?") &&
      !(
        next !== undefined &&
        next.value !== mention.value &&
        /^["')\]}*]*, (?:the |an? )?$/.test(reply.lower.slice(mention.end, next.start))
      ) &&
      !isReported(reply, mention.start) &&
      !isQuoted(reply, mention)
    );
  };
  const [first, ...more] = mentions.filter(isIdentified);
  if (first === undefined || retraction().test(reply.lower.slice(first.end))) return undefined;
  const isRival = (other: Mention<Value>): boolean =>
    other.value !== first.value && isStatedAlone(reply, other);
  return more.every(({ value }) => value === first.value) && !mentions.some(isRival)
    ? first
    : { ...first, value: null };
}

/** A last sentence, or its last clause, that says "it's X" and nothing else. */
const CLOSING =
  /^[\s"'*]*$|(?:^|[,;:—}>]|\b(?:and|but|so|then|therefore|hence)\b)[\s"'*]*(?:(?:so|then|therefore|hence|today|now|still),? )*(?:it's|it is) (?:still |now |the |an? |in )*["'([*]*$|(?:^|[,;—] |\b)so (?:really |that's )?["'([*]*$/;
const EQUATION = /= ?["'([*$€£]*$/;

/** The value that a reply ends with: "Who can give to anyone? O negative.", "…, so it's 6." */
function closingValue<Value>(reply: ReplyText, kind: Kind<Value>): Named<Value> | undefined {
  const { start } = reply.sentenceAt(reply.text.trimEnd().length - 1);
  const last = kind.announced(reply, start, reply.text.length).at(-1);
  if (last === undefined || !isNamed(last) || !ends(reply, kind, last.end, reply.text.length))
    return undefined;
  // "1. B 2. C", "15; 20"
  if (/(?:^|[.;\s])\d+[.;]\s*$/.test(reply.lower.slice(0, start))) return undefined;
  if (kind.isSelfEvident && kind.mentions(reply).length > 1) return undefined;
  const before = reply.lower.slice(start, last.start);
  const closes =
    CLOSING.test(before.replace(/(?:the|an?) $/, "")) || (!kind.isCommon && EQUATION.test(before));
  return closes && !isReported(reply, last.start) && !isDeclined(reply) ? last : undefined;
}

/** Where a sentence states a value: as what it says of its subject, as its subject, after a colon or a dash, or alone. */
const APART =
  /(?:^|[.!?:;,—\n]|\s[–-])\s*(?:(?:the|an?|in|on|at|about|roughly|still|indeed|of course)\s)*["'([*]{0,3}$/;
const ENDS =
  /^["')\]}*°]{0,3}(?:\s*$|[.,!;:—(\n]| [–(-]| (?:because|since|of course|then|in|at|on|for|with)(?![a-z]))/;
const COMPLEMENT =
  /(?:(?<![a-z])(?:is|are|was|were|be|it's|that's|remains?|became|means|called|as|by|has|have|need|needs|takes?|took|costs?|equals?|gives?|makes?|get|lists?|to be|with|at|option|so|you're right|comes|spelt|(?:happens|occurs|takes place|lies?|sits?|flows|belongs|stands|ask[s]?) (?:for|in|on|at|into|to|by))) (?:(?:the|an?|in|on|at|about|roughly|only|still|indeed|actually|now|clearly|likely|most likely|to|out|take|draw|order|by|of course)\s)*["'([*]{0,3}$/;
const SUBJECT =
  /^["')\]}*]{0,3}(?: \([^()]{1,40}\))? (?:is|are|was|remains)(?: (?:still|indeed|actually|clearly|in fact|definitely))? (?:the|its|their|my|correct|right|[a-z]+'s)(?![a-z])/;

function isQuantity(lower: string): boolean {
  return /\d/.test(lower) || numberWords(lower).length > 0;
}

/** A number before a quantity makes a range of it, or one of two: "7 to 14 atoms". */
const RANGE = /\d\W*(?:to|and|or)?\W*$/;

/** True if a sentence that names a value gives it as an answer: by its form, or because it is about what the field describes. */
function isStated(reply: ReplyText, text: string, { start, end }: Place, topic: Topic): boolean {
  const before = text.slice(Math.max(0, start - 80), start);
  const after = text.slice(end, end + 80);
  const sentence = reply.sentenceAt(start);
  if (isQuantity(text.slice(start, end))) return !RANGE.test(before);
  if (isAbout(`${text.slice(sentence.start, start)} ${text.slice(end, sentence.end)}`, topic)) return true;
  return COMPLEMENT.test(before) || (APART.test(before) && ENDS.test(after)) || SUBJECT.test(after);
}

/** A reply that agrees with somebody may mean what it says that they say. */
const ASSENTS =
  /\b(?:right|correct|agree|trust|defer|accept|concede|corrected|apologi[sz]e|sorry|my mistake|convinced?|persuaded|believe)\b/;

/** The only value that a reply names and does not deny ("X, not Y" names X), if one of its sentences states it. */
function onlyValue<Value>(
  reply: ReplyText,
  kind: Kind<Value>,
  topic: Topic,
  mentions: readonly Mention<Value>[],
): Decision<Value> {
  const left: Mention<Value>[] = [];
  const denied = new Set<Value | null>();
  const assents = ASSENTS.test(reply.lower);
  let masked = "";
  for (const mention of mentions) {
    const from = denialStart(reply.lower, mention);
    const isDenied = from !== undefined || (!kind.isSelfEvident && isDeniedAfter(reply.lower, mention));
    if (isDenied) denied.add(mention.value);
    else if (assents || kind.isSelfEvident || !isAttributed(reply, mention)) left.push(mention);
    if (from !== undefined)
      masked += reply.lower.slice(masked.length, from).padEnd(mention.end - masked.length);
  }
  masked += reply.lower.slice(masked.length);
  const [first] = left;
  if (first === undefined) return { status: "absent" };
  const sure =
    left.every(({ value }) => value === first.value) &&
    !denied.has(first.value) &&
    !isDeclined(reply) &&
    !retraction().test(masked.slice(first.end));
  const stated = kind.isSelfEvident
    ? first
    : left.find(
        (mention) =>
          isStated(reply, masked, mention, topic) &&
          isPlain(reply, mention, masked) &&
          !isNarrowed(reply, mention, topic),
      );
  return sure && stated !== undefined && isNamed(stated) ? found(stated) : { status: "ambiguous" };
}
