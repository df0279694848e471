import type { ConversationStatus } from "../../../core/state/state.ts";
import type { ConversationState } from "../../../engine/run/step/conversation-state.ts";
import type { RehearsedTurn, RehearsedValue, Undecided } from "./rehearsal.ts";
import type { ReplyClasses } from "./reply-classes.ts";

/** How a conversation ends. */
export interface End {
  readonly status: ConversationStatus;
  readonly outcomes: Readonly<Record<string, RehearsedValue>>;
  readonly failure?: string;
}

/** Where a turn leads: to the next question, or to the end; in one arm of a fork. */
export interface Branch {
  /** The turn, with the edge that is taken. */
  readonly turn: RehearsedTurn;
  readonly to: ExploredState | End;
  readonly arm?: string;
}

/** One turn from a state. */
export interface Transition {
  readonly isAssumed: boolean;
  /** One, or one for each arm of a fork; empty if the turn could not be made. */
  readonly branches: readonly Branch[];
  /** True if the conversation continues in arms; the turn limit stops it before. */
  readonly isFork: boolean;
  /** The conditional edges that hold after the turn, in order. */
  readonly holds: readonly number[];
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
  transitions: readonly Transition[] | null;
}

/** All states of a scenario that replies can lead to within the turn limit. */
export interface ExploredGraph {
  readonly start: ExploredState | End;
  readonly states: readonly ExploredState[];
  /** False if there are more states than were asked for. */
  readonly isComplete: boolean;
  readonly replies: ReadonlyMap<string, ReplyClasses>;
  readonly undecided: readonly Undecided[];
  /** The end of a conversation that the turn limit stops after a transition. */
  limitEnd(transition: Transition): Promise<End>;
}

/** True for the end of a conversation, false for a state. */
export function isEnd(to: ExploredState | End): to is End {
  return "status" in to;
}

/** One turn of a path: the transition, and which of its branches was taken. */
export interface PathStep {
  readonly transition: Transition;
  readonly branch: Branch;
}

/** A whole path, and whether the turn limit stopped it. */
export interface FoundPath {
  readonly steps: readonly PathStep[];
  readonly isLimited: boolean;
}

interface Following {
  readonly ended: readonly (Branch & { readonly to: End })[];
  readonly onward: readonly (Branch & { readonly to: ExploredState })[];
  /** The branch that the turn limit stops; a fork has no arms then, so that it is one conversation. */
  readonly stopped: Branch | undefined;
}

/** What follows a transition. `isLast` is true for the last turn that the limit allows. */
export function after({ branches, isFork }: Transition, isLast: boolean): Following {
  const ended = branches.filter((branch): branch is Following["ended"][number] => isEnd(branch.to));
  const onward = branches.filter((branch): branch is Following["onward"][number] => !isEnd(branch.to));
  if (!isLast) return { ended, onward, stopped: undefined };
  return isFork ? { ended: [], onward: [], stopped: branches[0] } : { ended, onward: [], stopped: onward[0] };
}
