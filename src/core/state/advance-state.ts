import { errorMessage } from "../error-message.ts";
import type { Truth } from "../logic/kleene.ts";
import { frozenCopy, MAX_VALUES } from "../values/frozen-copy.ts";
import { appended, type GrowingList, listOf } from "../values/growing-list.ts";
import { isRecord, ownValue, typeName, type UnknownRecord } from "../values/json.ts";
import { PersistentMap } from "../values/persistent-map.ts";
import type { NodeResult, ScenarioState, TurnRecord, UserState } from "./state.ts";

/** What a state update may look at besides `accumulated` and `parsed`. */
export interface StateUpdateContext {
  readonly node: string;
  /** The number of this turn, from 1. */
  readonly turn: number;
  readonly verifyResult: Truth;
  readonly reply: string;
  readonly rubric: UnknownRecord;
}

/** Computes the new `accumulated`; what it is given is read-only. */
export type StateUpdate<Parsed = never> = (
  accumulated: UnknownRecord,
  parsed: Parsed,
  context: StateUpdateContext,
) => UnknownRecord;

/** A turn as it enters the state. */
type ReadTurn = Omit<TurnRecord, "questionText"> & Partial<Pick<TurnRecord, "questionText">>;

const NOTHING: UnknownRecord = Object.freeze({});

/** The state after a turn, and why the state update failed, if it did. */
export interface AdvancedState {
  readonly state: ScenarioState;
  readonly updateProblem?: string;
}

/** Folds a finished turn into the state: node result, state update, counters, verdict and fields, in this order. */
export function advanceState(
  state: ScenarioState,
  turn: ReadTurn,
  stateUpdate?: StateUpdate | string,
): AdvancedState {
  const advanced = foldTurn(state, turn, stateUpdate);
  return { ...advanced, state: plainState(advanced.state) };
}

/** The same, with a state that is quicker to make and to read one node of. */
export function foldTurn(
  state: ScenarioState,
  turn: ReadTurn,
  stateUpdate?: StateUpdate | string,
): AdvancedState {
  const { node, verifyResult, parsed = NOTHING, rubric = NOTHING, refused } = turn;
  const result =
    refused === undefined ? { verifyResult, parsed, rubric } : { verifyResult, parsed, rubric, refused };
  const { accumulated, problem } = updateAccumulated(state, turn, stateUpdate);
  const user = turn.user ?? state.user;
  const after: TurnState = {
    turn: state.turn + 1,
    currentNode: node,
    accumulated,
    ...(user === undefined ? {} : { user }),
    ...result,
  };
  const record = Object.freeze({ node, questionText: turn.questionText ?? "", reply: turn.reply, ...result });
  const next = FoldedState.after(state, after, { result: Object.freeze(result), record });
  return problem === undefined ? { state: next } : { state: next, updateProblem: problem };
}

/** On an exception or anything but a plain object, the old value stays. */
function updateAccumulated(
  state: ScenarioState,
  turn: ReadTurn,
  stateUpdate: StateUpdate | string | undefined,
): { readonly accumulated: UnknownRecord; readonly problem?: string } {
  const { accumulated } = state;
  if (stateUpdate === undefined) return { accumulated };
  if (typeof stateUpdate === "string")
    return { accumulated, problem: "a source string runs only within a run" };
  const { node, verifyResult, reply, parsed = NOTHING, rubric = NOTHING } = turn;
  const update = `the state update of ${JSON.stringify(node)}`;
  try {
    const context: StateUpdateContext = { node, turn: state.turn + 1, verifyResult, reply, rubric };
    // The author's type of `parsed` is a promise about the template; nothing narrower is known here.
    const result: unknown = (stateUpdate as StateUpdate<unknown>)(accumulated, parsed, context);
    if (!isRecord(result))
      return { accumulated, problem: `${update} returned ${typeName(result)}, not an object` };
    const problems: string[] = [];
    const copy = frozenCopy(
      result,
      ({ kind, path, found }) =>
        problems.push(
          `${update} returned something that is not plain data at "${path.join(".")}": ${found ?? kind}`,
        ),
      { remaining: MAX_VALUES, withoutFunctions: true },
    );
    return problems[0] === undefined
      ? { accumulated: copy as UnknownRecord }
      : { accumulated, problem: problems[0] };
  } catch (error) {
    return { accumulated, problem: `${update} threw: ${errorMessage(error)}` };
  }
}

/** How often a node was visited, and the result of the last visit. */
export interface Visit {
  readonly count: number;
  readonly result: NodeResult;
}

/** The part of a state that is not about nodes. */
type TurnState = Omit<ScenarioState, "nodeVisits" | "nodeResults" | "turns">;

/** What a turn adds to a state. */
interface AddedTurn {
  readonly result: NodeResult;
  readonly record: TurnRecord;
}

/**
 * A state that shares the visits of nodes, and the turns, with the states before it. The objects with all nodes and the list of
 * turns are made on first use: most readers need one node only.
 */
export class FoldedState implements ScenarioState {
  readonly turn: number;
  readonly currentNode: string;
  readonly verifyResult: Truth;
  readonly parsed: UnknownRecord;
  readonly refused?: Truth;
  readonly accumulated: UnknownRecord;
  readonly user?: UserState;
  readonly #visits: PersistentMap<Visit>;
  readonly #turns: GrowingList<TurnRecord>;
  #nodeVisits: ScenarioState["nodeVisits"] | undefined;
  #nodeResults: ScenarioState["nodeResults"] | undefined;

  private constructor(turn: TurnState, visits: PersistentMap<Visit>, turns: GrowingList<TurnRecord>) {
    this.turn = turn.turn;
    this.currentNode = turn.currentNode;
    this.verifyResult = turn.verifyResult;
    this.parsed = turn.parsed;
    if (turn.refused !== undefined) this.refused = turn.refused;
    this.accumulated = turn.accumulated;
    if (turn.user !== undefined) this.user = turn.user;
    this.#visits = visits;
    this.#turns = turns;
  }

  /** The state after one more visit of the node that the turn names. */
  static after(before: ScenarioState, turn: TurnState, { result, record }: AddedTurn): FoldedState {
    const visits = #visits in before ? before.#visits : visitsIn(before);
    const count = (visits.get(turn.currentNode)?.count ?? 0) + 1;
    const turns = #turns in before ? before.#turns : growing(before.turns ?? []);
    return new FoldedState(turn, visits.set(turn.currentNode, { count, result }), appended(turns, record));
  }

  /** The visits of a node in any state; undefined if there are none. */
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

  get turns(): ScenarioState["turns"] {
    return listOf(this.#turns);
  }

  /** The same as a plain object, for code of authors. */
  toJSON(): ScenarioState {
    const { turn, currentNode, verifyResult, parsed, refused, accumulated, nodeVisits, nodeResults } = this;
    const { user } = this;
    const turns = this.#turns;
    return Object.freeze({
      turn,
      currentNode,
      verifyResult,
      parsed,
      ...(refused === undefined ? {} : { refused }),
      accumulated,
      ...(user === undefined ? {} : { user }),
      nodeVisits,
      nodeResults,
      // Made only for code that looks at it: a list for each turn would take quadratic time.
      get turns(): ScenarioState["turns"] {
        return listOf(turns);
      },
    });
  }

  #each<Part>(part: (visit: Visit) => Part): Readonly<Record<string, Part>> {
    const entries = [...this.#visits.entries()].map(([node, visit]) => [node, part(visit)] as const);
    // Sorted, so that the same visits look the same whatever their order.
    return Object.freeze(Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1))));
  }
}

/** A state as a frozen plain object. */
export function plainState(state: ScenarioState): ScenarioState {
  return state instanceof FoldedState ? state.toJSON() : Object.freeze({ ...state });
}

function growing<Item>(items: readonly Item[]): GrowingList<Item> | null {
  return items.reduce<GrowingList<Item> | null>((list, item) => appended(list, item), null);
}

function visitsIn(state: ScenarioState): PersistentMap<Visit> {
  const nodes = new Set([...Object.keys(state.nodeVisits ?? {}), ...Object.keys(state.nodeResults ?? {})]);
  let visits = PersistentMap.empty<Visit>();
  // Each of these nodes stands in one of the two objects.
  for (const node of nodes) visits = visits.set(node, plainVisit(state, node) as Visit);
  return visits;
}

/** A state that was not made here has only its two objects, and one of them may be missing. */
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
