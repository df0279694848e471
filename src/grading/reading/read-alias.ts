import { lazyPattern } from "../../core/lazy.ts";
import { type AliasTree, aliasMentions } from "./alias-matches.ts";
import { ANSWER, type AnswerCue, APPROVAL, announces, CLAIM, type CueStrength } from "./answer-cue.ts";
import { isDeniedLater } from "./approval.ts";
import { type Decision, decide, leadingAnswer, withSharedStanding } from "./decide.ts";
import { groupMentions, type Mention, type MentionGroup } from "./mention.ts";
import { anyOf } from "./phrases.ts";
import { cleanReply, type ReplyText } from "./reply-text.ts";
import { type Context, groupValues, isOpen, type Standing, type Statement } from "./statement.ts";

/**
 * Reads which of several values a reply names. What words announce as the answer decides; without them, the value
 * must be the only one that the reply names and does not deny.
 */
export function readAlias(context: Context, tree: AliasTree): Decision<string> {
  const groups = groupMentions<string, Mention<string>>(
    context.reply,
    aliasMentions(context.reply.text, tree),
  );
  const statements = withSharedStanding(
    context.reply,
    groups.map((group, index) =>
      aliasStatement(context, group, { previous: groups[index - 1], next: groups[index + 1] }),
    ),
  );
  const leading = leadingAnswer(context.reply, statements);
  if (leading !== undefined) return leading;
  const announced = statements.filter(({ strength }) => strength >= APPROVAL);
  const decision = decide(announced, context.reversals);
  if (decision.status === "found" && isTakenBack(statements, decision.value, decision.end))
    return { status: "ambiguous" };
  if (decision.status !== "absent") return decision;
  return firstStated(context.reply, statements) ?? onlyValue(context, statements);
}

const STATED =
  /\b(?:is|are|means|stands for|takes place in|belongs to|consists of)(?: (?:the|an?|called|still|in))? ["'(]{0,2}$/;
const OPPOSED =
  /\b(?:but|however|although|though|while|whereas|actually|wait|sorry|yet|now|instead|not|or|if|might|may|could|sometimes|often)\b|n't|\?/;

/** "The antidote is acetylcysteine. Naloxone is for opioids": what is told of others later, and not opposed to it, leaves the first statement. */
function firstStated(
  reply: ReplyText,
  statements: readonly Statement<string>[],
): Decision<string> | undefined {
  const [first, ...others] = statements;
  const [value] = first?.values ?? [];
  if (first === undefined || value === undefined || first.values.length > 1 || first.standing !== "asserted")
    return undefined;
  const { start, end } = first;
  if (!STATED.test(reply.lower.slice(Math.max(0, start - 40), start)) || reply.sentenceStart(start) > 0)
    return undefined;
  if (!/^["')\]}]{0,3}(?:[.;!]|, not )/.test(reply.lower.slice(end, end + 12))) return undefined;
  if (OPPOSED.test(reply.lower.slice(0, start))) return undefined;
  // ", not vitamin D." belongs to the statement.
  const rest = /^["')\]}]{0,3}, not /.test(reply.lower.slice(end, end + 9)) ? reply.sentenceEnd(end) : end;
  if (OPPOSED.test(reply.lower.slice(rest))) return undefined;
  const quiet = others.every(({ values, standing, strength, start: from, end: to }) => {
    if (values.length === 1 && values[0] === value) return standing !== "denied";
    if (standing === "denied") return true;
    if (STATED.test(reply.lower.slice(Math.max(0, from - 40), from))) return false;
    return (
      strength === 0 &&
      !/^["')\]}]{0,3} (?:is|are|was|has been|remains) (?:the|its?|their|also|right|correct)\b/.test(
        reply.lower.slice(to, to + 30),
      )
    );
  });
  return quiet ? { status: "found", value, start, end } : undefined;
}

/** The value that is named, if it is the only one. */
function onlyValue(context: Context, statements: readonly Statement<string>[]): Decision<string> {
  const { reply, reversals } = context;
  const asserted = statements.filter(({ standing }) => standing === "asserted");
  const last = asserted.at(-1);
  const [value] = last?.values ?? [];
  if (last === undefined || value === undefined) {
    return { status: statements.some(isOpen) ? "ambiguous" : "absent" };
  }
  const { start, end } = last;
  const same = asserted.every(({ values }) => values.length === 1 && values[0] === value);
  if (!same || isTakenBack(statements, value, end)) return { status: "ambiguous" };
  if (statements.some((other) => isRival(context, other) && !isSetAside(reply, other, last))) {
    return { status: "ambiguous" };
  }
  if (reversals.retractions.startAfter(end) !== undefined) return { status: "ambiguous" };
  // "I can't say whether that is in Canberra": named, but not as an answer.
  if (reversals.refusals.has(0, reply.text.length)) return { status: "ambiguous" };
  return { status: "found", value, start, end };
}

/** True if a value is named in a way that lets it be the answer: "perhaps B", "although B is …". */
function isRival({ reply, nonAssertions }: Context, { standing, start }: Statement<string>): boolean {
  if (standing === "conceded") return true;
  return standing === "doubtful" && nonAssertions.wavers(reply.clauseStart(start), start);
}

const LESSER =
  /^["')\]}*]{0,3} (?:is|are|was|may be|might be|seems|looks|sounds)(?: [a-z]+ly| much| far| also| indeed)? (?:[a-z]+er|more|well|famous|popular|common|plausible)(?![a-z])/;
const PREDICATE =
  /\b(?:is|are|was|remains)(?: (?:still|indeed|actually|in fact|called|the|an?|clearly))? ["'(]{0,2}$/;

/** "Although Sydney is larger, the capital is Canberra": what is conceded of one leaves the other as the answer. */
function isSetAside(
  { lower }: ReplyText,
  rival: Statement<string>,
  { start, end }: Statement<string>,
): boolean {
  return (
    rival.end <= start &&
    LESSER.test(lower.slice(rival.end, rival.end + 40)) &&
    PREDICATE.test(lower.slice(Math.max(0, start - 30), start)) &&
    /^["')\]}*]{0,3}(?:[.!;]|\s*$)/.test(lower.slice(end, end + 10))
  );
}

function isTakenBack(statements: readonly Statement<string>[], value: string, end: number): boolean {
  return statements.some(
    ({ standing, values, start }) => standing === "denied" && start > end && values.includes(value),
  );
}

type Group = MentionGroup<string>;

/** The groups before and behind another. */
export interface Neighbours {
  readonly previous: Group | undefined;
  readonly next: Group | undefined;
}

/** What a reply says with a value that it names. */
export function aliasStatement(
  context: Context,
  group: Group,
  { previous, next }: Neighbours,
): Statement<string> {
  const { reply } = context;
  const cue = context.cueBefore(group.start);
  const adjacent = cue !== undefined && announces(reply, cue, group.start);
  const reached = adjacent || (cue !== undefined && reaches(reply, cue, group, previous));
  const strength = Math.max(
    reached ? cueStrength(reply, cue, group, adjacent) : 0,
    context.approval(group) ?? 0,
    isAlone(reply, group) ? ANSWER : 0,
  ) as CueStrength | 0;
  const standing = context.standing(group, previous?.end ?? 0, reached ? cue : undefined);
  const rival =
    reached && !adjacent && next !== undefined && next.start < reply.clauseEnd(group.end)
      ? groupValues(next)
      : [];
  return {
    values: [...new Set([...groupValues(group), ...rival])],
    standing: standingOf(context, group, { standing, strength, next }),
    strength,
    start: group.start,
    end: group.end,
  };
}

/** What stands beside a value may leave open whether it is meant; plain words of choice are stronger than that. */
function standingOf(
  context: Context,
  { start, end }: Group,
  { standing, strength, next }: { standing: Standing; strength: CueStrength | 0; next: Group | undefined },
): Standing {
  if (standing !== "asserted") return standing;
  const sentence = context.reply.lower.slice(
    context.reply.sentenceStart(start),
    context.reply.sentenceEnd(end),
  );
  if (FOREIGN_DENIAL.test(sentence)) return "doubtful";
  if (isOneOfTwo(context.reply.lower, start, end)) return "doubtful";
  if (strength < ANSWER && context.negation.negatedVerb(end)) return "doubtful";
  if (strength > 0 || PRONOUN_IS.test(context.reply.lower.slice(Math.max(0, start - 20), start)))
    return standing;
  return isDeniedLater(context.reply, end, next?.start) ? "conceded" : standing;
}

/** Denials in other languages: what they deny is not read at all. */
const FOREIGN_DENIAL =
  /(?:^|[\s,"'¡])(?:nein|nicht|kein[a-z]{0,2}|falsch|pas|non|não|nao|niet|geen|ikke|inte|nie|no (?:es|está|fue|son)|(?:in)?correct[oa]|equivocad[oa]|errad[oa]|falso|faux|не|нет)(?=[\s,.!"']|$)|n'est|[不没ない]|아니|않/;

/** "It is Canberra, not the largest city" says of Canberra only that it is meant. */
const PRONOUN_IS = /\b(?:it|that|this)(?: is|'s) (?:the |an? )?["'(]{0,2}$/;

/** True if a cue announces the first value after it in its sentence: "The answer is the city of Canberra". */
function reaches(reply: ReplyText, cue: AnswerCue, { start }: Group, previous: Group | undefined): boolean {
  if (cue.strength < ANSWER || (previous !== undefined && previous.start >= cue.end)) return false;
  return start - cue.end <= 120 && reply.sentenceStart(start) <= cue.end;
}

/** Weak cues count only for a value that ends its sentence: "so Sydney grew" answers nothing. */
function cueStrength(
  reply: ReplyText,
  cue: AnswerCue | undefined,
  { end }: Group,
  adjacent: boolean,
): number {
  if (cue === undefined || cue.strength < CLAIM) return 0;
  // "It was Melbourne" may be about the past.
  if (reply.lower.slice(cue.start, cue.end).endsWith(" was") && cue.strength < ANSWER) return 0;
  if (cue.strength >= ANSWER) return cue.strength;
  return adjacent && /^["')\]}]*[.!]?\s*$/.test(reply.text.slice(end, reply.sentenceEnd(end)).slice(0, 20))
    ? CLAIM
    : 0;
}

/** True if a value is all of the first or the last sentence. */
function isAlone(reply: ReplyText, { start, end }: Group): boolean {
  const from = reply.sentenceStart(start);
  const to = reply.sentenceEnd(end);
  if (start - from > 12 || !/^(?:[\s"'([{$>•#-]|the |an? )*$/i.test(reply.text.slice(from, start)))
    return false;
  if (from === 0 && GLOSSED.test(reply.text.slice(end, Math.min(to, end + 120)))) return true;
  if (to - end > 12) return false;
  if (!/^["')\]}$]*[.!]?["')\]}$]*\s*$/.test(reply.text.slice(end, to))) return false;
  return from === 0 || /^\s*$/.test(reply.text.slice(to));
}

/** "Nitrogen (about 78 %).", "46: 44 autosomes and 2 sex chromosomes". */
const GLOSSED =
  /^["')\]}]{0,2}(?: ?\([^()\n]{1,80}\)["')\]]{0,2}(?:[.!]|$)|: (?!.*(?:\?|\b(?:but|not?|never|or)\b)))/;

const WORDS = anyOf(
  "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen",
  "nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ][a-z]+)?|(?:one|a) hundred",
);
const NUMBER = `(?:\\d[\\d.,]*|${WORDS})`;
const HEDGE = "(?: (?:maybe|perhaps|possibly|even|more likely))?";

const begins = lazyPattern(`^${NUMBER}(?![a-z])`, "");
const numberBefore = lazyPattern(
  `(?:^|[^a-z\\d.,])${anyOf(
    `(?:${NUMBER}|one)["')]{0,2}${anyOf(
      `,? (?:or|to|and|through|bis|versus|vs\\.?)${HEDGE} ["'(]{0,2}`,
      ",? \\(?(?:maybe|perhaps|possibly) ",
      " ?[–—/~-] ?",
    )}`,
    "(?:more|less|fewer|greater) than ",
  )}$`,
  "",
);
const numberAfter = lazyPattern(`^["')]{0,2} \\(?(?:or|to)${HEDGE} ${NUMBER}(?![a-z])`, "");

/** True if a quantity is only one of two, or a bound: "7 or 14 atoms" does not say "14 atoms". */
export function isOneOfTwo(lower: string, start: number, end: number): boolean {
  if (!begins().test(lower.slice(start, Math.min(end, start + 20)))) return false;
  if (numberBefore().test(lower.slice(Math.max(0, start - 40), start))) return true;
  return numberAfter().test(lower.slice(end, end + 40));
}

/** What makes words no answer, or not a plain one. */
const NO_ANSWER =
  /\b(?:yes|no|not|none|neither|nor|both|either|or|and|but|if|maybe|perhaps|possibly|probably|likely|depends?|unknown|unsure|uncertain|unclear|sure|sorry|cannot|can|could|may|might|would|should|will|do|does|did|have|has|is|are|was|were|be|it|its|that|this|these|those|they|there|here|i|i'm|you|your|you're|we|he|she|my|me|what|which|who|how|why|where|when|yet|still|again|okay|ok|thanks|thank|hello|hi|hmm+|well|wait|right|wrong|correct|incorrect|true|false|exactly|absolutely|certainly|definitely|indeed|understood|agreed|great|good|fine|nothing|something|anything|everything|someone|any|other|another|same|different|always|never|sometimes|one|question|answer|to|between|about|around|approximately|than|because|since|so|as|n't)\b|n't|[?;:=…]|\d ?[-–~] ?\d/i;

/** Up to four words that look like a name or a quantity. */
const VALUE = "(?:[\\p{L}\\p{N}][\\p{L}\\p{N}'’.,/%°-]*)(?: [\\p{L}\\p{N}(][\\p{L}\\p{N}'’,/%°)-]*){0,3}";
const NAME = "(?:[\\p{Lu}][\\p{L}'’-]+)(?: (?:of |the |de |von |van )?[\\p{Lu}][\\p{L}'’.-]*){0,3}";

/** All of a reply: "Bursa", "It is Bursa.", "The answer is Bursa.", "The capital of Turkey is Bursa." */
const PLAIN = [
  `^["'(]{0,2}(?:(?:the|an?) )?(?<value>${VALUE})["')]{0,2}[.!]?$`,
  `^(?:(?:so|well|yes|then|therefore|i (?:think|believe|would say)|you(?:'re| are) right),? ){0,2}(?:it's|it is|that's|that is|that would be|(?:the|my) (?:final |correct |right )?answer is|(?:final )?answer:)(?: still| therefore)? (?:(?:the|an?) )?(?<value>${VALUE})[.!]?$`,
  `^(?:so |then |therefore,? )?(?:the|its|their|an?|this|that) [^.,;:?!\\n]{2,60} (?:is|was) (?<value>${NAME})[.!]?$`,
].map((source) => new RegExp(source, "iu"));
const CAPITAL = /^\p{Lu}/u;
/** A single word, a name or a quantity. */
const LOOKS = new RegExp(`^(?:\\p{L}[\\p{L}'’-]{2,}|${NAME}|\\d.*)$`, "u");

/**
 * Where a reply that names none of the listed values gives another one as its whole answer. Anything but the plainest
 * form is left unread: a value that is only mentioned, or spelt in an unknown way, must not count as a wrong answer.
 */
export function otherAnswer(reply: string): { readonly start: number; readonly end: number } | undefined {
  if (reply.length > 400) return undefined;
  const { text, span } = cleanReply(reply);
  const lines = text.trim().split("\n");
  const last = lines.at(-1) ?? "";
  // A longer reply must end with a line that is the answer.
  const whole = lines.length === 1 ? PLAIN : PLAIN.slice(1, 2);
  for (const [index, pattern] of whole.entries()) {
    const value = pattern.exec(last)?.groups?.value?.replace(/[.,]$/, "");
    if (value === undefined || value.length > 40 || NO_ANSWER.test(value) || !LOOKS.test(value)) continue;
    if (pattern === PLAIN[2] && (index !== 2 || !CAPITAL.test(value) || /\b(?:not?|never)\b|n't/i.test(last)))
      continue;
    const at = text.lastIndexOf(value);
    const [start, end] = span(at, at + value.length);
    return { start, end };
  }
  return undefined;
}
