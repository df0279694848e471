import { fillTexts, hasTexts } from "../../../core/liquid/fill-texts.ts";
import { TextError, type TextScope } from "../../../core/liquid/text-template.ts";
import { isComposition } from "../../../core/logic/composition.ts";
import {
  evaluateOutcome,
  evaluateOutcomes,
  type OutcomeResult,
} from "../../../core/outcomes/evaluate-outcome.ts";
import type { OutcomeCheck } from "../../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { ConversationStatus } from "../../../core/state/state.ts";
import type { OutcomeEvent } from "../../journal/run-event.ts";
import { type ConversationState, conversationResult } from "./conversation-state.ts";
import { scopeAt } from "./turn-texts.ts";

/** Ends that say something about time, money, machines, simulated users or records, and nothing about the subject. */
const CUT_SHORT: readonly (ConversationStatus | null)[] = [
  "timeout",
  "budget_exhausted",
  "cancelled",
  "error",
  "simulator_fault",
  "record_mismatch",
];

/**
 * The outcomes of a finished conversation. One that was cut short proves nothing about what its end would have been: its
 * outcomes are inconclusive, but for those that ask about the status itself.
 */
export function decideOutcomes(
  definition: ScenarioDefinition,
  state: ConversationState,
): readonly OutcomeEvent[] {
  const { conversation, status } = state;
  if (definition.outcomes.length === 0) return [];
  // What it comes to is decided in each of its arms.
  if (state.ending?.fork !== undefined)
    return definition.outcomes.map(({ name }) => ({ type: "outcome", conversation, name, ...IN_ARMS }));
  const result = conversationResult(state);
  const results = evaluateOutcomes(definition.outcomes, ({ check }) =>
    CUT_SHORT.includes(status) && !asksForStatus(check)
      ? { ...CUT_SHORT_RESULT, reason: `the conversation ended early: ${status}` }
      : filledOutcome(
          check,
          () => scopeAt(definition, state, { before: state.scenario.turn + 1, node: "" }),
          result,
        ),
  );
  return [...results].map(([name, decided]) => ({ type: "outcome", conversation, name, ...decided }));
}

const IN_ARMS: OutcomeResult = Object.freeze({
  value: null,
  status: "not_applicable",
  turns: Object.freeze([]),
  reason: "the conversation continues in its arms",
});

/** An outcome whose texts are rendered first; one that cannot be rendered decides nothing. */
function filledOutcome(
  check: OutcomeCheck,
  scope: () => TextScope,
  result: ReturnType<typeof conversationResult>,
): OutcomeResult {
  if (typeof check !== "object" || !hasTexts(check)) return evaluateOutcome(check, result);
  try {
    return evaluateOutcome(fillTexts(check, scope()), result);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    return { ...CUT_SHORT_RESULT, reason: `a text cannot be rendered: ${error.message}` };
  }
}

const CUT_SHORT_RESULT: OutcomeResult = Object.freeze({
  value: null,
  status: "inconclusive",
  turns: Object.freeze([]),
});

function asksForStatus(check: OutcomeCheck): boolean {
  if (typeof check !== "object") return false;
  if (!isComposition(check)) return check.type === "result_check" && check.field === "status";
  return check.type === "not" ? asksForStatus(check.condition) : check.conditions.every(asksForStatus);
}
