import { patternOnFirstUse } from "../value/on-first-use.ts";
import { ANSWER_WORDS, CLAIM_WORDS, FINAL_WORDS, OPENERS, WORKING_WORDS } from "./cue-words.ts";
import type { ReplyText } from "./reply-text.ts";

/**
 * How plainly words announce an answer. `final` is meant to be read by a program or closes the matter, `answer` names
 * an answer or a choice, `claim` states something (`so it's B`), `approval` calls something right (`B is true`), which
 * may be a step on the way, as `working` is (`= 12`).
 */
export type CueStrength = 5 | 4 | 3 | 2 | 1;
export const FINAL: CueStrength = 5;
export const ANSWER: CueStrength = 4;
export const CLAIM: CueStrength = 3;
export const APPROVAL: CueStrength = 2;
export const WORKING: CueStrength = 1;

/** Words that announce an answer. */
export interface AnswerCue {
  readonly start: number;
  readonly end: number;
  readonly strength: CueStrength;
}

const cue = patternOnFirstUse(
  `(?<final>${FINAL_WORDS})|(?<answer>${ANSWER_WORDS})|(?<claim>${CLAIM_WORDS})|(?<working>${WORKING_WORDS})`,
  "g",
);

/** Every place where words announce an answer, in order. */
export function answerCues(reply: ReplyText): AnswerCue[] {
  const cues: AnswerCue[] = [];
  for (const match of reply.lower.matchAll(cue())) {
    const { final, answer, claim } = match.groups ?? {};
    const strength = final ? FINAL : answer ? ANSWER : claim ? CLAIM : WORKING;
    cues.push({ start: match.index, end: match.index + match[0].length, strength });
  }
  return cues;
}

const openers = patternOnFirstUse(`^${OPENERS}*$`, "");

/** True if nothing but openers stands between a cue and what it announces. */
export function announces(reply: ReplyText, { end }: AnswerCue, start: number): boolean {
  const gap = start - end;
  return gap >= 0 && gap <= 60 && openers().test(reply.lower.slice(end, start));
}
