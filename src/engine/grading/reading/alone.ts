import { type Finding, isNamed, type Kind, type Mention, type Named, type Source } from "./kind.ts";
import type { ReplyText } from "./reply-text.ts";
import { contradicts, isStatedAlone } from "./rival.ts";
import { isDeclined, isQuoted, isReported, isSupposed, retraction, withoutAssent } from "./standing.ts";

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
export function lastLine<Value>({ reply, kind, cut }: Source<Value>): Finding<Value> | undefined {
  if (cut) return undefined;
  const text = reply.text.trimEnd();
  let start = text.lastIndexOf("\n") + 1;
  if (start > 0 && !/[^:\n]\n\n$/.test(text.slice(0, start).slice(-3))) return undefined;
  const last = bareValue(reply, kind, start, text.length);
  while (last !== undefined && start > 1) {
    const end = start - 1;
    start = text.lastIndexOf("\n", end - 1) + 1;
    const other = bareValue(reply, kind, start, end);
    if (other !== undefined && other.value !== last.value) return { ...last, value: null };
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
export function leadingValue<Value>({ reply, kind, mentions }: Source<Value>): Named<Value> | undefined {
  const [first, ...later] = mentions;
  if (first === undefined || !isNamed(first)) return undefined;
  const behind = reply.lower.slice(first.end);
  if (!HEAD.test(withoutAssent(reply.lower.slice(0, first.start))) || !LED.test(behind)) return undefined;
  if (/^[^.?!\n]*[=×?]/.test(behind) || retraction().test(behind)) return undefined;
  const sentence = reply.sentenceAt(first.start);
  const [own = ""] = reply.lower.slice(first.end, sentence.end).split(/\b(?:because|since)\b/);
  if (!kind.isListed && CONTRAST.test(own)) return undefined;
  return later.some((mention) => contradicts(reply, kind, first, mention)) ? undefined : first;
}

/** A last sentence, or its last clause, that says "it's X" and nothing else. */
const CLOSING =
  /^[\s"'*]*$|(?:^|[,;:—}>]|\b(?:and|but|so|then|therefore|hence)\b)[\s"'*]*(?:(?:so|then|therefore|hence|today|now|still),? )*(?:it's|it is) (?:still |now |the |an? |in )*["'([*]*$|(?:^|[,;—] |\b)so (?:really |that's )?["'([*]*$/;
const EQUATION = /= ?["'([*$€£]*$/;

/** The value that a reply ends with: "Who can give to anyone? O negative.", "…, so it's 6." */
export function closingValue<Value>({ reply, kind, cut }: Source<Value>): Named<Value> | undefined {
  if (cut) return undefined;
  const { start } = reply.sentenceAt(reply.text.trimEnd().length - 1);
  const last = kind.announced(reply, start, reply.text.length).at(-1);
  if (last === undefined || !isNamed(last) || !ends(reply, kind, last.end, reply.text.length))
    return undefined;
  // "1. B 2. C", "15; 20"
  if (/(?:^|[.;\s])(?<![a-z]{2}\s)\d+[.;]\s*$/.test(reply.lower.slice(0, start))) return undefined;
  if (kind.isSelfEvident && kind.mentions(reply).length > 1) return undefined;
  const before = reply.lower.slice(start, last.start);
  const closes =
    CLOSING.test(before.replace(/(?:the|an?) $/, "")) || (!kind.isCommon && EQUATION.test(before));
  return closes && !isReported(reply, last.start) && !isDeclined(reply) ? last : undefined;
}

/** "It's X", as a clause of its own. */
const IDENTIFIED =
  /(?:^|[,;:—–]|\b(?:but|and|so|yet|no))[\s"'*]*(?:(?:so|then|therefore|hence|today|still|no|yes|in fact|actually|however|of course|i'm (?:sure|certain|confident)(?: that)?|i (?:think|believe)(?: that)?|there(?:'s| is) no doubt that),? )*(?:it's|it is|it was|that's|that is|that would be) (?:(?:still|now|actually|indeed|really|just|clearly|definitely|simply|only) )?(?:(?:the|an?|in|on|at|about|option|port) )?["'([*]*$/;
const IDENTIFIED_END =
  /^["')\]}*°]{0,3}(?:\s*$|[.!;](?:\s|$)|,? (?:not|because|since|rather than|instead of|and not|no matter|whatever)(?![a-z])|,(?! (?:or|if|unless|maybe|perhaps|possibly|but|right|then|too|as well|according|you|says?|they)(?![a-z]))|:| [–—-] |—|\n)/;

/** What a reply says that "it" is: "Your daughter has a point, but it's Venus!"; null if it says so of several. */
export function identifiedValue<Value>({ reply, kind, mentions }: Source<Value>): Finding<Value> | undefined {
  if (kind.isCommon || kind.isSelfEvident) return undefined;
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
    other.value !== first.value && isStatedAlone(reply, other) && !isSupposed(reply, other.start);
  return more.every(({ value }) => value === first.value) && !mentions.some(isRival)
    ? first
    : { ...first, value: null };
}
