import { ANSWER, announces, CLAIM, type CueStrength, WORKING } from "./answer-cue.ts";
import type { Mention } from "./mention.ts";
import { matchesAt } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";
import { agreements, ellipses, judgements, stanceWords, undecided } from "./stance-words.ts";
import type { Context } from "./statement.ts";

/** A yes (true) or no (false); null for words that say both or neither, such as "it depends". */
export interface StanceMention extends Mention<boolean | null> {
  readonly strength: CueStrength;
}

/** What may follow "no" where it answers: "No, …", "No it isn't"; "no reason" and "no one" answer nothing. */
const FOLLOWS =
  /["')*]{0,3}[\]}]|["')*]{0,3}(?:$|[.,;!?…\n)\]<—]|:(?! ?(?:yes|no|true|false))| [^\sa-z0-9]| [-–—]|-(?![a-z])| (?:it|that|this|they|he|she|you|i|we|there|because|since|and|but|as)(?![a-z]))/y;

/** What may stand before it. */
const LEAD = /^(?:[^a-z0-9]|\d{1,2}[.)] |well,? |so,? |hmm,? |true ?\/ ?false|yes ?\/ ?no)*$/;

/** Finds every yes and no of a reply. */
export function stanceMentions(context: Context): StanceMention[] {
  const { lower } = context.reply;
  const both = [...lower.matchAll(undecided())].map((match) => mentionOf(match, null, ANSWER));
  const mentions = [
    ...both,
    ...wordMentions(context),
    ...[...lower.matchAll(judgements())].map((match) => judgementMention(match)),
    ...[...lower.matchAll(agreements())].map((match) => judgementMention(match)),
    ...[...lower.matchAll(ellipses())].map((match) =>
      mentionOf(match, match.groups?.not === undefined && match.groups?.not2 === undefined, CLAIM),
    ),
  ];
  return withoutOverlaps(mentions);
}

function judgementMention(match: RegExpExecArray): StanceMention {
  const { not, not2, hedge = "", degree = "", part, good } = match.groups ?? {};
  const denials = [not, not2].filter((each) => each !== undefined).length;
  const wholly = WHOLLY.test(hedge + degree);
  const partly = part !== undefined || denials > 1 || (hedge !== "" && !wholly);
  // "I don't fully agree", "not entirely true", "not wrong".
  const half = denials === 1 && (wholly || good === undefined);
  return mentionOf(match, partly || half ? null : (good !== undefined) !== (denials === 1), CLAIM);
}

const WHOLLY = /absolutely|completely|totally|entirely|quite|fully|100%|very/;

function wordMentions(context: Context): StanceMention[] {
  const { reply } = context;
  const mentions: StanceMention[] = [];
  for (const match of reply.lower.matchAll(stanceWords())) {
    const end = match.index + match[0].length;
    const strength = wordStrength(context, match.index, end);
    const value = strength === 0 ? undefined : wordValue(reply, match, end);
    if (strength !== 0 && value !== undefined) mentions.push({ value, start: match.index, end, strength });
  }
  return mentions;
}

/** "Certainly" and "absolutely" are a yes as the whole reply; else the one is polite and the other may be anything. */
function wordValue(reply: ReplyText, match: RegExpExecArray, end: number): boolean | null | undefined {
  const { yes, no, polite, eager } = match.groups ?? {};
  if (yes !== undefined || no !== undefined) return yes !== undefined;
  const whole =
    match.index <= 8 &&
    /^[^a-z]*$/.test(reply.lower.slice(0, match.index)) &&
    /^[^a-z]*$/.test(reply.lower.slice(end));
  if (whole && (polite ?? eager) !== undefined) return true;
  return polite === undefined ? null : undefined;
}

/** A word answers at the head of the reply, after a cue, or at the head of a sentence. */
function wordStrength(context: Context, start: number, end: number): CueStrength | 0 {
  const { reply } = context;
  const follows = matchesAt(FOLLOWS, reply.lower, end);
  const cue = context.cueBefore(start);
  if (cue !== undefined && cue.strength >= CLAIM && follows && announces(reply, cue, start)) {
    return /^(?:either|both)$/.test(reply.lower.slice(cue.start, cue.end)) ? 0 : cue.strength;
  }
  const from = reply.sentenceStart(start);
  if (start - from > 12 || !LEAD.test(reply.lower.slice(from, start))) return 0;
  const yes = /^(?:yes|yeah|yep|yup)/.test(reply.lower.slice(start, end));
  if (!follows && !(yes && /^ [a-z]/.test(reply.lower.slice(end, end + 2)))) return 0;
  if (from === 0 || reply.text.slice(0, from).trim() === "") return ANSWER;
  // An answer to a question of its own: "Is it harmful? No."
  return reply.asks(from - 1) ? WORKING : CLAIM;
}

function mentionOf(match: RegExpExecArray, value: boolean | null, strength: CueStrength): StanceMention {
  return { value, start: match.index, end: match.index + match[0].length, strength };
}

/** Where mentions overlap, the one that begins first counts, and of those the longest. */
function withoutOverlaps(mentions: readonly StanceMention[]): StanceMention[] {
  const kept: StanceMention[] = [];
  const inOrder = [...mentions].sort((one, other) => one.start - other.start || other.end - one.end);
  for (const mention of inOrder) if (mention.start >= (kept.at(-1)?.end ?? 0)) kept.push(mention);
  return kept;
}
