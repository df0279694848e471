import type { ConversationEvent, RunEvent, TurnJudgementEvent } from "../../journal/run-event.ts";

/**
 * The events of a conversation's journal that count, in order: those that `step` folds. Where the conversation was taken up
 * again, what had stopped it counts no more, nor do judgements that were never made because of it.
 */
export function livingEvents(events: Iterable<RunEvent>): readonly ConversationEvent[] {
  let living: ConversationEvent[] = [];
  for (const event of events) {
    switch (event.type) {
      case "conversation-start":
      case "turn-reply":
      case "turn-judgement":
      case "conversation-stop":
        living.push(event);
        break;
      case "conversation-resume":
        living = living.filter((earlier) => !isOver(earlier, event.retriesErrors));
    }
  }
  return living;
}

function isOver(event: ConversationEvent, retriesErrors: boolean): boolean {
  if (event.type === "conversation-stop") return true;
  return event.type === "turn-judgement" && wasNotMade(event, retriesErrors);
}

/** A judge that answered badly has answered; one that was never asked has not. */
function wasNotMade({ failure }: TurnJudgementEvent, retriesErrors: boolean): boolean {
  if (failure === undefined) return false;
  return retriesErrors || failure.category === "cancelled" || failure.category === "budget";
}
