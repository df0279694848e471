import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import type { ReplyConclusion } from "../../grading/verify/conclude-reply.ts";
import { NOTHING_SPENT } from "../../journal/spending.ts";
import type { FinishedTurn, Turn } from "../../journal/turn.ts";

/** True if nothing of the turn is missing. */
export function isRead({ reply, judgements }: Turn): boolean {
  return reply !== undefined && judgements !== undefined && !judgements.includes(null);
}

/** The turn as it is finished and frozen: it is given to authors' functions. */
export function finishedTurn(
  open: Turn,
  findings: Omit<ReplyConclusion, "status"> & Pick<FinishedTurn, "readStatus" | "quotes">,
  next: string | null,
): FinishedTurn {
  const { turn, node, agent, questionText = "", reply = "", judgeFailure, finish = "", toolCalls } = open;
  const { unreadByRules: unread } = open;
  return freezeDeep({
    turn,
    node,
    ...(agent === undefined ? {} : { agent }),
    ...(open.user === undefined ? {} : { user: open.user }),
    questionText,
    reply,
    ...findings,
    ...(unread === undefined ? {} : { unreadByRules: unread }),
    ...(judgeFailure === undefined ? {} : { judgeFailure }),
    finish,
    ...(toolCalls === undefined ? {} : { toolCalls }),
    next,
    spending: open.spending ?? NOTHING_SPENT,
  });
}

/** A turn of the parent as an arm of a fork has it: what it took was paid there. */
export function turnOfParent(turn: FinishedTurn): FinishedTurn {
  return Object.freeze({ ...turn, ofParent: true, spending: NOTHING_SPENT });
}

/** What is concluded of a turn of which nothing is read. */
export const NOTHING_CONCLUDED: Pick<
  ReplyConclusion,
  "verifyResult" | "score" | "parsed" | "rubric" | "refused"
> = Object.freeze({
  verifyResult: null,
  score: null,
  parsed: Object.freeze({}),
  rubric: Object.freeze({}),
  refused: null,
});
