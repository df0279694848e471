import type { JudgementPart } from "../../grading/judge/judge-turn.ts";
import type { CallEnd, CallStart, RunEventBody } from "../run-event.ts";

/** A call of a model or tool: how it began, and how it ended if it has. */
export interface MadeCall extends Omit<CallStart, "type" | "conversation"> {
  readonly startedAt: number;
  /** Missing while it is under way, and if its process died. */
  readonly end?: Omit<CallEnd, "type" | "conversation" | "turn" | "call"> & { readonly at: number };
}

/** The calls of a conversation in the order they began. Of a call that was made again after a resume, the last counts. */
export function foldCalls(events: Iterable<RunEventBody & { readonly at: number }>): readonly MadeCall[] {
  const calls = new Map<string, MadeCall>();
  for (const event of events) {
    if (event.type === "call-start") {
      const { type: _, conversation: __, at, ...start } = event;
      calls.delete(start.call);
      calls.set(start.call, { ...start, startedAt: at });
    } else if (event.type === "call-end") {
      const start = calls.get(event.call);
      const { type: _, conversation: __, turn: ___, call, ...end } = event;
      if (start !== undefined) calls.set(call, { ...start, end });
    }
  }
  return [...calls.values()];
}

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
