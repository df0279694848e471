import { ANSWER, announces, CLAIM, type CueStrength, WORKING } from "./answer-cue.ts";
import type { Mention } from "./mention.ts";
import type { ReplyText } from "./reply-text.ts";
import type { Context } from "./statement.ts";

/** A yes (true) or no (false); null for words that say both or neither, such as "it depends". */
export interface StanceMention extends Mention<boolean | null> {
  readonly strength: CueStrength;
}

/** Words that answer by themselves at the head of a sentence, or where a cue announces them. */
const WORDS =
  /(?<![a-z'-])(?:(?<yes>yes|yeah|yep|yup|affirmative|true|correct|agreed|agree)|(?<no>no|nope|nah|negative|false|incorrect|untrue|wrong|disagree|absolutely not|definitely not|certainly not|of course not|not at all|not really|not true|not correct|not right|by no means|i think not|i'm afraid not)|(?<polite>certainly|of course|sure|right)|(?<eager>absolutely|definitely|indeed|exactly)|(?<unsure>not exactly|not quite|not entirely|not necessarily|not always|partly|partially|sometimes|maybe|perhaps|possibly|somewhat|to some extent|in part|mostly|both))(?![a-z'])/g;

const SUBJECT =
  "(?:that|this|it|you|they|what you (?:said|say|wrote|mentioned|describe)|(?:the|this|that|your) (?!previous|earlier|original|initial|first)(?:[a-z]+ )?(?:statement|claim|assertion|proposition|premise|hypothesis|sentence|conclusion|assumption|idea|notion|belief|understanding|reasoning|argument|information|view|intuition|answer|response|suggestion))";
const DEGREE =
  "(?: (?:absolutely|completely|totally|entirely|quite|indeed|clearly|definitely|certainly|actually|in fact|also|simply|just|very|factually|fully|really|100%|still|therefore|thus))*";
const HEDGE =
  "(?: (?:partially|partly|mostly|generally|somewhat|technically|largely|only|sometimes|often|usually|basically|essentially|not (?:entirely|completely|quite|always|necessarily|fully|totally|exactly|strictly|wholly)|always))";
const JUDGEMENT = new RegExp(
  `(?<![a-z'-])${SUBJECT}(?: (?:is|are|would be|seems(?: to be)?|appears to be|sounds|remains|must be)|'s|'re)(?<not>n't| not)?(?<hedge>${HEDGE})?(?<degree>${DEGREE})(?<not2> not)?${DEGREE} (?:(?<good>true|correct|right|accurate|valid)|(?<bad>false|incorrect|wrong|inaccurate|invalid|mistaken|untrue|not true|a myth|a misconception))(?![a-z-])(?= ?(?:[.,;:!?)\\]"—–-]|\\n|$)| (?:that|because|since|as|and|but|in|here|about|to say|however|for|when|if|only|according)(?![a-z]))`,
  "g",
);
const AGREEMENT =
  /(?<![a-z'-])i(?:'d| would| must| have to| do| can| can only| fully| completely| totally| strongly| wholeheartedly| respectfully| have to respectfully| still| also| tend to| generally)*(?<not>(?: do| can| would)?(?: not|n't)| cannot| can't| don't)?(?<hedge> (?:partially|partly|mostly|somewhat|fully|completely|entirely|quite|necessarily|totally))?(?: fully| completely| strongly| respectfully| have to| totally| wholeheartedly)? (?:(?<good>agree|concur|think so|believe so|guess so|suppose so)|(?<bad>disagree|beg to differ))(?![a-z])(?<part> (?:in part|partly|partially|to (?:some|an|a certain) extent|up to a point|with (?:some|part|parts|most) of))?/g;
/** Sentences of a pronoun and a verb: "It does not.", "They are." */
const ELLIPSIS =
  /(?<=^|[.!?…\n]["')]* ?|\b(?:yes|no),? )(?:it|that|this|they|he|she|you|i|we|there|one)(?: (?:certainly|definitely|absolutely|really|actually|just|simply))? (?:(?:is|are|does|do|did|can|could|would|will|was|were|has|have|should|must)(?<not> not|n't|not)?|(?<not2>can't|won't|cannot))(?= ?(?:[.!]|$|\n))/g;
const UNDECIDED =
  /(?<![a-z'])(?:yes and no|yes,? (?:but )?no(?= ?(?:[.,!?\n]|$))|no,? (?:but )?yes(?= ?(?:[.,!?\n]|$))|(?:both )?yes,? and no|no and yes|it (?:really |all )?depends|that depends|it's complicated|it is complicated|yes\/no|yes or no)(?![a-z])/g;

/** What may follow "no" where it answers: "No, …", "No it isn't"; "no reason" and "no one" answer nothing. */
const FOLLOWS =
  /["')\]}*]{0,3}(?:$|[.,;:!?…\n)\]<—]| [^\sa-z0-9]| [-–—]|-(?![a-z])| (?:it|that|this|they|he|she|you|i|we|there|because|since|and|but|as)(?![a-z]))/y;

/** Finds every yes and no of a reply. */
export function stanceMentions(context: Context): StanceMention[] {
  const { lower } = context.reply;
  const undecided = [...lower.matchAll(UNDECIDED)].map((match) => mentionOf(match, null, ANSWER));
  const mentions = [
    ...undecided,
    ...wordMentions(context),
    ...[...lower.matchAll(JUDGEMENT)].map((match) => judgementMention(match)),
    ...[...lower.matchAll(AGREEMENT)].map((match) => judgementMention(match)),
    ...[...lower.matchAll(ELLIPSIS)].map((match) =>
      mentionOf(match, match.groups?.not === undefined && match.groups?.not2 === undefined, CLAIM),
    ),
  ];
  return withoutOverlaps(mentions);
}

function judgementMention(match: RegExpExecArray): StanceMention {
  const { not, not2, hedge, degree = "", part, good } = match.groups ?? {};
  const denials = [not, not2].filter((each) => each !== undefined).length;
  if (
    part !== undefined ||
    denials > 1 ||
    (hedge !== undefined && !/fully|completely|entirely|totally/.test(hedge))
  )
    return mentionOf(match, null, CLAIM);
  // "I don't fully agree", "not entirely true", "not wrong".
  if (
    denials === 1 &&
    (hedge !== undefined ||
      good === undefined ||
      /absolutely|completely|totally|entirely|quite|fully|100%|very/.test(degree))
  )
    return mentionOf(match, null, CLAIM);
  return mentionOf(match, (good !== undefined) !== (denials === 1), CLAIM);
}

function wordMentions(context: Context): StanceMention[] {
  const { reply } = context;
  const mentions: StanceMention[] = [];
  for (const match of reply.lower.matchAll(WORDS)) {
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
  FOLLOWS.lastIndex = end;
  const follows = FOLLOWS.test(reply.lower);
  const cue = context.cueBefore(start);
  if (cue !== undefined && cue.strength >= CLAIM && follows && announces(reply, cue, start)) {
    return /^(?:either|both)$/.test(reply.lower.slice(cue.start, cue.end)) ? 0 : cue.strength;
  }
  const from = reply.sentenceStart(start);
  if (
    start - from > 12 ||
    !/^(?:[^a-z0-9]|well,? |so,? |hmm,? |true ?\/ ?false|yes ?\/ ?no)*$/.test(reply.lower.slice(from, start))
  )
    return 0;
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
