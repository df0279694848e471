import { type Finding, isNamed, type Mention, type Source, type Topic } from "./kind.ts";
import { NUMBER_WORD, numberWords } from "./number-words.ts";
import type { Place, ReplyText } from "./reply-text.ts";
import { denialStart, isAttributed, isDeclined, isDeniedAfter, isPlain, retraction } from "./standing.ts";
import { isAbout, isNarrowed } from "./topic.ts";

/** A number that is said of something else: "forty years is a long time", "each state sends two". */
const COUNTED = new RegExp(
  `\\b(?:each|every|per|half|another|for|after|by|rate|multiply|divide|add)\\b|^[^a-z\\d]*(?:\\d[\\d.,]*|${NUMBER_WORD})(?: [a-z]+)? (?:is|are|was) (?!the )`,
);

const NOT_SURE = { value: null, start: 0, end: 0 } as const;

/** Where a sentence states a value: as what it says of its subject, as its subject, after a colon or a dash, or alone. */
const APART =
  /(?:^|[.!?:;,—\n]|\s[–-])\s*(?:(?:the|an?|in|on|at|about|roughly|still|indeed|of course)\s)*["'([*]{0,3}$/;
const ENDS =
  /^["')\]}*°]{0,3}(?:\s*$|[.,!;:—(\n]| [–(-]| (?:because|since|of course|then|in|at|on|for|with)(?![a-z]))/;
const COMPLEMENT =
  /(?:(?<![a-z])(?:is|are|was|were|be|it's|that's|remains?|became|means|called|as|by|has|have|need|needs|takes?|took|costs?|equals?|gives?|makes?|get|lists?|to be|with|at|option|so|you're right|comes|spelt|(?:happens|occurs|takes place|lies?|sits?|flows|belongs|stands|ask[s]?) (?:for|in|on|at|into|to|by))) (?:(?:the|an?|in|on|at|about|roughly|only|still|indeed|actually|now|clearly|likely|most likely|to|out|take|draw|order|by|of course)\s)*["'([*]{0,3}$/;
/** An option with its text: "D) 687" */
const OPTION = /^["'*]{0,2}[)\]] [a-z\d]/;
const SUBJECT =
  /^["')\]}*]{0,3}(?: \([^()]{1,40}\))? (?:is|are|was|remains)(?: (?:still|indeed|actually|clearly|in fact|definitely))? (?:the|its|their|my|correct|right|[a-z]+'s)(?![a-z])/;

function isQuantity(lower: string): boolean {
  // The digit of a name is none: "BCL-2", "JAK2".
  return /(?<![a-z]-?)\d/.test(lower) || numberWords(lower).length > 0;
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
  return (
    COMPLEMENT.test(before) ||
    (APART.test(before) && (ENDS.test(after) || OPTION.test(after))) ||
    SUBJECT.test(after)
  );
}

/** A reply that agrees with somebody may mean what it says that they say. */
const ASSENTS =
  /\b(?:right|correct|agree|trust|defer|accept|concede|corrected|apologi[sz]e|sorry|my mistake|convinced?|persuaded|believe)\b/;

/** The only value that a reply names and does not deny ("X, not Y" names X), if one of its sentences states it. */
export function onlyValue<Value>({
  reply,
  kind,
  topic,
  asked,
  mentions,
}: Source<Value>): Finding<Value> | undefined {
  // Numbers occur beside the answer too: a lone one counts only in a reply of one sentence.
  const isAlone = mentions.length === 1 && reply.sentences.length < 2 && !COUNTED.test(reply.lower);
  if (kind.isCommon && !isAlone) return NOT_SURE;
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
  if (first === undefined) return undefined;
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
          !isNarrowed(reply, mention, topic, asked),
      );
  return sure && stated !== undefined && isNamed(stated) ? stated : NOT_SURE;
}
