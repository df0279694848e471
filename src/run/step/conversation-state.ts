import { type ConversationStatus, INITIAL_STATE, type ScenarioState } from "../../core/state/state.ts";
import type { RunFailure } from "../../journal/failure.ts";
import type { Cell, ConversationSettings } from "../../journal/run-event.ts";
import { NOTHING_SPENT, type Spending } from "../../journal/spending.ts";
import type { FinishedTurn } from "../../journal/turn.ts";
import type { AgentView } from "./agent-view.ts";
import type { Chain } from "./chain.ts";
import type { OpenTurn } from "./open-turn.ts";
import type { SpokenTurn } from "./transcript.ts";

/** Why no further question is asked. */
export interface Ending {
  readonly status: ConversationStatus;
  readonly failure?: RunFailure;
}

/** Where a conversation stands: the fold of its events. */
export interface ConversationState {
  readonly conversation: string;
  readonly cell: Cell;
  readonly settings: ConversationSettings;
  /** What each agent has seen, by its name. */
  readonly views: Readonly<Record<string, AgentView>>;
  /** All answered turns, as transcripts quote them. */
  readonly spoken: Chain<SpokenTurn> | null;
  /** The finished turns. */
  readonly turns: Chain<FinishedTurn> | null;
  /** The state after the finished turns. */
  readonly scenario: ScenarioState;
  /** Turns that are asked or being read, in order; only the last may be unanswered. */
  readonly open: readonly OpenTurn[];
  /** The state as far as routing reads it, after some turns that are still being read; of use if it is ahead of `scenario`. */
  readonly ahead: ScenarioState;
  readonly ending: Ending | null;
  /** Set when the conversation is over. */
  readonly status: ConversationStatus | null;
  readonly spending: Spending;
}

/** Before the first event. */
export const BEFORE_START: ConversationState = Object.freeze({
  conversation: "",
  cell: Object.freeze({ index: 0, scenario: "", subject: "", judge: "", replicate: 1 }),
  settings: Object.freeze({ turnLimit: 1, judged: false, judging: "together", detectRefusal: false }),
  views: Object.freeze({}),
  spoken: null,
  turns: null,
  scenario: INITIAL_STATE,
  open: Object.freeze([]),
  ahead: INITIAL_STATE,
  ending: null,
  status: null,
  spending: NOTHING_SPENT,
});
