import type { TurnVerdict } from "../journal/conversation-rows.ts";
import type { TurnResult } from "../journal/turn-result.ts";

/**
 * The word for what became of a turn: `unverified` if its node has no template; without a verdict, `unreadable` if a reply or
 * a judgement could not be read, and `unjudged` if the judge could not be asked. Results of stores count the same words.
 */
export function verdictOf(turn: Pick<TurnResult, "verifyResult" | "fields" | "judgeFailure">): TurnVerdict {
  const { verifyResult, fields, judgeFailure } = turn;
  if (verifyResult !== null) return verifyResult ? "pass" : "fail";
  // A template has at least one field.
  if (Object.keys(fields).length === 0) return "unverified";
  return judgeFailure === undefined ? "unreadable" : "unjudged";
}
