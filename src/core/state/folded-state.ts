import type { Truth } from "../logic/kleene.ts";
import { ownValue, type UnknownRecord } from "../values/json.ts";
import { PersistentMap } from "../values/persistent-map.ts";
import type { NodeResult, ScenarioState } from "./state.ts";

/** How often a node was visited, and what came of it the last time. */
export interface Visit {
  readonly count: number;
  readonly result: NodeResult;
}

/** What of a state is not about nodes. */
export type TurnState = Omit<ScenarioState, "nodeVisits" | "nodeResults">;

/**
 * A state that shares what it remembers of nodes with the states before it. The two objects that tell of all nodes are made
 * when somebody looks at them: most readers want one node only.
 */
export class FoldedState implements ScenarioState {
  readonly turn: number;
  readonly currentNode: string;
  readonly verifyResult: Truth;
  readonly parsed: UnknownRecord;
  readonly refused?: Truth;
  readonly accumulated: UnknownRecord;
  readonly #visits: PersistentMap<Visit>;
  #nodeVisits: ScenarioState["nodeVisits"] | undefined;
  #nodeResults: ScenarioState["nodeResults"] | undefined;

  private constructor(turn: TurnState, visits: PersistentMap<Visit>) {
    this.turn = turn.turn;
    this.currentNode = turn.currentNode;
    this.verifyResult = turn.verifyResult;
    this.parsed = turn.parsed;
    if (turn.refused !== undefined) this.refused = turn.refused;
    this.accumulated = turn.accumulated;
    this.#visits = visits;
  }

  /** The state after one more visit of the node that the turn names. */
  static after(before: ScenarioState, turn: TurnState, result: NodeResult): FoldedState {
    const visits = #visits in before ? before.#visits : visitsIn(before);
    const count = (visits.get(turn.currentNode)?.count ?? 0) + 1;
    return new FoldedState(turn, visits.set(turn.currentNode, { count, result }));
  }

  /** What is remembered of a node in a state, whoever made it; undefined if it was never visited. */
  static visit(state: ScenarioState, node: string): Visit | undefined {
    return #visits in state ? state.#visits.get(node) : plainVisit(state, node);
  }

  get nodeVisits(): ScenarioState["nodeVisits"] {
    this.#nodeVisits ??= this.#each(({ count }) => count);
    return this.#nodeVisits;
  }

  get nodeResults(): ScenarioState["nodeResults"] {
    this.#nodeResults ??= this.#each(({ result }) => result);
    return this.#nodeResults;
  }

  /** The same as a plain object, for code that may do with it what it likes. */
  toJSON(): ScenarioState {
    const { turn, currentNode, verifyResult, parsed, refused, accumulated, nodeVisits, nodeResults } = this;
    const known = { turn, currentNode, verifyResult, parsed, accumulated, nodeVisits, nodeResults };
    return Object.freeze(refused === undefined ? known : { ...known, refused });
  }

  #each<Part>(part: (visit: Visit) => Part): Readonly<Record<string, Part>> {
    const entries = [...this.#visits.entries()].map(([node, visit]) => [node, part(visit)] as const);
    // Sorted, so that the same visits look the same however they came about.
    return Object.freeze(Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1))));
  }
}

/** A state as a plain object that nobody can change. */
export function plainState(state: ScenarioState): ScenarioState {
  return state instanceof FoldedState ? state.toJSON() : Object.freeze({ ...state });
}

function visitsIn(state: ScenarioState): PersistentMap<Visit> {
  const nodes = new Set([...Object.keys(state.nodeVisits ?? {}), ...Object.keys(state.nodeResults ?? {})]);
  let visits = PersistentMap.empty<Visit>();
  // Each of these nodes stands in one of the two objects.
  for (const node of nodes) visits = visits.set(node, plainVisit(state, node) as Visit);
  return visits;
}

/** A state that somebody else made has nothing but its two objects, of which one may be missing. */
function plainVisit({ nodeVisits, nodeResults }: ScenarioState, node: string): Visit | undefined {
  const count = nodeVisits && ownValue(nodeVisits, node);
  const result = nodeResults && ownValue(nodeResults, node);
  if (count === undefined && result === undefined) return undefined;
  // Of the types that a state promises.
  return { count: (count ?? 0) as number, result: (result ?? NO_RESULT) as NodeResult };
}

const NO_RESULT: NodeResult = Object.freeze({
  verifyResult: null,
  parsed: Object.freeze({}),
  rubric: Object.freeze({}),
});
