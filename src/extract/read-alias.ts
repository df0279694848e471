import { type AliasTree, aliasMentions } from "./alias-matches.ts";
import { ANSWER, type AnswerCue, APPROVAL, announces, CLAIM, type CueStrength } from "./answer-cue.ts";
import { groupMentions, type MentionGroup } from "./mention.ts";
import type { ReplyText } from "./reply-text.ts";
import { type Settled, settle } from "./settle.ts";
import { type Context, groupValues, type Statement } from "./statement.ts";

type Group = MentionGroup<string>;

/**
 * Reads which of several values a reply names. What words announce as the answer decides; without them, the value
 * must be the only one that the reply names and does not deny.
 */
export function readAlias(context: Context, tree: AliasTree): Settled<string> {
  const groups = groupMentions<string, MentionGroup<string>["mentions"][number]>(
    context.reply,
    aliasMentions(context.reply.text, tree),
  );
  const statements: Statement<string>[] = [];
  for (const [index, group] of groups.entries()) {
    statements.push(aliasStatement(context, group, { previous: groups[index - 1], next: groups[index + 1] }));
  }
  const announced = statements.filter(({ strength }) => strength >= APPROVAL);
  const settled = settle(announced, context.reversals);
  if (settled.status === "found" && isTakenBack(statements, settled.value, settled.end))
    return { status: "ambiguous" };
  return settled.status === "absent" ? onlyValue(context, statements) : settled;
}

/** The value that is named, if it is the only one. */
function onlyValue({ reply, reversals }: Context, statements: readonly Statement<string>[]): Settled<string> {
  const asserted = statements.filter(({ standing }) => standing === "asserted");
  const last = asserted.at(-1);
  const [value] = last?.values ?? [];
  if (last === undefined || value === undefined) {
    return { status: statements.some(({ standing }) => standing === "doubtful") ? "ambiguous" : "absent" };
  }
  const { start, end } = last;
  const same = asserted.every(({ values }) => values.length === 1 && values[0] === value);
  if (!same || isTakenBack(statements, value, end)) return { status: "ambiguous" };
  if (reversals.retractions.startAfter(end) !== undefined) return { status: "ambiguous" };
  // "I can't say whether that is in Canberra": named, but not as an answer.
  if (reversals.refusals.has(0, reply.text.length)) return { status: "ambiguous" };
  return { status: "found", value, start, end };
}

function isTakenBack(statements: readonly Statement<string>[], value: string, end: number): boolean {
  return statements.some(
    ({ standing, values, start }) => standing === "denied" && start > end && values.includes(value),
  );
}

interface Neighbours {
  readonly previous: Group | undefined;
  readonly next: Group | undefined;
}

function aliasStatement(context: Context, group: Group, { previous, next }: Neighbours): Statement<string> {
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
    standing:
      standing === "asserted" && strength < ANSWER && context.negation.negatedVerb(group.end)
        ? "doubtful"
        : standing,
    strength,
    start: group.start,
    end: group.end,
  };
}

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
  if (start - from > 12 || to - end > 12) return false;
  if (!/^(?:[\s"'([{$>•#-]|the |an? )*$/i.test(reply.text.slice(from, start))) return false;
  if (!/^["')\]}$]*[.!]?["')\]}$]*\s*$/.test(reply.text.slice(end, to))) return false;
  return from === 0 || /^\s*$/.test(reply.text.slice(to));
}
