import type { OutcomeResult } from "../../../core/outcomes/evaluate-outcome.ts";
import {
  END,
  END_IN_FILES,
  type ScenarioDefinition,
  type ScenarioNode,
} from "../../../core/scenario/definition.ts";
import {
  type ConversationResult,
  type ConversationStatus,
  INITIAL_STATE,
  type ScenarioState,
} from "../../../core/state/state.ts";
import type { Trait } from "../../../core/templates/rubric.ts";
import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import { type GrowingList, itemsOf } from "../../../core/values/growing-list.ts";
import type { JudgePlan } from "../../grading/judge/judge-request.ts";
import type { ReplyConclusion } from "../../grading/verify/conclude-reply.ts";
import type { MeaningPair } from "../../grading/verify/semantic-match.ts";
import type { RunFailure } from "../../journal/failure.ts";
import type { Cell, ConversationEnd, ConversationSettings } from "../../journal/run-event.ts";
import { NOTHING_SPENT, type Spending } from "../../journal/spending.ts";
import type { FinishedTurn, Turn } from "../../journal/turn.ts";
import type { Message } from "../../models/message.ts";
import type { AgentView, AnsweredTurn } from "./agent-view.ts";
import type { NodePlan } from "./node-plan.ts";
import type { UserContract, UserMessage } from "./user-contract.ts";

/** Why no further question is asked. */
export interface Ending {
  readonly status: ConversationStatus;
  readonly failure?: RunFailure;
  /** The edge of the fork in whose arms the conversation continues. */
  readonly fork?: number;
}

/** A node and its traits with the texts that reading a reply needs. Truths are rendered when they are compared. */
export interface ReadNode {
  readonly node: ScenarioNode;
  readonly traits: readonly Trait[];
}

/** A turn that is asked or being read. */
export interface OpenTurn extends Turn {
  /** What is asked about its reply: by its node, and, once rules have read it, with what they left unread. */
  readonly plan: NodePlan;
  /** Set when the reply can be read: its texts may have to wait for earlier turns. */
  readonly reads?: ReadNode;
}

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

/** The question that comes next. */
export interface NextQuestion {
  readonly node: string;
  readonly edge: number | null;
  /** What the simulated user has written, at a node that has one. */
  readonly written?: UserMessage;
}

/** Where a conversation stands: the fold of its events. */
export interface ConversationState {
  readonly conversation: string;
  readonly cell: Cell;
  readonly settings: ConversationSettings;
  /** What was said before the first turn. */
  readonly history: readonly Message[];
  /** What each agent has seen, by its name. */
  readonly views: Readonly<Record<string, AgentView>>;
  /** All answered turns, as transcripts quote them. */
  readonly spoken: GrowingList<AnsweredTurn> | null;
  /** The finished turns. */
  readonly turns: GrowingList<FinishedTurn> | null;
  /** The state after the finished turns. */
  readonly scenario: ScenarioState;
  /** Turns that are asked or being read, in order; only the last may be unanswered. */
  readonly open: readonly OpenTurn[];
  /** Where the conversation goes, while the texts there still wait for what they read of earlier turns. */
  readonly next: NextQuestion | null;
  /** The number of the turn whose question the simulated user is writing; 0 if none. */
  readonly simulating: number;
  /** The state as far as routing reads it, after some turns that are still being read; of use if it is ahead of `scenario`. */
  readonly ahead: ScenarioState;
  /** The last turn whose meanings are being compared, or were. */
  readonly compared: number;
  readonly ending: Ending | null;
  /** Set when the conversation is over, and with it its outcomes. */
  readonly status: ConversationStatus | null;
  readonly outcomes: Readonly<Record<string, OutcomeResult>>;
  readonly spending: Spending;
  /** Of that, what the simulated user took. */
  readonly userSpending: Spending;
}

/** Before the first event. */
export const BEFORE_START: ConversationState = Object.freeze({
  conversation: "",
  cell: Object.freeze({ index: 0, scenario: "", subject: "", judge: "", replicate: 1 }),
  settings: Object.freeze({ turnLimit: 1, judged: false, judging: "together", detectRefusal: false }),
  history: Object.freeze([]),
  views: Object.freeze({}),
  spoken: null,
  turns: null,
  scenario: INITIAL_STATE,
  open: Object.freeze([]),
  next: null,
  simulating: 0,
  ahead: INITIAL_STATE,
  compared: 0,
  ending: null,
  status: null,
  outcomes: Object.freeze({}),
  spending: NOTHING_SPENT,
  userSpending: NOTHING_SPENT,
});

/** A finished conversation with everything that was found out about it. */
export interface ConversationRecord extends ConversationResult, Cell {
  readonly conversation: string;
  readonly turns: readonly FinishedTurn[];
  readonly outcomes: Readonly<Record<string, OutcomeResult>>;
  readonly failure?: RunFailure;
  /** The arms in which it continues. */
  readonly arms?: readonly string[];
  readonly spending: Spending;
}

/** An arm in which a conversation continues. */
export interface Arm {
  /** With the names of the arms before it: `probe`, `probe/again`. */
  readonly name: string;
  readonly target: string;
  /** The edge that leads there, by its position in the scenario. */
  readonly edge: number;
  /** The number of the arm among all that its conversation may continue in: from 1, the same however often it is asked. */
  readonly ordinal: number;
}

/** The arms in which a conversation continues that has ended at a fork. */
export function armsOf({ edges }: ScenarioDefinition, { ending, cell }: ConversationState): readonly Arm[] {
  const first = ending?.fork;
  const targets = first === undefined ? undefined : edges[first]?.fork;
  if (first === undefined || targets === undefined) return [];
  const before = cell.arm === undefined ? "" : `${cell.arm}/`;
  return targets.map((target, position) => ({
    name: `${before}${target === END ? END_IN_FILES : target}`,
    target,
    edge: first + position,
    ordinal: position + 1,
  }));
}

/** The record of a conversation that is over. */
export function conversationRecord(
  state: ConversationState,
  arms: readonly string[] = [],
): ConversationRecord {
  const { conversation, cell, ending, outcomes, spending } = state;
  return {
    conversation,
    ...cell,
    ...(ending?.failure === undefined ? {} : { failure: ending.failure }),
    ...conversationResult(state),
    outcomes,
    ...(arms.length === 0 ? {} : { arms }),
    spending,
  };
}

/** The event that a conversation is over. */
export function conversationEnd(
  definition: ScenarioDefinition,
  state: ConversationState,
  end: Pick<ConversationEnd, "status" | "failure">,
): ConversationEnd {
  const { conversation, cell, spending, userSpending, turns } = state;
  const arms = armsOf(definition, state).map(({ name }) => name);
  return {
    type: "conversation-end",
    conversation,
    cell,
    ...end,
    turnCount: turns?.length ?? 0,
    path: itemsOf(turns).map(({ node }) => node),
    ...(arms.length === 0 ? {} : { arms }),
    spending,
    ...(userSpending === NOTHING_SPENT ? {} : { simulator: userSpending }),
  };
}

/** The conversation as outcomes see it. */
export function conversationResult(
  state: ConversationState,
): ConversationResult & Pick<ConversationRecord, "turns"> {
  const { status, scenario, spending } = state;
  const turns = itemsOf(state.turns);
  return {
    // Asked for when the conversation is over.
    status: status as ConversationStatus,
    path: turns.map(({ node }) => node),
    turnCount: turns.length,
    turns,
    ...(state.cell.arm === undefined ? {} : { arm: state.cell.arm }),
    accumulated: scenario.accumulated,
    cost: spending.cost,
    tokens: spending.tokens,
  };
}

/** Ask the subject. */
export interface AskEffect {
  readonly type: "ask";
  /** From 1. */
  readonly turn: number;
  readonly node: string;
  readonly agent: string;
  /** The system prompt. */
  readonly instructions?: string;
  /** All that the model is sent. */
  readonly messages: readonly Message[];
  /** The part of it that this agent has not seen before. */
  readonly added: readonly Message[];
  /** What must stand in the transcript file before the question is asked. */
  readonly transcript?: readonly AnsweredTurn[];
}

/** Let the simulated user write the next question. */
export interface SimulateEffect {
  readonly type: "simulate";
  readonly turn: number;
  readonly node: string;
  readonly contract: UserContract;
  /** The conversation as the user sees it: what the subject says comes from the other side. */
  readonly messages: readonly Message[];
  /** Another model than the run's. */
  readonly simulator?: string;
}

/** Ask the judge one of the requests of a turn. */
export interface JudgeEffect {
  readonly type: "judge";
  readonly turn: number;
  readonly node: string;
  /** Which of the turn's requests, from 0. */
  readonly part: number;
  /** What it asks for, with its texts. */
  readonly plan: JudgePlan;
  /** The node with its texts, and its traits. */
  readonly reads: ReadNode;
  readonly reply: string;
  /** How the reply ended: `length` if it was cut off. */
  readonly finish: string;
}

/** Compare the meanings of fields with their truths. Its result is a judgement, as that of a request to the judge. */
export interface EmbedEffect {
  readonly type: "embed";
  readonly turn: number;
  readonly node: string;
  /** After the requests to the judge. */
  readonly part: number;
  /** The texts to compare by field. */
  readonly pairs: Readonly<Record<string, MeaningPair>>;
}

/** The conversation is over. */
export interface FinishEffect {
  readonly type: "finish";
  readonly status: ConversationStatus;
  readonly failure?: RunFailure;
}

/** What is ready to be done. */
export type Effect = AskEffect | SimulateEffect | JudgeEffect | EmbedEffect | FinishEffect;
