import type { RoutingDecision } from "../../core/state/routing.ts";
import { freezeDeep } from "../../core/values/frozen-copy.ts";
import type { JudgementPart } from "../../grading/judge/judge-turn.ts";
import type { RunFailure } from "../../journal/failure.ts";
import { NOTHING_SPENT, type Spending } from "../../journal/spending.ts";
import type { FinishedTurn } from "../../journal/turn.ts";
import type { ToolCall } from "../../models/message.ts";

/** A turn that is not finished: asked, or answered and still being read. */
export interface OpenTurn {
  /** From 1. */
  readonly turn: number;
  readonly node: string;
  readonly agent: string;
  /** The question without what a handover added. */
  readonly question: string;
  /** The text that was sent. */
  readonly questionText: string;
  /** Null until the subject has answered. */
  readonly reply: string | null;
  readonly finish: string;
  readonly toolCalls: readonly ToolCall[];
  /** The answers of the judge so far, by the position of their request. */
  readonly judgements: readonly (JudgementPart | null)[];
  readonly judgeFailure: RunFailure | null;
  /** Set once it is known where the conversation goes from here. */
  readonly hop: RoutingDecision | null;
  readonly spending: Spending;
}

/** True if nothing of the turn is missing. */
export function isRead({ reply, judgements }: OpenTurn): boolean {
  return reply !== null && !judgements.includes(null);
}

/** A turn whose question is about to be asked. */
export function openTurn(
  asked: Pick<OpenTurn, "turn" | "node" | "agent" | "question" | "questionText">,
): OpenTurn {
  return {
    ...asked,
    reply: null,
    finish: "",
    toolCalls: [],
    judgements: [],
    judgeFailure: null,
    hop: null,
    spending: NOTHING_SPENT,
  };
}

/** What was found out about the reply of a turn. */
type Findings = Omit<
  FinishedTurn,
  | "turn"
  | "node"
  | "agent"
  | "questionText"
  | "reply"
  | "judgeFailure"
  | "finish"
  | "toolCalls"
  | "next"
  | "spending"
>;

/** The turn as it is finished; nobody who is given it can change what others see. */
export function turnResult(open: OpenTurn, findings: Findings, next: string | null): FinishedTurn {
  const { turn, node, agent, questionText, reply, judgeFailure, finish, toolCalls, spending } = open;
  return freezeDeep({
    turn,
    node,
    ...(agent === "" ? {} : { agent }),
    questionText,
    reply: reply ?? "",
    ...findings,
    ...(judgeFailure === null ? {} : { judgeFailure }),
    finish,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    next,
    spending,
  });
}
