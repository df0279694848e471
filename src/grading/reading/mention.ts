import type { ReplyText } from "./reply-text.ts";

/** A value where a reply names it. */
export interface Mention<Value> {
  readonly value: Value;
  readonly start: number;
  readonly end: number;
}

/** Mentions that are named together: "A", "A and C", "either B or D". */
export interface MentionGroup<Value, M extends Mention<Value> = Mention<Value>> {
  readonly mentions: readonly M[];
  readonly start: number;
  readonly end: number;
  /** How the last two are joined. */
  readonly join: "none" | "and" | "or";
}

const JOIN =
  /^["')\]}.*: ]{0,4}(?<comma>,|\/|&|\+)? ?(?<word>and\/or|and|or|nor|&|as well as|but also|plus|und|oder|y|et|ou)?(?: (?:also|both|maybe|possibly|perhaps|even))?(?: the)?(?: (?:options?|choices?|answers?|letters?))?[ }]{0,3}["'([{$*]{0,3}$/;

/** After these a list without "and" is complete. */
const LIST_END = /^["')\]}*]{0,3}(?:$|[.!?;:\n)]| (?:are|were|can|cannot|do|all|both|don't|aren't)(?![a-z]))/;

/** A verb that can only belong to the last of two. */
const SINGULAR =
  /^["')\]}*.]{0,3} (?:is|was|has|does|isn't|wasn't|doesn't|seems|fits|makes|looks|appears)(?![a-z])/;

type Join = "comma" | "and" | "or";

/** Puts mentions together that are joined by commas, "and" or "or". */
export function groupMentions<Value, M extends Mention<Value>>(
  reply: ReplyText,
  mentions: readonly M[],
): MentionGroup<Value, M>[] {
  const groups: MentionGroup<Value, M>[] = [];
  for (let first = 0; first < mentions.length; ) {
    const joins: Join[] = [];
    for (let index = first + 1; index < mentions.length; index++) {
      const join = joinBetween(reply, (mentions[index - 1] as M).end, (mentions[index] as M).start);
      if (join === undefined) break;
      joins.push(join);
    }
    const end = first + 1 + joins.length;
    const together = first + 1 + reallyJoined(reply, mentions, { first, joins });
    groups.push(groupOf(mentions.slice(first, together), joins[together - first - 2]));
    for (const mention of mentions.slice(together, end)) groups.push(groupOf([mention]));
    first = end;
  }
  return groups;
}

function joinBetween(reply: ReplyText, start: number, end: number): Join | undefined {
  if (end - start > 40) return undefined;
  const groups = JOIN.exec(reply.lower.slice(start, end))?.groups;
  if (groups === undefined) return undefined;
  if (groups.word !== undefined) return /^(?:or|nor|oder|ou)$/.test(groups.word) ? "or" : "and";
  return groups.comma === undefined ? undefined : groups.comma === "/" ? "or" : "comma";
}

/** How many joins are real, without those that only look like a list: "the answer is B, C is wrong", "B and C is wrong". */
function reallyJoined(
  reply: ReplyText,
  mentions: readonly Mention<unknown>[],
  { first, joins }: { readonly first: number; readonly joins: readonly Join[] },
): number {
  let count = joins.length;
  for (; count > 0; count--) {
    const { end } = mentions[first + count] as Mention<unknown>;
    const after = reply.lower.slice(end, end + 20);
    const join = joins[count - 1];
    const apart = join === "comma" ? !LIST_END.test(after) : join === "and" && SINGULAR.test(after);
    if (!apart) break;
  }
  return count;
}

function groupOf<Value, M extends Mention<Value>>(
  mentions: readonly M[],
  join?: Join,
): MentionGroup<Value, M> {
  const start = mentions[0]?.start ?? 0;
  const end = mentions.at(-1)?.end ?? 0;
  return { mentions, start, end, join: join === undefined ? "none" : join === "comma" ? "and" : join };
}

/** The different values of a group. */
export function groupValues<Value>(group: MentionGroup<Value>): readonly Value[] {
  return [...new Set(group.mentions.map(({ value }) => value))];
}
