import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { inputEvents, judgesIn } from "../../journal/fold/conversation.ts";
import { type JudgeCounts, JudgeTally } from "../../journal/judge-health.ts";
import type {
  ConversationEvent,
  DerivedEvent,
  RunEvent,
  TurnJudgementEvent,
} from "../../journal/run-event.ts";
import type { ConversationState, Effect } from "./conversation-state.ts";
import { type Step, step } from "./step.ts";

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

/**
 * Folds a journal: the same events give the same state, on whatever machine and day. The journal of an arm is folded from the state in
 * which its parent ended.
 */
export function foldJournal(
  definition: ScenarioDefinition,
  journal: Iterable<RunEvent>,
  parent: ConversationState | null = null,
): FoldedJournal {
  const fold = new JournalFold(parent);
  for (const event of inputEvents(journal)) fold.add(event, step(definition, fold.state, event));
  return fold.result;
}

/** `foldJournal` for a scenario whose steps may have to wait for its source strings: `evaluate` does pure work, perhaps later. */
export async function foldJournalWith(
  evaluate: <Result>(work: () => Result) => Result | Promise<Result>,
  journal: Iterable<RunEvent>,
  {
    definition,
    parent = null,
  }: { readonly definition: ScenarioDefinition; readonly parent?: ConversationState | null },
): Promise<FoldedJournal> {
  const fold = new JournalFold(parent);
  for (const event of inputEvents(journal))
    fold.add(event, await evaluate(() => step(definition, fold.state, event)));
  return fold.result;
}

class JournalFold {
  state: ConversationState | null;
  readonly #parent: ConversationState | null;
  #events: readonly DerivedEvent[] = [];
  readonly #pending = new Map<string, Effect>();
  readonly #judgements: TurnJudgementEvent[] = [];

  constructor(parent: ConversationState | null) {
    this.#parent = parent;
    this.state = parent;
  }

  get result(): FoldedJournal {
    const pending = [...this.#pending.values()];
    const state = this.state === this.#parent ? null : this.state;
    return { state, pending, events: this.#events, judgements: this.#judgements };
  }

  /** Takes in an event and what follows from it. */
  add(event: ConversationEvent, { state, events, effects }: Step): void {
    if (event.type === "turn-judgement" && isAwaited(this.state, event)) this.#judgements.push(event);
    this.state = state;
    this.#events = events;
    if (event.type === "turn-user") this.#pending.delete(`user ${event.turn}`);
    if (event.type === "turn-reply") this.#pending.delete(`ask ${event.turn}`);
    if (event.type === "turn-judgement") this.#pending.delete(`judge ${event.turn} ${event.part}`);
    for (const effect of effects) this.#pending.set(keyOf(effect), effect);
  }
}

/** False of a judgement that does not fit, such as that of a turn that is asked again. */
function isAwaited(state: ConversationState | null, { turn, part }: TurnJudgementEvent): boolean {
  const open = state?.open.find((one) => one.turn === turn);
  return open?.judgements?.[part] === null;
}

function keyOf(effect: Effect): string {
  if (effect.type === "finish") return "finish";
  if (effect.type === "simulate") return `user ${effect.turn}`;
  // Its result is a judgement.
  if (effect.type === "embed") return `judge ${effect.turn} ${effect.part}`;
  return effect.type === "ask" ? `ask ${effect.turn}` : `judge ${effect.turn} ${effect.part}`;
}

/** What judges did for judgements that counted before a resume, and no longer do. */
export function droppedJudgements(
  before: FoldedJournal,
  { judgements }: FoldedJournal,
  judge: string,
): readonly JudgeCounts[] {
  const kept = new Set(judgements);
  const tally = new JudgeTally();
  for (const event of before.judgements)
    if (!kept.has(event)) for (const answered of judgesIn(event, judge)) tally.add(answered);
  return tally.counts;
}
