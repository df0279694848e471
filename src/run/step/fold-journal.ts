import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { inputEvents } from "../../journal/fold/conversation.ts";
import type { DerivedEvent, RunEvent, TurnJudgementEvent } from "../../journal/run-event.ts";
import type { ConversationState, Effect } from "./conversation-state.ts";
import { step } from "./step.ts";

/** Where a conversation stands according to its journal. */
export interface FoldedJournal {
  /** Null if it has not begun. */
  readonly state: ConversationState | null;
  /** Effects that were ready, and of which the journal has no result. */
  readonly pending: readonly Effect[];
  /** What followed from the last event. */
  readonly events: readonly DerivedEvent[];
  /** The judgements that count. */
  readonly judgements: readonly TurnJudgementEvent[];
}

/** Folds a journal: the same events give the same state, on whatever machine and day. */
export function foldJournal(definition: ScenarioDefinition, journal: Iterable<RunEvent>): FoldedJournal {
  let state: ConversationState | null = null;
  let events: readonly DerivedEvent[] = [];
  const pending = new Map<string, Effect>();
  const judgements: TurnJudgementEvent[] = [];
  for (const event of inputEvents(journal)) {
    if (event.type === "turn-judgement" && isAwaited(state, event)) judgements.push(event);
    const next = step(definition, state, event);
    ({ state, events } = next);
    if (event.type === "turn-reply") pending.delete(`ask ${event.turn}`);
    if (event.type === "turn-judgement") pending.delete(`judge ${event.turn} ${event.part}`);
    for (const effect of next.effects) pending.set(keyOf(effect), effect);
  }
  return { state, pending: [...pending.values()], events, judgements };
}

/** False of a judgement that does not fit, such as that of a turn that is asked again. */
function isAwaited(state: ConversationState | null, { turn, part }: TurnJudgementEvent): boolean {
  const open = state?.open.find((one) => one.turn === turn);
  return open?.judgements?.[part] === null;
}

function keyOf(effect: Effect): string {
  if (effect.type === "finish") return "finish";
  // Its result is a judgement.
  if (effect.type === "embed") return `judge ${effect.turn} ${effect.part}`;
  return effect.type === "ask" ? `ask ${effect.turn}` : `judge ${effect.turn} ${effect.part}`;
}
