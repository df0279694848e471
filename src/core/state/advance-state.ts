import { errorMessage } from "../error-message.ts";
import type { Truth } from "../logic/kleene.ts";
import { frozenCopy } from "../values/frozen-copy.ts";
import { isRecord, typeName, type UnknownRecord } from "../values/json.ts";
import { FoldedState, plainState, type TurnState } from "./folded-state.ts";
import type { ScenarioState, TurnRecord } from "./state.ts";

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
type ReadTurn = Omit<TurnRecord, "questionText">;

const NOTHING: UnknownRecord = Object.freeze({});

/** The state after a turn, and what kept the state update from counting, if anything did. */
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
  const after: TurnState = { turn: state.turn + 1, currentNode: node, accumulated, ...result };
  const next = FoldedState.after(state, after, Object.freeze(result));
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
  try {
    const context: StateUpdateContext = { node, turn: state.turn + 1, verifyResult, reply, rubric };
    // The author's type of `parsed` is a promise about the template; nothing narrower is known here.
    const result: unknown = (stateUpdate as StateUpdate<unknown>)(accumulated, parsed, context);
    if (!isRecord(result))
      return { accumulated, problem: `the state update returned ${typeName(result)}, not an object` };
    const problems: string[] = [];
    const copy = frozenCopy(result, ({ kind, path, found }) =>
      problems.push(
        `the state update returned something that is not plain data at "${path.join(".")}": ${found ?? kind}`,
      ),
    );
    return problems[0] === undefined
      ? { accumulated: copy as UnknownRecord }
      : { accumulated, problem: problems[0] };
  } catch (error) {
    return {
      accumulated,
      problem: `the state update threw: ${errorMessage(error)}`,
    };
  }
}
