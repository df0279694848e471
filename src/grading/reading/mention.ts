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
}

const JOIN =
  /^["')\]}.*: ]{0,4}(?<mark>,|\/|&|\+)? ?(?<word>and\/or|and|or|nor|&|as well as|but also|plus|und|oder|y|et|ou)?(?: (?:also|both|maybe|possibly|perhaps|even))?(?: the)?(?: (?:options?|choices?|answers?|letters?))?[ }]{0,3}["'([{$*]{0,3}$/;

/** After these a list without "and" is complete. */
const LIST_END = /^["')\]}*]{0,3}(?:$|[.!?;:\n)]| (?:are|were|can|cannot|do|all|both|don't|aren't)(?![a-z]))/;

/** A verb that can only belong to the last of two. */
const SINGULAR =
  /^["')\]}*.]{0,3} (?:is|was|has|does|isn't|wasn't|doesn't|seems|fits|makes|looks|appears)(?![a-z])/;

/** Puts mentions together that are joined by commas, "and" or "or". */
export function groupMentions<Value, M extends Mention<Value>>(
  { lower }: ReplyText,
  mentions: readonly M[],
): MentionGroup<Value, M>[] {
  const groups: MentionGroup<Value, M>[] = [];
  for (let first = 0; first < mentions.length; ) {
    const commas: boolean[] = [];
    for (let index = first + 1; index < mentions.length; index++) {
      const between = lower.slice((mentions[index - 1] as M).end, (mentions[index] as M).start);
      const { mark, word } = (between.length > 40 ? null : JOIN.exec(between))?.groups ?? {};
      if (mark === undefined && word === undefined) break;
      commas.push(word === undefined && mark !== "/");
    }
    const end = first + 1 + commas.length;
    const together = first + 1 + reallyJoined(lower, mentions.slice(first + 1, end), commas);
    groups.push(groupOf(mentions.slice(first, together)));
    for (const mention of mentions.slice(together, end)) groups.push(groupOf([mention]));
    first = end;
  }
  return groups;
}

/** How many joins are real, without those that only look like a list: "the answer is B, C is wrong", "B and C is wrong". */
function reallyJoined(
  lower: string,
  joined: readonly Mention<unknown>[],
  commas: readonly boolean[],
): number {
  const last = joined.findLastIndex(({ end }, index) => {
    const after = lower.slice(end, end + 20);
    return commas[index] ? LIST_END.test(after) : !SINGULAR.test(after);
  });
  return last + 1;
}

function groupOf<Value, M extends Mention<Value>>(mentions: readonly M[]): MentionGroup<Value, M> {
  return { mentions, start: mentions[0]?.start ?? 0, end: mentions.at(-1)?.end ?? 0 };
}

/** The different values of a group. */
export function groupValues<Value>(group: MentionGroup<Value>): readonly Value[] {
  return [...new Set(group.mentions.map(({ value }) => value))];
}
