import type { ScenarioNode } from "../../core/scenario/definition.ts";
import { failureOf, type RunFailure } from "../journal/failure.ts";
import type { ConversationStop, TurnReply } from "../journal/run-event.ts";
import { askSubject, subjectAt, turnStart } from "./ask-subject.ts";
import { UNHEARD } from "./calls/call-cache.ts";
import { recordedAnswer } from "./recorded-conversation.ts";
import type { RecordedAnswers } from "./records/record-answer.ts";
import type { ConversationContext } from "./run-context.ts";
import type { AskEffect } from "./step/conversation-state.ts";

/** What the subject replies, or what stops the conversation. */
export type SubjectTurn =
  | Omit<TurnReply, "type" | "conversation" | "turn">
  | { readonly stop: Pick<ConversationStop, "status" | "failure" | "spending"> }
  /** The conversation must begin again: see `UNHEARD`. */
  | typeof BEGIN_AGAIN;

export const BEGIN_AGAIN = "begin again";

/** The reply to a question: from a record, from the run that is graded again, or from the subject. */
export async function subjectTurn(
  driver: ConversationContext,
  effect: AskEffect,
  answers: RecordedAnswers | undefined,
): Promise<SubjectTurn> {
  if (answers !== undefined) return answerOfRecord(driver, effect, answers);
  const { turn, node } = effect;
  const { recorded, reruns } = driver.plan;
  const known = recorded === undefined ? null : recordedAnswer(recorded, effect);
  if (known !== null && "stop" in known) {
    const { status, failure } = known.stop;
    return { stop: { status, ...(failure === undefined ? {} : { failure }) } };
  }
  if (known !== null) {
    const { model: name = driver.plan.cell.subject, ...reply } = known;
    // Where there are only labels, nothing was sent. Everything else can be graded again, and needs its question.
    if (reply.labels === undefined || reply.reply !== "")
      driver.run.emit(turnStart(driver.plan.conversation, effect, name));
    if (reruns === true) {
      const { model } = subjectAt(driver, driver.plan.definition.nodes[node] as ScenarioNode);
      if (model.hasMemory === true) driver.unheard.add(model);
    }
    return reply;
  }
  if (recorded !== undefined && reruns !== true) {
    const message = `The question at "${node}" was not asked at this point before.`;
    return { stop: { status: "cancelled", failure: { category: "cancelled", stage: "run", message } } };
  }
  const answer = await askSubject(driver, effect);
  if ("reply" in answer) return answer;
  const { error, spending, turnTimeout } = answer;
  if (error === UNHEARD) return BEGIN_AGAIN;
  const failure = failureOf(error, { stage: "subject", node, turn });
  const status = failure.category === "budget" ? "budget_exhausted" : turnTimeout ? "timeout" : "error";
  return { stop: { status, failure, spending } };
}

/** Where the record has no answer, the conversation is over. */
function answerOfRecord(
  { run, plan }: ConversationContext,
  effect: AskEffect,
  answers: RecordedAnswers,
): SubjectTurn {
  const { turn, node } = effect;
  const answer = answers.answer(effect);
  // Nothing was sent where there are only labels.
  if (!("labels" in answer) || answer.reply !== "")
    run.emit(turnStart(plan.conversation, effect, plan.cell.subject));
  if ("reply" in answer) return answer;
  const failure: RunFailure = {
    category: "mismatch",
    stage: "record",
    message: answer.difference,
    node,
    turn,
  };
  return { stop: { status: "record_mismatch", failure } };
}
