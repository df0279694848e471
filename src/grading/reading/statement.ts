import { type AnswerCue, answerCues, type CueStrength } from "./answer-cue.ts";
import { approvalAfter } from "./approval.ts";
import { type Reversals, reversalsOf } from "./correction.ts";
import type { MentionGroup } from "./mention.ts";
import { Negation } from "./negation.ts";
import type { ReplyText } from "./reply-text.ts";
import { Unsaids } from "./unsaid.ts";

/**
 * What a reply does with a value that it names: asserts it, denies it, quotes it, leaves it open, or concedes something
 * about it ("although A is …").
 */
export type Standing = "asserted" | "denied" | "others" | "doubtful" | "conceded";

/** True if a value is neither asserted nor denied, and may yet be meant. */
export function isOpen({ standing }: { readonly standing: Standing }): boolean {
  return standing === "doubtful" || standing === "conceded";
}

/** A value, or several, as a reply puts it. */
export interface Statement<Value> {
  /** One value, or several that are named in one breath, or none if it cannot be read. */
  readonly values: readonly Value[];
  readonly standing: Standing;
  /** 0 if the value is only mentioned. */
  readonly strength: CueStrength | 0;
  readonly start: number;
  readonly end: number;
}

/** A reply with everything around its mentions that all rules read in the same way. */
export class Context {
  readonly reply: ReplyText;
  readonly cues: readonly AnswerCue[];
  readonly negation: Negation;
  readonly unsaids: Unsaids;
  readonly reversals: Reversals;

  constructor(reply: ReplyText) {
    this.reply = reply;
    this.cues = answerCues(reply);
    this.negation = new Negation(reply);
    this.unsaids = new Unsaids(reply);
    this.reversals = reversalsOf(reply);
  }

  /** The last cue that ends at or before the position. */
  cueBefore(position: number): AnswerCue | undefined {
    let low = 0;
    let high = this.cues.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.cues[middle] as AnswerCue).end > position) high = middle;
      else low = middle + 1;
    }
    return this.cues[low - 1];
  }

  /** How plainly words after a group approve of it. */
  approval(group: MentionGroup<unknown>): CueStrength | undefined {
    return approvalAfter(this.reply.lower, group.end);
  }

  /** Judges a group by the words around it; `previousEnd` is where the group before it ends. */
  standing(group: MentionGroup<unknown>, previousEnd: number, cue: AnswerCue | undefined): Standing {
    const { reply, negation } = this;
    const clause = reply.clauseStart(cue?.start ?? group.start);
    // A cue may reach over the group before: "I won't change my answer from B to D".
    const over = cue !== undefined && cue.start < previousEnd;
    const from = Math.min(over ? clause : Math.max(previousEnd, clause), group.start);
    const approved = this.approval(group) !== undefined;
    const wrong = negation.calledWrong(group.end);
    const denials = negation.before(from, group.start);
    if (denials > 1 || (denials === 1 && wrong)) return "doubtful";
    if (denials === 1 || wrong) return "denied";
    return this.unsaids.reason(from, group, approved) ?? (group.join === "or" ? "doubtful" : "asserted");
  }
}

/** The different values of a group. */
export function groupValues<Value>(group: MentionGroup<Value>): readonly Value[] {
  return [...new Set(group.mentions.map(({ value }) => value))];
}
