import { cameToItsEnd } from "../../core/state/state.ts";
import type { RunFailure } from "../failure.ts";
import type { ConversationEnd, OutcomeEvent, RunEvent, TurnStart } from "../run-event.ts";
import type { TurnResult } from "../turn-result.ts";

/** What the journal of a conversation comes to: what was said last counts, where it was taken up again. */
export interface ConversationFacts {
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Null while it is under way. */
  readonly end: ConversationEnd | null;
  /** Turns that have been read and verified, in order. */
  readonly turns: readonly TurnResult[];
  /** The turn that never came to its end, if there is one. */
  readonly unfinished: TurnStart | null;
  readonly outcomes: readonly OutcomeEvent[];
  /** From 1; each time it was taken up again is one more. */
  readonly attempts: number;
}

/** Reads the journal of one conversation. */
export function conversationFacts(events: Iterable<RunEvent>): ConversationFacts {
  const turns = new Map<number, TurnResult>();
  let outcomes = new Map<string, OutcomeEvent>();
  let unfinished: TurnStart | null = null;
  let end: (ConversationEnd & { readonly at: number }) | null = null;
  let startedAt: number | null = null;
  let attempts = 1;
  for (const event of events) {
    switch (event.type) {
      case "conversation-start":
        startedAt = event.at;
        break;
      case "turn-start":
        unfinished = event;
        break;
      case "turn-end":
        turns.set(event.result.turn, event.result);
        break;
      case "outcome":
        outcomes.set(event.name, event);
        break;
      case "conversation-end":
        end = event;
        break;
      case "conversation-resume":
        attempts = event.attempt;
        outcomes = new Map();
        end = null;
    }
  }
  const last = end?.turnCount ?? Number.POSITIVE_INFINITY;
  const isWhole = cameToItsEnd(end?.status);
  return {
    startedAt,
    endedAt: end?.at ?? null,
    end,
    turns: [...turns.values()].filter(({ turn }) => turn <= last).sort((a, b) => a.turn - b.turn),
    unfinished: unfinished === null || isWhole || turns.has(unfinished.turn) ? null : unfinished,
    outcomes: [...outcomes.values()],
    attempts,
  };
}

/** What failed, in columns. */
export type FailureColumns = {
  readonly failure_category: string | null;
  readonly failure_stage: string | null;
  readonly failure_message: string | null;
};

/** A failure in columns; nulls if there is none. */
export function failureColumns(failure: RunFailure | undefined): FailureColumns {
  return {
    failure_category: failure?.category ?? null,
    failure_stage: failure?.stage ?? null,
    failure_message: failure?.message ?? null,
  };
}
