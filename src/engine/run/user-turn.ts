import { failureOf } from "../journal/failure.ts";
import { NOTHING_SPENT } from "../journal/spending.ts";
import { askUser } from "./ask-user.ts";
import { recordedUser } from "./recorded-conversation.ts";
import type { RecordedAnswers } from "./records/record-answer.ts";
import type { ConversationContext } from "./run-context.ts";
import type { UserTurn } from "./run-options.ts";
import type { SimulateEffect } from "./step/conversation-state.ts";

/** The next message of the user: from the person who asks, or of a simulated user. */
export function userTurn(
  driver: ConversationContext,
  effect: SimulateEffect,
  answers: RecordedAnswers | undefined,
): Promise<UserTurn> {
  const write = (): Promise<UserTurn> => simulatedTurn(driver, effect, answers);
  return driver.run.questioner?.(effect, write) ?? write();
}

/** The next message of the simulated user: from a record, from the run that is graded again, or from the simulator. */
async function simulatedTurn(
  driver: ConversationContext,
  effect: SimulateEffect,
  answers: RecordedAnswers | undefined,
): Promise<UserTurn> {
  const { turn, node } = effect;
  const { recorded, reruns } = driver.plan;
  const place = { stage: "simulator", node, turn } as const;
  const known =
    answers?.userMessage(turn) ?? (recorded === undefined ? undefined : recordedUser(recorded, effect));
  if (known !== undefined) return { ...known, spending: NOTHING_SPENT };
  if (answers !== undefined) {
    const message = `Turn ${turn}: the simulated user speaks at "${node}", but the record has no message of the user there.`;
    const failure = { ...place, category: "mismatch", stage: "record", message } as const;
    return { stop: { status: "record_mismatch", failure } };
  }
  if (recorded !== undefined && reruns !== true) {
    if (recorded.stop !== null && turn > recorded.turns.length) return { stop: recorded.stop };
    const message = `The question at "${node}" was not asked at this point before.`;
    return { stop: { status: "cancelled", failure: { category: "cancelled", stage: "run", message } } };
  }
  const answer = await askUser(driver, effect);
  if ("text" in answer) return answer;
  const { spending } = answer;
  if ("fault" in answer) {
    const message = `The simulated user broke its contract: ${answer.fault}`;
    return {
      stop: { status: "simulator_fault", failure: { category: "contract", ...place, message }, spending },
    };
  }
  const failure = failureOf(answer.error, place);
  return {
    stop: { status: failure.category === "budget" ? "budget_exhausted" : "error", failure, spending },
  };
}
