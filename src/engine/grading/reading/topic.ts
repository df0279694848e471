import type { Finding, Source, Topic } from "./kind.ts";
import { NUMBER_WORD } from "./number-words.ts";
import type { Place, ReplyText } from "./reply-text.ts";
import { denialStart, isQuoted, isReported, retraction } from "./standing.ts";

/** Words that add nothing to what a clause says. */
const FILLERS = new Set(
  "the a an of is are be been being stands stand means equals happens occurs lies sits belongs called named known to in on at for by with that this it its it's that's they their there and as from has have remain remains still indeed actually fact definitely clearly certainly simply today now currently here correct right actual real true yes what who which am i'm m s reply end hold holds settle settles finally final answer name names one question".split(
    " ",
  ),
);

/** Verbs whose forms have no common beginning. */
const IRREGULAR = new Map(
  "wrote write,written write,won win,began begin,begun begin,fell fall,fallen fall,built build,made make,took take,taken take,gave give,given give,came come,held hold,stood stand,rose rise,caught catch,led lead,became become,chose choose,chosen choose"
    .split(",")
    .map((pair) => pair.split(" ") as [string, string]),
);

/** A word without its ending; "hottest" and "hotter" are one, and neither is "hot". */
function stem(word: string): string {
  return (IRREGULAR.get(word) ?? word)
    .replace(/'s?$/, "")
    .replace(/(?<=[a-z]{3})est$/, "er")
    .replace(/(?<=[a-z]{3})(?:es|s|ed|ing)$/, "")
    .replace(/(?<=[a-z]{3})e$/, "");
}

/** "Painter" as "painted", "discovery" and "discoverer" as "discovered". */
function verbOf(stem: string): string {
  return stem.replace(/(?<=[a-z]{3})(?:er|or|ery|y)$/, "");
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
  // Not of superlatives: "the longest" is not "long".
  const superlatives = new Set((about.match(/[a-z]{3,}est\b/g) ?? []).map(stem));
  return new Set(contentOf(about).flatMap((word) => (superlatives.has(word) ? word : [word, verbOf(word)])));
}

function isIn(topic: Topic, word: string): boolean {
  return topic.has(word) || (!topic.has(`${word}er`) && topic.has(verbOf(word)));
}

/** True if a text has a word of the topic. */
export function isAbout(lower: string, topic: Topic): boolean {
  return topic.size > 0 && contentOf(lower).some((word) => isIn(topic, word));
}

/** True if a text says nothing but what the topic does. */
export function saysOnly(lower: string, topic: Topic): boolean {
  const words = contentOf(lower);
  return words.length > 0 && words.every((word) => isIn(topic, word));
}

const BOUNDARY =
  /[,;:!?—()|\n]|\.(?=\s|$)|\s[–-]\s|(?<![a-z])(?:but|so|because|while|although|though|whereas|however|then|since|not|rather than)(?![a-z])/g;
/** Words behind a clause that belong to it, and limit it, or leave it to others. */
const LIMITED =
  /^[,—(\s–-]*(?:(?:too|also|as|for|if|unless|or|in|until|at|only|just as|says?|said|they say|claims?|according|supposedly|allegedly|apparently)(?![a-z])|not(?! )|(?<!, *)when(?![a-z])|not only|not necessarily|and i(?:'m| am) the)/;
/** A clause that says what a field describes is not longer, to each side of the value. */
const CLAUSE = 120;

/** The clause in which a place stands. */
function clauseAt(reply: ReplyText, place: Place): Place {
  const lower = reply.plain;
  const sentence = reply.sentenceAt(place.start);
  let start = Math.max(sentence.start, place.start - CLAUSE);
  let end = Math.min(sentence.end, place.end + CLAUSE);
  for (const { 0: mark, index } of lower.slice(start, end).matchAll(BOUNDARY)) {
    const at = Math.max(sentence.start, place.start - CLAUSE) + index;
    if (at + mark.length <= place.start) start = at + mark.length;
    else if (at >= place.end) {
      end = at;
      break;
    }
  }
  return { start, end };
}

/** Where the clause of a place could end too: "X is the capital and lies …", "X, which is the capital". */
const TAIL = /(?<![a-z])(?:and|which|who|where|that|when|after|before)(?![a-z])/g;

/** True if a clause says nothing but what the field is about: "the capital of Turkey is X", "X is its capital". */
export function isTopical(
  reply: ReplyText,
  mention: Place,
  topic: Topic,
  { least = 2, next }: { readonly least?: number; readonly next?: Place | undefined } = {},
): boolean {
  if (denialStart(reply.lower, mention) !== undefined) return false;
  const lower = reply.plain;
  const { start, end } = clauseAt(reply, mention);
  const isQuantity = /\d/.test(lower.slice(mention.start, mention.end));
  const says = (end: number): boolean => {
    const rest = `${lower.slice(start, mention.start)} ${lower.slice(mention.end, end)}`;
    const words = contentOf(
      isQuantity || PASSIVE.test(rest) ? rest.replaceAll(/\b(?:was|were)\b/g, "") : rest,
    );
    // "There are 100 senators": the unit of a quantity says what it is about.
    const own = isQuantity
      ? contentOf(lower.slice(mention.start, mention.end)).filter((word) => isIn(topic, word))
      : [];
    const count = words.length + own.length;
    if (count === 0 || !words.every((word) => isIn(topic, word))) return false;
    if (/\bor\b/.test(rest) || (isQuantity && /\d/.test(rest))) return false;
    return count >= least || VERB.test(rest) || /\b(?:the|its|their|it|there)\b|'s\b/.test(rest);
  };
  // "It covered a quarter on day 5 and half on day 10" says two things in one clause.
  const shared = next !== undefined && next.start < end && !VERB_NEXT.test(lower.slice(next.end));
  const tails = shared
    ? []
    : [...lower.slice(mention.end, end).matchAll(TAIL)].map(({ index }) => mention.end + index);
  if (![end, ...tails].some(says)) return false;
  if (LIMITED.test(lower.slice(end)) || lower.charAt(end) === "|") return false;
  return (
    !reply.lower.slice(mention.end, reply.sentenceAt(mention.start).end).includes("?") &&
    !isReported(reply, start) &&
    !isQuoted(reply, mention)
  );
}

/** What makes a sentence of one word of the topic: "Venus is hotter", "K stands for potassium". */
const VERB = /(?<![a-z])(?:is|are|stands for|means|equals|happens|occurs|has|have)(?![a-z])/;
const VERB_NEXT = /^ (?:is|are|was|were|has|have|had|lies|does|comes)(?![a-z])/;
const PASSIVE = /\b(?:was|were) (?:first |originally )?(?:[a-z]+(?:ed|en)|won|built|made)\b/;

const NUMERAL = new RegExp(`^${NUMBER_WORD}`);
const OF =
  /([a-z'-]+) (?:for|of|in|among|within) (?!(?:our|both|each|any|every|all|this|that|it|total|just|about|over|only|roughly|more|nearly|almost)\b)(?:(?:the|an?|its|their) )?([a-z][a-z'-]*)(?: ([a-z][a-z'-]*))?/g;

/** Whom a clause says a quantity of: "a guitar has six strings". */
const OWNER =
  /^\W*(?:(?:the|an?|each|every|most|some) )?(?!(?:it|you|they|we|there|that|this|i|he|she|which|who)\b)([a-z-]+(?: [a-z-]+){0,2}) (?:has|have|had|contains?)\b/;
/** A circumstance before the sentence: "On a mountain, B." */
const CIRCUMSTANCE =
  /^\W*(?:on|in|at|for|among|within|under|during) (?!(?:short|fact|total|all|summary|conclusion|reality|truth|reflection|the end|the record|my|that case|other words|particular|general)\b)([^,.;:\n]{2,40}),/;

/**
 * True if a sentence narrows what the field is about, or says it of something else: "the antidote for opioids", "the
 * longest river in the European Union", "a guitar has six strings", "it's Sydney that hosts the games".
 */
export function isNarrowed(reply: ReplyText, mention: Place, topic: Topic, asked: Topic): boolean {
  if (topic.size === 0) return false;
  const { start, end } = clauseAt(reply, mention);
  const clause = reply.plain.slice(start, end);
  const isElse = (words: string | undefined): boolean =>
    words !== undefined && !contentOf(words).some((word) => isIn(topic, word));
  if (
    /\d/.test(reply.lower.slice(mention.start, mention.end)) ||
    NUMERAL.test(reply.lower.slice(mention.start, mention.end))
  )
    if (OWNER.test(clause) && isElse(OWNER.exec(clause)?.[1])) return true;
  const [, relative] =
    /^["')]* (?:that|which|who|where) ([^,.;]*)/.exec(reply.plain.slice(mention.end, end)) ?? [];
  if (isElse(relative)) return true;
  const [, circumstance] =
    CIRCUMSTANCE.exec(reply.lower.slice(reply.sentenceAt(mention.start).start, mention.start)) ?? [];
  if (isElse(circumstance)) return true;
  for (const [, of = "", first = "", second = ""] of clause.matchAll(OF)) {
    const about = contentOf(of);
    if (about.length === 0 || !isIn(topic, about[0] as string)) continue;
    const words = contentOf(`${first} ${second}`);
    if (words.length > 0 && !isIn(asked, words[0] as string)) return true;
  }
  return false;
}

/** The value that a reply states of what the field describes, if it does not take it back; null if it states several. */
export function topicalValue<Value>({
  reply,
  kind,
  topic,
  mentions,
}: Source<Value>): Finding<Value> | undefined {
  if (topic.size === 0) return undefined;
  const named = kind.named?.(reply) ?? mentions;
  const [first, ...more] = named.filter((mention, index) =>
    isTopical(reply, mention, topic, { next: named[index + 1] }),
  );
  if (first === undefined || retraction().test(reply.lower.slice(first.end))) return undefined;
  return more.every(({ value }) => value === first.value) ? first : { ...first, value: null };
}
