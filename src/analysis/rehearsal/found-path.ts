import { type Branch, type End, type ExploredState, isEnd, type Transition } from "./explored-graph.ts";

/** One turn of a path: the transition, and which of its branches was taken. */
export interface PathStep {
  readonly transition: Transition;
  readonly branch: Branch;
}

/** A whole path: its last turn, and whether the turn limit stopped it. */
export interface FoundPath {
  /** Undefined if it has no turns. */
  readonly last: PathStep | undefined;
  readonly isLimited: boolean;
  /** All turns. They are put together when somebody asks for them: in a long conversation, each of many paths has many. */
  readonly steps: () => readonly PathStep[];
}

/** A path without a turn. */
export const NO_PATH: FoundPath = { last: undefined, isLimited: false, steps: () => [] };

/** A path whose turns are known. */
export function pathOf(steps: readonly PathStep[], isLimited: boolean): FoundPath {
  return { last: steps.at(-1), isLimited, steps: () => steps };
}

/** Where the replies at a state lead. */
export interface Ways {
  /** How many end the conversation, by themselves and on the last turn that the limit allows. */
  readonly ended: number;
  readonly endedAtLimit: number;
  /** How many the limit stops on that turn. */
  readonly stopped: number;
  /** The states that others lead to, and how many to each. */
  readonly to: readonly number[];
  readonly times: readonly bigint[];
}

interface Following {
  readonly ended: readonly (Branch & { readonly to: End })[];
  readonly onward: readonly (Branch & { readonly to: ExploredState })[];
  /** The branch that the turn limit stops; a fork has no arms then, so that it is one conversation. */
  readonly stopped: Branch | undefined;
}

/** What follows a transition. `isLast` is true of the last turn that the limit allows. */
export function after({ branches, isFork }: Transition, isLast: boolean): Following {
  const ended = branches.filter((branch): branch is Following["ended"][number] => isEnd(branch.to));
  const onward = branches.filter((branch): branch is Following["onward"][number] => !isEnd(branch.to));
  if (!isLast) return { ended, onward, stopped: undefined };
  return isFork ? { ended: [], onward: [], stopped: branches[0] } : { ended, onward: [], stopped: onward[0] };
}
