import type { ReplyText } from "./reply-text.ts";

/** A value where a reply names it. */
export interface Mention<Value> {
  readonly value: Value;
  readonly start: number;
  readonly end: number;
}

/** Mentions that are named in one breath: "A", "A and C", "either B or D". */
export interface MentionGroup<Value, M extends Mention<Value> = Mention<Value>> {
  readonly mentions: readonly M[];
  readonly start: number;
  readonly end: number;
  /** How the last two are joined. */
  readonly join: "none" | "and" | "or";
}

const JOIN =
  /^["')\]}.*:]{0,3}(?<comma>,|;|\/|&|\+)? ?(?<word>and\/or|and|or|nor|&|as well as|but also|plus|und|oder|y|et|ou)?(?: (?:also|both|maybe|possibly|perhaps|even))?(?: the)?(?: (?:options?|choices?|answers?|letters?))? ?["'([{$*]{0,3}$/;

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
  let current: M[] = [];
  let joins: Join[] = [];
  const close = (): void => {
    groups.push(...splitGroup<Value, M>(reply, current, joins));
    current = [];
    joins = [];
  };
  for (const mention of mentions) {
    const last = current.at(-1);
    const join = last === undefined ? undefined : joinBetween(reply, last.end, mention.start);
    if (last !== undefined && join === undefined) close();
    else if (join !== undefined) joins.push(join);
    current.push(mention);
  }
  if (current.length > 0) close();
  return groups;
}

function joinBetween(reply: ReplyText, start: number, end: number): Join | undefined {
  if (end - start > 40) return undefined;
  const groups = JOIN.exec(reply.lower.slice(start, end))?.groups;
  if (groups === undefined) return undefined;
  if (groups.word !== undefined) return /^(?:or|nor|oder|ou)$/.test(groups.word) ? "or" : "and";
  return groups.comma === undefined ? undefined : groups.comma === "/" ? "or" : "comma";
}

/** Takes apart again what only looked like a list: "the answer is B, C is wrong", "B and C is wrong". */
function splitGroup<Value, M extends Mention<Value>>(
  reply: ReplyText,
  mentions: readonly M[],
  joins: readonly Join[],
): MentionGroup<Value, M>[] {
  const last = mentions.at(-1);
  if (last === undefined) return [];
  const join = joins.at(-1);
  const after = reply.lower.slice(last.end, last.end + 20);
  const apart = (join === "comma" && !LIST_END.test(after)) || (join === "and" && SINGULAR.test(after));
  if (!apart) return [groupOf(mentions, join)];
  if (join === "comma" && joins.every((each) => each === "comma"))
    return mentions.map((mention) => groupOf([mention]));
  return [...splitGroup<Value, M>(reply, mentions.slice(0, -1), joins.slice(0, -1)), groupOf([last])];
}

function groupOf<Value, M extends Mention<Value>>(
  mentions: readonly M[],
  join?: Join,
): MentionGroup<Value, M> {
  const start = mentions[0]?.start ?? 0;
  const end = mentions.at(-1)?.end ?? 0;
  return { mentions, start, end, join: join === undefined ? "none" : join === "comma" ? "and" : join };
}
