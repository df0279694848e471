import type { JudgementPart } from "../../grading/judge/judge-turn.ts";
import type { RunEventBody } from "../run-event.ts";

/** What each judge of a panel said about a turn. */
interface PanelVotes {
  readonly conversation: string;
  readonly turn: number;
  readonly votes: readonly JudgementPart[];
}

/** The votes of panels in a run or a conversation, one entry for each request. */
export function* foldVotes(events: Iterable<RunEventBody>): Generator<PanelVotes> {
  for (const event of events)
    if (event.type === "turn-judgement" && event.votes !== undefined)
      yield { conversation: event.conversation, turn: event.turn, votes: event.votes };
}
