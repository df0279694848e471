import type { TurnResult } from "./turn-result.ts";

/** What became of a turn, in one word; what the subject did is never mixed with what the judge, or its machine, could not do. */
export type TurnVerdict = "pass" | "fail" | "unreadable" | "unjudged" | "unverified";

/**
 * `unverified` if the node has no template; without a verdict, `unreadable` if a reply or a judgement could not be read, and
 * `unjudged` if the judge could not be asked.
 */
export function turnVerdict({
  verifyResult,
  fields,
  judgeFailure,
}: Pick<TurnResult, "verifyResult" | "fields" | "judgeFailure">): TurnVerdict {
  if (verifyResult !== null) return verifyResult ? "pass" : "fail";
  // A template has at least one field.
  if (Object.keys(fields).length === 0) return "unverified";
  return judgeFailure === undefined ? "unreadable" : "unjudged";
}
