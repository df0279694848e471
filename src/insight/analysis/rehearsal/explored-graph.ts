import type { ConversationStatus } from "../../../core/state/state.ts";
import type { ConversationState } from "../../../engine/run/step/conversation-state.ts";
import type { RehearsedTurn, RehearsedValue, Undecided } from "./rehearsal.ts";

/** How a conversation ends. */
export interface End {
  readonly status: ConversationStatus;
  readonly outcomes: Readonly<Record<string, RehearsedValue>>;
  readonly failure?: string;
}

/** One turn from a state: to the next question, or to the end. A fork has one for each arm. */
export interface Branch {
  readonly from: ExploredState;
  /** The turn, with the edge that is taken. */
  readonly turn: RehearsedTurn;
  readonly to: ExploredState | End;
  /** True if code that was not run may not allow it. */
  readonly isAssumed: boolean;
  /** The name of the arm that it is in. */
  readonly arm?: string;
  /** The position of the arm in which a fork continues here. */
  readonly fork?: number;
  /** The conversation after the turn, before it continues in arms. */
  readonly after: ConversationState;
}

/** Conversations that nothing distinguishes from here on, as one state; one of the shortest represents all. */
export interface ExploredState {
  readonly id: number;
  /** The node that is asked. */
  readonly node: string;
  /** The least number of turns before it. */
  readonly depth: number;
  /** Null if it was not explored. */
  branches: readonly Branch[] | null;
}

/** All states of a scenario that replies can lead to within the turn limit. */
export interface ExploredGraph {
  readonly start: ExploredState | End;
  readonly states: readonly ExploredState[];
  /** False if there are more states than were asked for. */
  readonly isComplete: boolean;
  readonly undecided: readonly Undecided[];
  /** The end of a conversation that the turn limit stops after a branch. */
  limitEnd(branch: Branch): Promise<End>;
}

/** True for the end of a conversation, false for a state. */
export function isEnd(to: ExploredState | End): to is End {
  return "status" in to;
}

/** True of a branch that ends a conversation also on the last turn that the limit allows. */
export function endsAtLimit({ fork, to }: Branch): boolean {
  return fork === undefined && isEnd(to);
}

/** True of a branch that the turn limit stops on the last turn: of a fork, all arms together are one conversation then. */
export function stopsAtLimit({ fork, to }: Branch): boolean {
  return fork === undefined ? !isEnd(to) : fork === 0;
}
