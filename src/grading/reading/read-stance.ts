import { lazyPattern } from "../../core/lazy.ts";
import { ANSWER, CLAIM, cueBefore, type Strength } from "./answer-cue.ts";
import { type Decision, decide, type Statement } from "./decide.ts";
import type { Mention } from "./mention.ts";
import { ADVERBS, allMatches, anyOf, matchesAt, upTo } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";
import { type Standing, standingOf } from "./standing.ts";

/** Reads whether a reply says yes or no. */
export function readStance(reply: ReplyText): Decision<boolean> {
  const statements: Statement<boolean>[] = [];
  for (const mention of stanceMentions(reply))
    statements.push(stanceStatement(reply, mention, statements.at(-1)?.end ?? 0));
  return decide(reply, statements);
}

function stanceStatement(reply: ReplyText, mention: StanceMention, previousEnd: number): Statement<boolean> {
  const { value, strength, start, end } = mention;
  const from = Math.max(previousEnd, reply.clauseStart(start));
  const standing = standingOf(reply, mention, from, false);
  const before = reply.lower.slice(from, start);
  // "I don't think that's true" is a no; "I don't think that's wrong" and "I can't tell whether that's true" may be anything.
  const flipped = standing === "denied" && value === true && OWN_DENIAL.test(before);
  const isOpen = UNPROVEN.test(before) || (standing === "denied" && !flipped);
  const known: Standing = flipped ? "asserted" : isOpen ? "open" : standing;
  return { values: value === null ? [] : [flipped ? false : value], standing: known, strength, start, end };
}

/** "I don't think", "it is not": what denies a yes by the speaker's own judgement, right before it. */
const OWN_DENIAL =
  /^(?:.*\b(?:i|we)(?:'d)?\b.*\b(?:think|believe|say|agree|consider|feel|suppose|accept)(?: that)?|.*(?:\bnot|\bnever|n't)|.*\b(?:case|true|correct|accurate|right)(?: to say)? that) ["'(]{0,2}$/s;
/** "No study shows that", "I'm unable to confirm that", "part of that" */
const UNPROVEN =
  /\b(?:no (?:[a-z]+ )?(?:evidence|proof|indication|stud(?:y|ies)|source|data)|unable to|not able to|impossible to|(?:part|some|most|half|much) of)\b/;

/** A yes (true) or no (false); null for words that say both or neither, such as "it depends". */
interface StanceMention extends Mention<boolean | null> {
  readonly strength: Strength;
}

/** What may follow "no" where it answers: "No, …", "No it isn't"; "no reason" and "no one" answer nothing. */
const FOLLOWS =
  /["')*]{0,3}[\]}]|["')*]{0,3}(?:$|[.,;!?…\n)\]<—]|:(?! ?(?:yes|no|true|false))| [^\sa-z0-9]| [-–—]|-(?![a-z])| (?:it|that|this|they|he|she|you|i|we|there|because|since|and|but|as|here|indeed)(?![a-z]))/y;

/** What may stand before it. */
const LEAD =
  /^(?:[^a-z0-9]|\d{1,2}[.)] |(?:well|so|hmm|again|sorry|sadly|honestly|frankly|(?:un)?fortunately),? |contrary to [a-z ]{1,20}, |to answer (?:your|the) question[,:] |tl;dr|true ?\/ ?false|yes ?\/ ?no)*$/;

/** "Yes, I see what you mean", "No, I'm not changing my answer": words that answer the other speaker, and not the question. */
const TO_SPEAKER =
  /^,? (?:i (?:can |do |completely |fully |totally )?(?:see|understand|hear|get|appreciate|help|explain)(?![a-z])|let(?:'s| me)(?![a-z])|that(?:'s| is| was) an? (?:very |really )?(?:good|great|interesting|excellent|fair) (?:question|point)|i(?:'m| am) not (?:going to )?(?:chang|sure|certain|able)|i (?:haven't|have not|won't|will not|don't|do not|can't|cannot) (?:chang|help|assist|provide|know)[a-z]*)/;
/** "Yes, I'm sure that it is not" */
const SURE_NOT =
  /^,? i(?:'m| am) (?:[a-z]+ )?(?:sure|certain|confident|positive)(?![a-z])[^.!?\n]*\b(?:not?|never|false|wrong|incorrect|[a-z]+n't)(?![a-z])/;

/** Finds every yes and no of a reply. */
function stanceMentions(reply: ReplyText): StanceMention[] {
  const { lower } = reply;
  const mentions = [
    ...allMatches(undecided(), lower).map((match) => mentionOf(match, null, ANSWER)),
    ...wordMentions(reply),
    ...[judgements, verbs, agreements]
      .flatMap((pattern) => allMatches(pattern(), lower))
      .map(judgementMention),
    ...allMatches(ellipses(), lower).map((match) =>
      mentionOf(match, match.groups?.not === undefined && match.groups?.not2 === undefined, CLAIM),
    ),
  ];
  return withoutOverlaps(mentions);
}

/** "That is not wrong" may be anything. */
function judgementMention(match: RegExpExecArray): StanceMention {
  const { not, good } = match.groups ?? {};
  const value = not === undefined ? good !== undefined : good === undefined ? null : false;
  return mentionOf(match, value, CLAIM);
}

function wordMentions(reply: ReplyText): StanceMention[] {
  const mentions: StanceMention[] = [];
  for (const match of allMatches(stanceWords(), reply.lower)) {
    const end = match.index + match[0].length;
    const strength = wordStrength(reply, match.index, end);
    const value = strength === 0 ? undefined : wordValue(reply, match, end);
    if (strength !== 0 && value !== undefined) mentions.push({ value, start: match.index, end, strength });
  }
  return mentions;
}

/** "Certainly" and "absolutely" are a yes as the whole reply; else the one is polite and the other may be anything. */
function wordValue(reply: ReplyText, match: RegExpExecArray, end: number): boolean | null | undefined {
  const { yes, no, polite, eager } = match.groups ?? {};
  if (yes !== undefined || no !== undefined) {
    const after = reply.lower.slice(end, reply.sentenceEnd(end));
    if (TO_SPEAKER.test(after)) return undefined;
    return yes !== undefined && SURE_NOT.test(after) ? null : yes !== undefined;
  }
  if ((polite ?? eager) === undefined) return null;
  const whole = !/[a-z]/.test(reply.lower.slice(0, match.index)) && !/[a-z]/.test(reply.lower.slice(end));
  return whole ? true : undefined;
}

/** A word answers at the head of the reply, after a cue, or at the head of a sentence. */
function wordStrength(reply: ReplyText, start: number, end: number): Strength {
  const follows = matchesAt(FOLLOWS, reply.lower, end);
  const cue = follows ? cueBefore(reply.lower, reply.sentenceStart(start), start) : undefined;
  if (cue !== undefined) return cue.strength;
  const from = reply.sentenceStart(start);
  if (start - from > 40 || !LEAD.test(reply.lower.slice(from, start))) return 0;
  return follows ? CLAIM : 0;
}

function mentionOf(match: RegExpExecArray, value: boolean | null, strength: Strength): StanceMention {
  return { value, start: match.index, end: match.index + match[0].length, strength };
}

/** Where mentions overlap, the one that begins first counts, and of those the longest. */
function withoutOverlaps(mentions: readonly StanceMention[]): StanceMention[] {
  const kept: StanceMention[] = [];
  const inOrder = [...mentions].sort((one, other) => one.start - other.start || other.end - one.end);
  for (const mention of inOrder) if (mention.start >= (kept.at(-1)?.end ?? 0)) kept.push(mention);
  return kept;
}

/** Words that answer by themselves: at the head of a sentence, or where a cue announces them. */
const stanceWords = lazyPattern(
  `(?<![a-z-])(?<![a-z]')(?:(?<yes>yes|yeah|yep|yup|affirmative|true|correct|agreed|agree)|(?<no>${anyOf(
    "no|nope|nah|negative|false|incorrect|untrue|wrong|disagree",
    "(?:absolutely|definitely|certainly|of course|probably) not|not at all|not really|not true|not correct|not right",
    "by no means|i think not|i'm afraid not",
  )})|(?<polite>certainly|of course|sure|right)|(?<eager>absolutely|definitely|indeed|exactly)|(?<unsure>${anyOf(
    "not (?:exactly|quite|entirely|necessarily|always)|partly|partially|in part|to some extent|somewhat|mostly",
    "sometimes|maybe|perhaps|possibly|both",
  )}))(?![a-z'])`,
  "g",
);

const SUBJECT = anyOf(
  "that|this|it|you|they|what you (?:said|say|wrote|mentioned|describe)",
  `(?:the|this|that|your) (?!previous|earlier|original|initial|first)(?:[a-z]+ )?${anyOf(
    "statement|claim|assertion|proposition|premise|hypothesis|sentence|conclusion|assumption|idea|notion",
  )}`,
);
/** Denied, or wholly so: "not entirely true" is neither. */
const DEGREE = `(?:(?<not>n?'t| not)| ${anyOf(
  "absolutely|completely|totally|entirely|quite|fully|very|strongly|wholeheartedly|100%",
)})?`;
const ENDS = anyOf(
  ' ?(?:[.,;:!?)\\]"—–-]|\\n|$)',
  " (?:that|because|since|as|and|but|in|here|about|to say|however|for|when|if|only|according)(?![a-z])",
);

/** "I agree with the first part" leaves the rest open. */
const PART = "(?:the |that |your )?(?:first|second|last|other|one|half|part|some)(?![a-z])";

/** "That's right", "the statement is not true", "you are mistaken". */
const judgements = lazyPattern(
  `(?<![a-z'-])${SUBJECT}(?: (?:is|are|would be|seems(?: to be)?|appears to be|sounds|remains|must be)|'s|'re)${ADVERBS}${DEGREE}${ADVERBS} (?:(?<good>true|correct|right|accurate|valid|the case)|${anyOf(
    "false|incorrect|wrong|inaccurate|invalid|mistaken|untrue|a myth|a misconception",
  )})(?![a-z-])(?! about ${PART})(?=${ENDS})`,
  "g",
);

/** "The claim holds", "that doesn't hold true". */
const verbs = lazyPattern(
  `(?<![a-z'-])${SUBJECT}${ADVERBS} (?:(?<good>holds|checks out)|does(?:n't| not)${ADVERBS} (?:hold|check out))(?: true| up)?(?=${ENDS})(?! that)`,
  "g",
);

/** "I agree", "I don't agree", "I have to disagree", "I don't think so". */
const agreements = lazyPattern(
  `(?<![a-z'-])i${upTo(2, "'d| would| must| have to| do| can| can only| tend to")}${ADVERBS}${DEGREE}${ADVERBS} (?:(?<good>agree|concur|(?:think|believe|guess|suppose) so)|disagree|beg to differ)(?![a-z])(?! ${anyOf(
    "more|less|in part|partly|partially|to (?:some|an|a certain) extent|up to a point|with (?:some|parts?|most) of|to disagree",
    `(?:with|on|about) ${PART}`,
  )})`,
  "g",
);

/** Sentences of a pronoun and a verb: "It does not.", "They are." */
const ellipses = lazyPattern(
  `(?<=^|[.!?…\\n]["')]{0,3} ?|\\b(?:yes|no),? )(?:it|that|this|they|he|she|you|i|we|there|one)(?: (?:certainly|definitely|absolutely|really|actually|just|simply))? (?:(?:is|are|does|do|did|can|could|would|will|was|were|has|have|should|must)(?<not> not|n't|not)?|(?<not2>can't|won't|cannot))(?= ?(?:[.!]|$|\\n))`,
  "g",
);

/** Words that say both, or neither. */
const undecided = lazyPattern(
  `(?<![a-z'])${anyOf(
    "(?:both )?yes,? and no|no and yes|yes,? (?:but )?no(?= ?(?:[.,!?\\n]|$))|no,? (?:but )?yes(?= ?(?:[.,!?\\n]|$))",
    "yes\\/no|yes or no|(?:both )?true and false|(?:both )?right and wrong|it (?:really |all )?depends|that depends|it(?:'s| is) complicated",
  )}(?![a-z])`,
  "g",
);
