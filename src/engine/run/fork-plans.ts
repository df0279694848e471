import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { ConversationPlan } from "./run-context.ts";
import { conversationId } from "./set-up-run.ts";
import { type Arm, armsOf, type ConversationState } from "./step/conversation-state.ts";

/** True of a scenario whose conversations may continue in several arms. */
export function hasForks({ edges }: ScenarioDefinition): boolean {
  return edges.some(({ fork }) => fork !== undefined);
}

/** The conversations in which one continues that has ended at a fork; none for any other. */
export function armPlans(
  plan: ConversationPlan,
  state: ConversationState,
  /** How many conversations the run has, without arms. */
  conversations: number,
): readonly ConversationPlan[] {
  return armsOf(plan.definition, state).map((arm) => {
    const { name, edge, target } = arm;
    const cell = {
      ...plan.cell,
      index: armIndex(plan, arm, conversations),
      arm: name,
      parent: plan.cell.index,
    };
    const fork = { parent: plan.conversation, turn: state.turns?.length ?? 0, edge, target };
    const { record, sources } = plan;
    return {
      ...plan,
      conversation: conversationId(cell),
      cell,
      from: { state, fork },
      ...(sources === undefined ? {} : { sources: sources.forArm(cell) }),
      ...(record === undefined
        ? {}
        : { record: { ...(record.arms?.get(name) ?? NO_RECORD), arms: record.arms } }),
    };
  });
}

const NO_RECORD = Object.freeze({ turns: Object.freeze([]) });

/**
 * The position of an arm among the results: after all conversations without arms, and the same whichever arm is begun first. The
 * arms of an arm count on in the same way.
 */
function armIndex({ definition, cell }: ConversationPlan, { ordinal }: Arm, conversations: number): number {
  const most = Math.max(...definition.edges.map(({ fork = [] }) => fork.length));
  const parent = Math.floor(cell.index / conversations);
  return (cell.index % conversations) + conversations * (parent * (most + 1) + ordinal);
}
