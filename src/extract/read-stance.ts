import { leadingCorrections } from "./correction.ts";
import type { MentionGroup } from "./mention.ts";
import { type Settled, settle } from "./settle.ts";
import { type StanceMention, stanceMentions } from "./stance-mentions.ts";
import type { Context, Standing, Statement } from "./statement.ts";

/** Reads whether a reply says yes or no. */
export function readStance(context: Context): Settled<boolean> {
  const statements: Statement<boolean>[] = [];
  let previousEnd = 0;
  for (const mention of stanceMentions(context)) {
    statements.push(stanceStatement(context, mention, previousEnd));
    previousEnd = mention.end;
  }
  return settle(statements, { ...context.reversals, corrections: leadingCorrections(context.reply) });
}

function stanceStatement(context: Context, mention: StanceMention, previousEnd: number): Statement<boolean> {
  const { value, strength, start, end } = mention;
  const group: MentionGroup<unknown> = { mentions: [], start, end, join: "none" };
  const standing = context.standing(group, previousEnd, undefined);
  // "I don't think that's true" is a no; "I don't think that's wrong" may be anything.
  const flipped = standing === "denied" && value === true;
  const known: Standing = flipped ? "asserted" : standing === "denied" ? "doubtful" : standing;
  return { values: value === null ? [] : [flipped ? false : value], standing: known, strength, start, end };
}
