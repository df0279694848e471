import type { Truth } from "../logic/kleene.ts";
import type { UnknownRecord } from "../values/json.ts";

/** What is remembered of the last visit of a node. */
export interface NodeResult {
  readonly verifyResult: Truth;
  readonly parsed: UnknownRecord;
  readonly rubric: UnknownRecord;
  /** True if the reply declined to answer; null or absent if it was not looked for. */
  readonly refused?: Truth;
}

/** What is known of a simulated user. */
export interface UserState {
  /** True if the user has said that he or she is done. */
  readonly done: boolean;
  /** The ids of the facts that the last message reveals. */
  readonly reveals: readonly string[];
  /** The ids of all facts that were revealed, in their order. */
  readonly revealed: readonly string[];
}

/** What routing can see, after a turn. */
export interface ScenarioState {
  /** Number of finished turns: 1 when the first edge is tested. */
  readonly turn: number;
  readonly currentNode: string;
  /** The verdict of the turn; null if it could not be read or nothing was verified. */
  readonly verifyResult: Truth;
  readonly parsed: UnknownRecord;
  /** True if the reply of the turn declined to answer; null or absent if it was not looked for. */
  readonly refused?: Truth;
  readonly accumulated: UnknownRecord;
  /** What the simulated user did last; absent where there is none. */
  readonly user?: UserState;
  readonly nodeVisits: Readonly<Record<string, number>>;
  readonly nodeResults: Readonly<Record<string, NodeResult>>;
  /** The finished turns, this one last. */
  readonly turns: readonly TurnRecord[];
}

/** The state before the first turn. */
export const INITIAL_STATE: ScenarioState = Object.freeze({
  turn: 0,
  currentNode: "",
  verifyResult: null,
  parsed: Object.freeze({}),
  accumulated: Object.freeze({}),
  nodeVisits: Object.freeze({}),
  nodeResults: Object.freeze({}),
  turns: Object.freeze([]),
});

/** How a conversation can end. */
export const CONVERSATION_STATUSES = [
  "completed",
  "limit_reached",
  "timeout",
  "budget_exhausted",
  "cancelled",
  "error",
  /** The simulated user broke its contract twice. */
  "simulator_fault",
  /** A recorded conversation does not fit the scenario. */
  "record_mismatch",
] as const;

/** How a conversation ended. */
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

/** True of a conversation that is over and says nothing about the subject: it is counted by itself, and never scored. */
export function isUnscored(
  status: ConversationStatus | null | undefined,
): status is "simulator_fault" | "record_mismatch" {
  return status === "simulator_fault" || status === "record_mismatch";
}

/** True of a conversation that ended as its scenario says; others were cut short, or are under way. */
export function isFinished(
  status: ConversationStatus | null | undefined,
): status is "completed" | "limit_reached" {
  return status === "completed" || status === "limit_reached";
}

/** True of a conversation that was cut short by a person, a limit of time or the budget: a resume goes on with it. */
export function isInterrupted(status: ConversationStatus): boolean {
  return !isFinished(status) && !isUnscored(status) && status !== "error";
}

/** How many conversations have such a status. */
export function countStatuses(
  statuses: Readonly<Partial<Record<ConversationStatus, number>>>,
  isCounted: (status: ConversationStatus) => boolean,
): number {
  // The keys are statuses.
  const counted = (Object.keys(statuses) as ConversationStatus[]).filter(isCounted);
  return counted.reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
}

/** One visit of one node, as conditions and outcomes see it. The journal's `Turn` has more. */
export interface TurnRecord {
  readonly node: string;
  readonly verifyResult: Truth;
  /** Weighted score of the template, from 0 to 1; null without one. */
  readonly score?: number | null;
  readonly reply: string;
  readonly questionText: string;
  readonly parsed?: UnknownRecord;
  readonly rubric?: UnknownRecord;
  readonly refused?: Truth;
  /** What the simulated user did, at a node that has one. */
  readonly user?: UserState;
  /** True if the node's template does not verify such a reply: the turn is neither right nor wrong. */
  readonly notVerified?: true;
  /** The verdicts by field; empty if the node has no template. */
  readonly fields?: UnknownRecord;
}

/** A finished conversation, as outcomes see it. */
export interface ConversationResult {
  readonly status: ConversationStatus;
  readonly path: readonly string[];
  readonly turnCount: number;
  readonly turns: readonly TurnRecord[];
  /** The arm of a fork; absent where there is none. */
  readonly arm?: string;
  readonly accumulated?: UnknownRecord;
  /** In USD; null if a price is unknown. */
  readonly cost?: number | null;
  readonly tokens?: number | null;
}
