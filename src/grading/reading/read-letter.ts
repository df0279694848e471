import { lazyPattern } from "../../core/lazy.ts";
import { ANSWER, announces, CLAIM, type CueStrength } from "./answer-cue.ts";
import { type Decision, decide, withSharedStanding } from "./decide.ts";
import { type LetterMention, letterMentions, type OptionLine, optionLines } from "./letter-mentions.ts";
import { groupMentions, type MentionGroup } from "./mention.ts";
import type { ReplyText } from "./reply-text.ts";
import { type Context, groupValues, isOpen, type Statement } from "./statement.ts";

/** Reads the option that a reply chooses, in upper case; a choice that is none of the options is absent. */
export function readLetter(context: Context, options: ReadonlySet<string>): Decision<string> {
  const lines = optionLines(context.reply);
  const single: Statement<string>[] = [];
  /** Options that are mentioned without being chosen or denied. */
  const open = new Set<string>();
  for (const group of groupMentions<string, LetterMention>(context.reply, letterMentions(context))) {
    const statement = letterStatement(context, group, {
      line: lines.get(group.start),
      previous: single.at(-1),
      options,
    });
    single.push(statement);
    if (statement.standing !== "asserted" && !isOpen(statement)) continue;
    const weighed = group.mentions.length > 1 || lines.has(group.start);
    for (const { value, marked } of group.mentions) if (weighed || marked) open.add(value);
  }
  const decision = decide(withSharedStanding(context.reply, single), context.reversals);
  if (decision.status === "found") return options.has(decision.value) ? decision : { status: "absent" };
  const several = [...open].filter((letter) => options.has(letter)).length > 1;
  return decision.status === "absent" && several ? { status: "ambiguous" } : decision;
}

type Group = MentionGroup<string, LetterMention>;
type Strength = CueStrength | 0;

/** What stands around a group of letters. */
export interface LetterSurroundings {
  /** The line that the group begins, if it looks like an option. */
  readonly line: OptionLine | undefined;
  /** The statement before it. */
  readonly previous: Statement<string> | undefined;
  /** The letters that there are; any other counts only where it is called the answer. */
  readonly options: ReadonlySet<string>;
}

/** What a reply says with a letter, or with several together. */
export function letterStatement(
  context: Context,
  group: Group,
  { line, previous, options }: LetterSurroundings,
): Statement<string> {
  const cue = context.cueBefore(group.start);
  const listed = line?.role === "listed";
  const announced =
    !listed &&
    cue !== undefined &&
    (announces(context.reply, cue, group.start) || isGloss(context.reply, cue, group));
  const standing =
    line?.mark === "wrong"
      ? "denied"
      : context.standing(group, previous?.end ?? 0, announced ? cue : undefined);
  const closed = group.mentions.at(-1)?.closed ?? false;
  const strength = Math.max(
    announced && closed && cue.strength >= CLAIM ? cue.strength : 0,
    context.approval(group) ?? 0,
    line?.mark === "right" ? CLAIM : 0,
    listed ? 0 : standsAlone(context.reply, group, line),
    closed && isContrast(context.reply, group, previous) ? CLAIM : 0,
  ) as Strength;
  const known = strength >= ANSWER || group.mentions.every(({ value }) => options.has(value));
  const values = groupValues(group);
  // "A:" may mean an answer, and "we are left with C and D" chooses nothing.
  const weak = strength < ANSWER && (line?.role === "open" || (values.length > 1 && strength > 0));
  const open = weak && standing === "asserted";
  return {
    values,
    standing: open ? "doubtful" : standing,
    strength: open ? CLAIM : known ? strength : 0,
    start: group.start,
    end: group.end,
  };
}

/** "The answer is Paris (B)": the letter glosses the answer that a cue announces. */
function isGloss(
  reply: ReplyText,
  cue: { end: number; strength: number },
  { start, end, mentions }: Group,
): boolean {
  if (cue.strength < ANSWER || !mentions[0]?.marked || start - cue.end > 80) return false;
  if (reply.sentenceStart(start) > cue.end) return false;
  return /^[)\]"']*(?:[.!]|\s*$)/.test(reply.text.slice(end, reply.sentenceEnd(end)));
}

const head = lazyPattern("^(?:[^\\p{L}\\p{N}]|option |choice )*$", "iu");
const word = lazyPattern("[\\p{L}\\p{N}]", "u");
const LEADING =
  /^["')\]}$]{0,3}(?:,|:| ?[-–—(]| (?:because|since|as|due|rather|instead|over|not|i)(?![a-z]))/i;

/** How plainly a letter is an answer by standing alone: as a line, as a sentence, or at the head of the reply. */
function standsAlone(reply: ReplyText, group: Group, line: OptionLine | undefined): Strength {
  const { start, end } = group;
  const from = reply.sentenceStart(start);
  const before = reply.text.slice(Math.max(from, start - 30), start);
  if (
    start - from > 30 ||
    !/^(?:[\s"'([{$>•+#-]|\d{1,2}[.)] |(?:options?|choices?|answers?|letters?|both|either) )*$/i.test(before)
  ) {
    if (isStrongEnd(reply, group)) return ANSWER;
    return isLast(reply, end) && AFTER_COLON.test(reply.text.slice(from, start)) ? CLAIM : 0;
  }
  const outer = isFirst(reply, start) || isLast(reply, end);
  if (line?.role === "chosen") return outer || isLast(reply, reply.lineEnd(end)) ? ANSWER : CLAIM;
  // "1. B 2. C" answers several questions.
  if (/\S \d{1,2}[.)] ?$/.test(reply.text.slice(Math.max(0, from - 6), from))) return 0;
  const after = reply.text.slice(end, Math.min(end + 40, reply.sentenceEnd(end)));
  if (/^["')\]}$]{0,4}[.!]?["')\]}$]{0,4}\s*$/.test(after) && !isInitial(reply, end)) {
    if (outer || reply.lineEnd(end) - end <= 4) return ANSWER;
    // In the middle of a line, "A. Rome" is an option; only as the answer to a question is it a sentence.
    return from > 0 && reply.asks(from - 1) ? CLAIM : 0;
  }
  return isFirst(reply, start) && LEADING.test(reply.text.slice(end, end + 20)) ? ANSWER : 0;
}

/** "Yes, I am sure: B." */
const AFTER_COLON = /^[^:]{1,80}: ?["'([]{0,2}$/;

/** "J. K. Rowling": a letter with a full stop before another one is an initial. */
function isInitial(reply: ReplyText, end: number): boolean {
  return /^\. ?[A-Z]\./.test(reply.text.slice(end, end + 5));
}

/** A letter in bold at the very end. */
function isStrongEnd(reply: ReplyText, { start, end, mentions }: Group): boolean {
  if (mentions.length > 1 || !isLast(reply, end)) return false;
  return (
    [start, start - 1].some((at) => reply.strong.has(at)) && [end, end + 1].some((at) => reply.strong.has(at))
  );
}

function isFirst(reply: ReplyText, start: number): boolean {
  return start <= 40 && head().test(reply.text.slice(0, start));
}

function isLast(reply: ReplyText, end: number): boolean {
  return reply.text.length - end <= 40 && !word().test(reply.text.slice(end));
}

const CONTRAST =
  /^["')\]}.*]{0,3}[\s,;:–—-]{0,3}(?:(?:but|rather|instead|so|it's|it is|it must be|only)[\s,:]{0,2}){0,3}(?:option |choice |the answer is )?["'([]{0,2}$/;

/** "Not B, but C": what follows a denial in the same sentence is the answer. */
function isContrast(reply: ReplyText, { start }: Group, previous: Statement<string> | undefined): boolean {
  if (previous?.standing !== "denied" || start - previous.end > 40) return false;
  if (reply.sentenceStart(start) > previous.end) return false;
  return CONTRAST.test(reply.lower.slice(previous.end, start));
}
