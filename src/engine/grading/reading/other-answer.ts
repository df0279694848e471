import { lazyPattern } from "../../../core/lazy.ts";
import { numberTokens } from "../../../core/text/number-tokens.ts";
import { aliasMentions, aliasTree } from "./alias-matches.ts";
import type { Topic } from "./kind.ts";
import { numberKind } from "./numbers.ts";
import { readReply } from "./read-reply.ts";
import { ReplyText } from "./reply-text.ts";
import { saysOnly } from "./topic.ts";

/** A reply, whether it was cut off, and the question, which is empty if it is not known. */
export interface WrittenReply {
  readonly reply: string;
  readonly cut: boolean;
  readonly question: string;
}

type Values = Readonly<Record<string, readonly string[]>>;
interface Found {
  readonly status: "found";
  readonly start: number;
  readonly end: number;
}

/**
 * Where a reply gives an answer that is none of the listed values. Anything but the plainest form is left unread: a value
 * that is only mentioned, or spelt in an unknown way, must not count as a wrong answer.
 */
export function otherAnswer(source: WrittenReply, values: Values, topic: Topic): Found | undefined {
  if (source.cut || aliasMentions(source.reply, aliasTree(values)).length > 0) return undefined;
  return Object.keys(values).every((value) => /\d/.test(value))
    ? otherQuantity(source, values, topic)
    : otherName(source.reply, topic);
}

const NAME = "\\p{Lu}[\\p{L}'’-]{2,}(?: (?:of |the |de |von |van )?\\p{Lu}[\\p{L}\\p{N}'’-]*){0,3}";
/** A name or a short term, alone or announced: "Bursa", "It is Bursa.", "The answer is New York." */
const named = lazyPattern(
  "^[\\s\"'(]{0,2}(?:[Yy]ou(?:'re| are) right[,.:] )?(?:[Ii]t(?:'s| is| was)|[Tt]hat(?:'s| is)|(?:[Tt]he|[Mm]y) (?:final |correct |right )?answer is|(?:[Ff]inal )?[Aa]nswer:)?[ \"']{0,2}(?:[Tt]he )?(?<name>\\p{Lu}[\\p{L}'’-]{2,}(?: (?:of |the |de |von |van )?\\p{Lu}[\\p{L}\\p{N}'’-]*){0,3})[\"')]{0,2}[.!]?\\s*$",
  "du",
);
const NO_NAME =
  /^(?:yes|no|not|none|neither|nothing|both|either|maybe|perhaps|possibly|probably|unknown|unsure|unclear|sure|sorry|okay|thanks?|hello|hmm|wait|right|wrong|correct|incorrect|true|false|exactly|absolutely|certainly|definitely|indeed|understood|agreed|great|good|fine|interesting|noted|apologies|impossible|insufficient|undetermined|waiting|depends|what|which|who|when|where|why|how|n\/a)\b/i;

/** "The capital of Turkey is Bursa.", "Mount Elbrus is the highest mountain in Africa." */
const stated = lazyPattern(
  `^(?:(?<before>[A-Z][^.,;:!?\\n]* (?:is|was)) (?:the )?(?<name>${NAME})|(?:[Tt]he )?(?<name2>${NAME}) (?:is|was) (?<after>the [^.,;:!?\\n]*))[.!]?\\s*$`,
  "du",
);

function otherName(reply: string, topic: Topic): Found | undefined {
  const text = new ReplyText(reply);
  const said = text.text.trimEnd();
  const topical = stated().exec(said);
  const about = topical?.groups?.before ?? topical?.groups?.after;
  const match = about !== undefined && saysOnly(about.toLowerCase(), topic) ? topical : named().exec(said);
  const { name, name2 } = match?.indices?.groups ?? {};
  const [start, end] = name ?? name2 ?? [0, 0];
  if (match === null || NO_NAME.test(said.slice(start, end))) return undefined;
  const [from, to] = text.span(start, end);
  return { status: "found", start: from, end: to };
}

const UNIT_AFTER = /^[*_]*[ -]?([\p{L}¢°%][\p{L}/²]*)/u;
const TIME = /(?<![\d:])\d{1,2}:\d\d(?![\d:])/g;

/** A quantity that is none of the listed ones, in their unit; the question's own ones only if they are all of the reply. */
function otherQuantity({ reply, question }: WrittenReply, values: Values, topic: Topic): Found | undefined {
  const alone = !/\p{L}/u.test(reply);
  const names = Object.keys(values);
  if (names.every((value) => /^\d{1,2}:\d\d$/.test(value))) {
    const [first, ...more] = reply.matchAll(TIME);
    if (first === undefined || more.some(([time]) => time !== first[0])) return undefined;
    if (!alone && question.includes(first[0])) return undefined;
    return { status: "found", start: first.index, end: first.index + first[0].length };
  }
  const read = readReply(reply, numberKind(undefined), { topic, asked: topic, cut: false });
  if (read.status !== "found") return undefined;
  const listed = Object.entries(values).flatMap(([value, aliases]) => [value, ...aliases]);
  const isIn = (text: string): boolean =>
    numberTokens({ text, lower: text.toLowerCase() }).some(({ value }) => value === read.value);
  if (listed.some(isIn) || (!alone && isIn(question))) return undefined;
  const unitOf = (text: string, end: number): string =>
    UNIT_AFTER.exec(text.slice(end).toLowerCase())?.[1] ?? "";
  const units = names.map((name) => unitOf(name, name.search(/\d[^\d]*$/) + 1));
  const { start, end } = read;
  return alone || units.includes(unitOf(reply, end)) || units.includes("")
    ? { status: "found", start, end }
    : undefined;
}
