import { type AnswerCue, answerCues, type CueStrength } from "./answer-cue.ts";
import { approvalAfter, Negation } from "./approval.ts";
import type { MentionGroup } from "./mention.ts";
import { NonAssertions } from "./non-assertion.ts";
import { anyOf, type Markers, markersOf, phrases } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";

/**
 * What a reply does with a value that it names: asserts it, denies it, quotes it, leaves it open, or concedes something
 * about it ("although A is …").
 */
export type Standing = "asserted" | "denied" | "others" | "doubtful" | "conceded";

/** True if a value is neither asserted nor denied, but may be meant. */
export function isOpen({ standing }: { readonly standing: Standing }): boolean {
  return standing === "doubtful" || standing === "conceded";
}

/** What a reply says about a value, or about several together. */
export interface Statement<Value> {
  /** One value, or several that are named together, or none if it cannot be read. */
  readonly values: readonly Value[];
  readonly standing: Standing;
  /** 0 if the value is only mentioned. */
  readonly strength: CueStrength | 0;
  readonly start: number;
  readonly end: number;
}

/** A reply with what all rules need to judge a mention: cues, denials, non-assertions and reversals. */
export class Context {
  readonly reply: ReplyText;
  readonly cues: readonly AnswerCue[];
  readonly negation: Negation;
  readonly nonAssertions: NonAssertions;
  readonly reversals: Reversals;

  constructor(reply: ReplyText) {
    this.reply = reply;
    this.cues = answerCues(reply);
    this.negation = new Negation(reply);
    this.nonAssertions = new NonAssertions(reply);
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
    return (
      this.nonAssertions.reason(from, group, approved) ?? (group.join === "or" ? "doubtful" : "asserted")
    );
  }
}

/** The different values of a group. */
export function groupValues<Value>(group: MentionGroup<Value>): readonly Value[] {
  return [...new Set(group.mentions.map(({ value }) => value))];
}

const RETHINK = `let me ${anyOf(
  "reconsider|re-?check|re-?think|re-?evaluate|re-?examine|re-?calculate|double[- ]check|try again",
)}`;
const MISTAKE = anyOf(
  "i (?:was|am) (?:wrong|mistaken)|i'm (?:wrong|mistaken)|i misspoke",
  "i (?:made|have made) an? (?:[a-z]+ )?(?:mistake|error)",
);
const WRONG = "(?:wrong|incorrect|not right|not correct|a mistake|an error)";

/** Words with which a speaker takes back what was said; what follows replaces it. */
const corrections = phrases(
  "actually|wait(?=[,.!…— ]| -)|hold on|correction|scratch that|or rather|i mean|make that|oops|hmm+|no(?=,)|(?:edit|update)(?=:)",
  "on second thoughts?|on reflection",
  "(?:up)?on (?:further |closer |careful |second )?(?:reflection|review|reconsideration|consideration|inspection|examination|look)",
  RETHINK,
  "let me (?:correct|revise|fix|clarify)",
  MISTAKE,
  "i (?:stand corrected|was incorrect|was in error|have been wrong)|i mis(?:read|calculated|counted|stated|understood)",
  "i see (?:an?|my|the) (?:[a-z]+ )?(?:mistake|error|slip)",
  "i apologi[sz]e|my apologies|apologies|sorry|my mistake|my bad",
  "chang(?:e|ing) my (?:answer|mind)|switch(?:ing)? (?:my answer )?(?:from|to)|revis(?:e|ed|ing) (?:my )?(?:answer|choice|to)",
  "(?:corrected|updated|new) answer",
  `that(?:'s| is| was) ${WRONG}`,
  "you(?:'re| are) (?:absolutely |completely |totally |quite )?(?:right|correct)",
);

/** Words that take back what was said and put nothing in its place. */
const retractions = phrases(
  "wait(?=[,.!…—])|hold on|scratch that|on second thoughts?",
  RETHINK,
  MISTAKE,
  `(?:that|this)(?:'s| is| was| can't be| cannot be) (?:${WRONG}|(?:right|correct)\\?)`,
);

const ABLE = anyOf(
  "can(?:not|'t| not)|could(?:n't| not)|do(?:n't| not)|won't|will not",
  "(?:am )?(?:unable|not able) to|must decline|decline to",
);

/** Sentences in which a speaker says that there is no answer. */
const refusals = phrases(
  `(?:i|we)(?:'m| am| was)? ${ABLE}(?: [a-z]+){0,2}? ${anyOf(
    "know|answer|determine|tell|provide|say|choose|pick|decide|give|help|assist|comply|select|share|offer|make",
  )}`,
  "(?:i'm|i am) (?:not sure|unsure|uncertain|sorry)|no idea|as an ai",
  "(?:not (?:[a-z]+ )?enough|insufficient) (?:information|data|context|evidence|detail)",
  "impossible to (?:say|tell|know|determine|answer)|can(?:not|'t) be (?:determined|answered|known|said)",
  "there(?:'s| is) no (?:way to (?:know|tell|say)|(?:correct|right|definitive|single) answer)",
  "none of (?:the above|these)",
);

/** What a reply takes back, and whether it declines to answer. */
export interface Reversals {
  readonly corrections: Markers;
  readonly retractions: Markers;
  readonly refusals: Markers;
}

/** Finds the reversals of a reply. */
export function reversalsOf({ lower }: ReplyText): Reversals {
  return {
    corrections: markersOf(lower, corrections()),
    retractions: markersOf(lower, retractions()),
    refusals: markersOf(lower, refusals()),
  };
}

/** The corrections that begin a sentence: "Yes. Actually, no." takes the yes back, "yes, but actually no" does not. */
export function leadingCorrections(reply: ReplyText): Markers {
  return markersOf(reply.lower, corrections(), ({ index }) => index - reply.sentenceStart(index) <= 2);
}
