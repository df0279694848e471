import { type AliasTree, aliasMentions } from "./alias-matches.ts";
import { aliasStatement } from "./alias-statement.ts";
import { APPROVAL } from "./answer-cue.ts";
import { distributed } from "./distribution.ts";
import { groupMentions, type Mention } from "./mention.ts";
import type { ReplyText } from "./reply-text.ts";
import { type Settled, settle } from "./settle.ts";
import { type Context, isOpen, type Statement } from "./statement.ts";

/**
 * Reads which of several values a reply names. What words announce as the answer decides; without them, the value
 * must be the only one that the reply names and does not deny.
 */
export function readAlias(context: Context, tree: AliasTree): Settled<string> {
  const groups = groupMentions<string, Mention<string>>(
    context.reply,
    aliasMentions(context.reply.text, tree),
  );
  const statements = distributed(
    context.reply,
    groups.map((group, index) =>
      aliasStatement(context, group, { previous: groups[index - 1], next: groups[index + 1] }),
    ),
  );
  const announced = statements.filter(({ strength }) => strength >= APPROVAL);
  const settled = settle(announced, context.reversals);
  if (settled.status === "found" && isTakenBack(statements, settled.value, settled.end))
    return { status: "ambiguous" };
  return settled.status === "absent" ? onlyValue(context, statements) : settled;
}

/** The value that is named, if it is the only one. */
function onlyValue(context: Context, statements: readonly Statement<string>[]): Settled<string> {
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
function isRival({ reply, unsaids }: Context, { standing, start }: Statement<string>): boolean {
  if (standing === "conceded") return true;
  return standing === "doubtful" && unsaids.wavers(reply.clauseStart(start), start);
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
