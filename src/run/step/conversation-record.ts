import type { OutcomeResult } from "../../core/outcomes/evaluate-outcome.ts";
import type { ConversationResult, ConversationStatus } from "../../core/state/state.ts";
import type { RunFailure } from "../../journal/failure.ts";
import type { Cell, DerivedEvent } from "../../journal/run-event.ts";
import type { Spending } from "../../journal/spending.ts";
import type { FinishedTurn } from "../../journal/turn.ts";
import { itemsOf } from "./chain.ts";
import type { ConversationState } from "./conversation-state.ts";

/** A finished conversation with everything that was found out about it. */
export interface ConversationRecord extends ConversationResult, Cell {
  readonly conversation: string;
  readonly turns: readonly FinishedTurn[];
  readonly outcomes: Readonly<Record<string, OutcomeResult>>;
  readonly failure?: RunFailure;
  readonly spending: Spending;
}

/** Puts together what a finished conversation leaves: its state, and the events of its last step. */
export function conversationRecord(
  state: ConversationState,
  events: readonly DerivedEvent[],
): ConversationRecord {
  const { conversation, cell, scenario, spending, status, ending } = state;
  const turns = itemsOf(state.turns);
  const outcomes = events.flatMap((event) => {
    if (event.type !== "outcome") return [];
    const { type: _, conversation: __, name, ...result } = event;
    return [[name, result] as const];
  });
  return {
    conversation,
    ...cell,
    // A record is made of a finished conversation only.
    status: status as ConversationStatus,
    ...(ending?.failure === undefined ? {} : { failure: ending.failure }),
    path: turns.map(({ node }) => node),
    turnCount: turns.length,
    turns,
    accumulated: scenario.accumulated,
    outcomes: Object.fromEntries(outcomes),
    cost: spending.cost,
    tokens: spending.tokens,
    spending,
  };
}
