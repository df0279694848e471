import type { Finding, Mention, Source } from "./kind.ts";
import { isStatedAlone } from "./rival.ts";
import { isQuoted, isReported, isSupposed, retraction, withoutAssent } from "./standing.ts";

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
