import { lazyPattern } from "../../core/lazy.ts";
import type { NumberToken } from "../../core/text/number-tokens.ts";
import { ANSWER, type AnswerCue, announces, CLAIM, type CueStrength, WORKING } from "./answer-cue.ts";
import { withSharedStanding } from "./decide.ts";
import { groupMentions, type MentionGroup } from "./mention.ts";
import { announcements, type NumberRole, numberRoles } from "./number-role.ts";
import type { ReplyText } from "./reply-text.ts";
import type { Context, Statement } from "./statement.ts";

/** What a reply says with a number. */
export interface NumberStatement extends Statement<number> {
  readonly role: NumberRole;
  /** True if the reply claims it ("it is 12") rather than calculates it. */
  readonly claims: boolean;
}

/** The statements of a reply's numbers, in order. */
export interface NumberStatements {
  readonly statements: readonly NumberStatement[];
  /** True if something other than a number is announced. */
  readonly otherAnnounced: boolean;
}

/** Says of every number in a reply what announces it and whether it is asserted. */
export function numberStatements(context: Context, tokens: readonly NumberToken[]): NumberStatements {
  const roles = numberRoles(context.reply, tokens);
  const { announced, unclear, otherAnnounced } = announcements(context, tokens, roles);
  const roleOf = new Map(tokens.map((token, index) => [token, roles[index] ?? "count"]));
  const statements: NumberStatement[] = unclear.map(({ start, end, strength }) => ({
    values: [],
    standing: context.standing({ mentions: [], start: end, end, join: "none" }, 0, { start, end, strength }),
    strength,
    claims: true,
    start,
    end,
    role: "count",
  }));
  let previousEnd = 0;
  for (const group of groupMentions<number | null, NumberToken>(context.reply, tokens)) {
    const cue = group.mentions.map((token) => announced.get(token)).find((each) => each !== undefined);
    const near = cue ?? nearCue(context, group);
    const role = roleOf.get(group.mentions[0] as NumberToken) ?? "count";
    const alone = isAlone(context.reply, group) && (role !== "label" || tokens.length === 1);
    const strength = Math.max(
      cue?.strength ?? workingStrength(context, group, near),
      context.approval(group) ?? 0,
      alone ? ANSWER : 0,
    ) as CueStrength | 0;
    statements.push({
      values: readableValues(context.reply, group, strength),
      standing: context.standing(group, previousEnd, near),
      strength,
      claims: near !== undefined && CLAIMS.test(context.reply.lower.slice(near.start, near.end)),
      start: group.start,
      end: group.end,
      role,
    });
    previousEnd = group.end;
  }
  const inOrder = statements.sort((one, other) => one.start - other.start);
  return { statements: withSharedStanding(context.reply, inOrder), otherAnnounced };
}

/** The weak cue that stands right before a number. */
function nearCue(context: Context, { start }: MentionGroup<unknown>): AnswerCue | undefined {
  const cue = context.cueBefore(start);
  return cue !== undefined && cue.strength < ANSWER && announces(context.reply, cue, start) ? cue : undefined;
}

const CLAIMS = /^(?:it|i|we)(?![a-z])|(?:must|should|has to) be$/;

/** Results of working: "= 12", "so 12"; "actually, it's 12" replaces an earlier answer. */
function workingStrength(
  { reply, reversals }: Context,
  { start, end }: MentionGroup<unknown>,
  cue: AnswerCue | undefined,
): CueStrength | 0 {
  if (cue === undefined || cue.strength === WORKING) return cue?.strength ?? 0;
  // "This is 20% less than before" states no result.
  if (!clauseEnds().test(reply.text.slice(end, Math.min(end + 60, reply.sentenceEnd(end))))) return 0;
  return reversals.corrections.has(reply.sentenceStart(start), start) ? CLAIM : WORKING;
}

/** Up to three words that may be a unit: "km", "dollars a day"; not "less than". */
const UNIT = "(?: ?(?!less|more|fewer|than|of|higher|lower|times)[\\p{L}°€£%/]{1,15}(?:\\^\\d)?){0,3}";
const clauseEnds = lazyPattern(`^["')\\]}]*${UNIT}["')\\]}]*(?:[.!,;:\\n(—]|\\s[-–]|\\s*$)`, "u");
const lineEnds = lazyPattern(`^["')\\]}$]{0,3}${UNIT}["')\\]}$]{0,3}[.!]?\\s*$`, "u");

/** True if a number, with its unit, is all of the first or the last line. */
function isAlone(reply: ReplyText, { start, end }: MentionGroup<unknown>): boolean {
  const line = reply.lineStart(start);
  const lineEnd = reply.lineEnd(end);
  if (start - line > 12 || lineEnd - end > 40) return false;
  // A line that ends in a colon introduces a list rather than a number.
  if (/:\s*$/.test(reply.text.slice(Math.max(0, line - 3), line))) return false;
  const outer = /^\s*$/.test(reply.text.slice(0, line)) || /^\s*$/.test(reply.text.slice(lineEnd));
  if (!outer || !/^(?:#{1,6} )?[\s"'([{$€£>•-]*$/.test(reply.text.slice(line, start))) return false;
  return lineEnds().test(reply.text.slice(end, lineEnd));
}

/** The values of a group; none if one of them cannot be read, or is a fraction beside other words. */
function readableValues(
  reply: ReplyText,
  group: MentionGroup<number | null, NumberToken>,
  strength: number,
): number[] {
  const whole =
    strength > 0 && /^[)\]}"'$*]{0,4}(?:[.!]|\s*$|\n|<)/.test(reply.text.slice(group.end, group.end + 8));
  const values: number[] = [];
  for (const { value, fraction } of group.mentions) {
    if (value === null || (fraction && !whole)) return [];
    values.push(value);
  }
  return [...new Set(values)];
}
