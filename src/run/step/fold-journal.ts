import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { DerivedEvent, RunEvent } from "../../journal/run-event.ts";
import type { ConversationState } from "./conversation-state.ts";
import type { Effect } from "./effect.ts";
import { livingEvents } from "./living-events.ts";
import { step } from "./step.ts";

/** Where a conversation stands according to its journal. */
export interface FoldedJournal {
  /** Null if it has not begun. */
  readonly state: ConversationState | null;
  /** What was ready to be done, and of which the journal tells no result. */
  readonly pending: readonly Effect[];
  /** What followed from the last event. */
  readonly events: readonly DerivedEvent[];
}

/** Folds a journal: the same events give the same state, on whatever machine and day. */
export function foldJournal(definition: ScenarioDefinition, journal: Iterable<RunEvent>): FoldedJournal {
  let state: ConversationState | null = null;
  let events: readonly DerivedEvent[] = [];
  const pending = new Map<string, Effect>();
  for (const event of livingEvents(journal)) {
    const next = step(definition, state, event);
    ({ state, events } = next);
    if (event.type === "turn-reply") pending.delete(`ask ${event.turn}`);
    if (event.type === "turn-judgement") pending.delete(`judge ${event.turn} ${event.part}`);
    for (const effect of next.effects) pending.set(keyOf(effect), effect);
  }
  return { state, pending: [...pending.values()], events };
}

function keyOf(effect: Effect): string {
  if (effect.type === "finish") return "finish";
  return effect.type === "ask" ? `ask ${effect.turn}` : `judge ${effect.turn} ${effect.part}`;
}
