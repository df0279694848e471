import type { Mention } from "./kind.ts";
import type { Place, ReplyText } from "./reply-text.ts";
import { isQuoted, isReported, retraction } from "./standing.ts";

/** The words of a field's description, in lower case and without endings: what its value is about. */
export type Topic = ReadonlySet<string>;

/** Words that add nothing to what a clause says. */
const FILLERS = new Set(
  "the a an of is are be to in on at for by with that this it its it's that's they their there and as from has have still indeed actually fact definitely clearly certainly today now currently here correct right actual real true yes what who which am i'm m s".split(
    " ",
  ),
);

function stem(word: string): string {
  return word
    .replace(/'s?$/, "")
    .replace(/(?<=[a-z]{3})(?:es|s|ed|ing)$/, "")
    .replace(/(?<=[a-z]{3})e$/, "");
}

function contentOf(lower: string): string[] {
  return (lower.match(/[\p{L}\p{N}][\p{L}\p{N}'.-]*(?<![.'-])/gu) ?? [])
    .filter((word) => !FILLERS.has(word))
    .map(stem)
    .filter((word) => word !== "");
}

/** What a description says before it goes into cases. */
export function topicOf(description: string | undefined): Topic {
  const [about = ""] = (description ?? "")
    .toLowerCase()
    .replaceAll(/[’]/g, "'")
    .split(/[;.]\s|, or /);
  return new Set(contentOf(about));
}

/** True if a text has a word of the topic. */
export function isAbout(lower: string, topic: Topic): boolean {
  return topic.size > 0 && contentOf(lower).some((word) => topic.has(word));
}

const BOUNDARY =
  /[,;:!?—()|\n]|\.(?=\s|$)|\s[–-]\s|(?<![a-z])(?:but|so|because|while|although|though|whereas|however|then|since)(?![a-z])/g;
/** Words behind a clause that belong to it, and limit it. */
const LIMITED = /^[,—(\s–-]*(?:too|also|as|for|if|unless|or|in|until|at|only|when|not)(?![a-z])/;

/** The clause in which a place stands. */
export function clauseAt(reply: ReplyText, place: Place): Place {
  const { lower } = reply;
  const sentence = reply.sentenceAt(place.start);
  let start = sentence.start;
  let end = sentence.end;
  for (const { 0: mark, index } of lower.slice(sentence.start, sentence.end).matchAll(BOUNDARY)) {
    const at = sentence.start + index;
    if (at + mark.length <= place.start) start = at + mark.length;
    else if (at >= place.end) {
      end = at;
      break;
    }
  }
  return { start, end };
}

/** True if a clause says nothing but what the field is about: "the capital of Turkey is X", "X is its capital". */
export function isTopical(reply: ReplyText, mention: Place, topic: Topic, least = 2): boolean {
  const { lower } = reply;
  const { start, end } = clauseAt(reply, mention);
  const rest = `${lower.slice(start, mention.start)} ${lower.slice(mention.end, end)}`;
  const isQuantity = /\d/.test(lower.slice(mention.start, mention.end));
  const words = contentOf(isQuantity ? rest.replaceAll(/\b(?:was|were)\b/g, "") : rest);
  if (words.length === 0 || !words.every((word) => topic.has(word))) return false;
  if (/\bor\b/.test(rest) || (isQuantity && /\d/.test(rest))) return false;
  if (words.length < least && !/\b(?:the|its|their)\b|'s\b/.test(rest)) return false;
  if (LIMITED.test(lower.slice(end)) || lower.charAt(end) === "|") return false;
  return (
    !reply.lower.slice(mention.end, reply.sentenceAt(mention.start).end).includes("?") &&
    !isReported(reply, start) &&
    !isQuoted(reply, mention)
  );
}

/** The value that a reply states of what the field describes, if it does not take it back; null if it states several. */
export function topicalValue<Value>(
  reply: ReplyText,
  mentions: readonly Mention<Value>[],
  topic: Topic,
): Mention<Value> | undefined {
  if (topic.size === 0) return undefined;
  const [first, ...more] = mentions.filter((mention) => isTopical(reply, mention, topic));
  if (first === undefined || retraction().test(reply.lower.slice(first.end))) return undefined;
  return more.every(({ value }) => value === first.value) ? first : { ...first, value: null };
}
