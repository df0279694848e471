import type { ConversationStop, RunEvent, TurnReply, TurnStart } from "../journal/run-event.ts";
import { NOTHING_SPENT, type Spending } from "../journal/spending.ts";
import type { AskEffect } from "./step/effect.ts";
import { livingEvents } from "./step/living-events.ts";

/** One turn of an earlier conversation: the question and the reply. */
export interface RecordedTurn {
  readonly start: TurnStart;
  readonly reply: TurnReply;
  /** The next node, `END`, or null if the conversation stopped here. */
  readonly next: string | null;
}

/** An earlier conversation, as its journal has it. */
export interface RecordedConversation {
  readonly turns: readonly RecordedTurn[];
  /** What stopped it, if it did not finish. */
  readonly stop: ConversationStop | null;
}

/** Reads a conversation from its journal. If a turn was started several times, the last one counts. */
export function recordedConversation(events: Iterable<RunEvent>): RecordedConversation {
  const all = [...events];
  const starts = new Map<number, TurnStart>();
  const next = new Map<number, string | null>();
  for (const event of all) {
    if (event.type === "turn-start") starts.set(event.turn, event);
    if (event.type === "hop") next.set(event.turn, event.target);
  }
  const living = livingEvents(all);
  const turns = living.flatMap((event) => {
    const start = event.type === "turn-reply" ? starts.get(event.turn) : undefined;
    if (event.type !== "turn-reply" || start === undefined) return [];
    return [{ start, reply: event, next: next.get(event.turn) ?? null }];
  });
  return { turns, stop: living.find((event) => event.type === "conversation-stop") ?? null };
}

/** The recorded answer to a question, or what stopped the conversation there, or null if the question was not asked. */
export function recordedAnswer(
  { turns, stop }: RecordedConversation,
  { turn, node, added }: Pick<AskEffect, "turn" | "node" | "added">,
):
  | Pick<TurnReply, "reply" | "messages" | "finish" | "stepLimit" | "spending">
  | { readonly stop: ConversationStop }
  | null {
  const before = turns[turn - 1];
  if (before === undefined) return stop === null || turn !== turns.length + 1 ? null : { stop };
  const isSame =
    before.start.node === node && JSON.stringify(before.start.messages) === JSON.stringify(added);
  if (!isSame) return null;
  const { reply, messages, finish, stepLimit } = before.reply;
  return {
    reply,
    messages,
    finish,
    ...(stepLimit === undefined ? {} : { stepLimit }),
    spending: FROM_RECORD,
  };
}

const FROM_RECORD: Spending = Object.freeze({ ...NOTHING_SPENT, cached: 1 });
