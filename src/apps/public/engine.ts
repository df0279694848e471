import { provideLiquid } from "../../core/liquid/liquid-engine.ts";
import { loadLiquid } from "../../engine/run/liquid-library.ts";

export type { Clock } from "../../core/environment.ts";
export { evaluateOutcome } from "../../core/outcomes/evaluate-outcome.ts";
export { type RoutedOn, routedOn } from "../../core/scenario/routed-on.ts";
export { type AdvancedState, advanceState } from "../../core/state/advance-state.ts";
export {
  type RoutingDecision,
  type RoutingEdge,
  resolveNextNode,
  type TestedEdge,
} from "../../core/state/routing.ts";
export { INITIAL_STATE } from "../../core/state/state.ts";
export { resolvePath } from "../../core/state/state-path.ts";
export { systemClock } from "../../engine/run/calls/clock.ts";
export { type Divergence, describeDivergence } from "../../engine/run/recorded-conversation.ts";
export type {
  AskEffect,
  ConversationState,
  Effect,
  Ending,
  FinishEffect,
  JudgeEffect,
} from "../../engine/run/step/conversation-state.ts";
export { type FoldedJournal, foldJournal } from "../../engine/run/step/fold-journal.ts";
export { type Step, step } from "../../engine/run/step/step.ts";

provideLiquid(loadLiquid);
