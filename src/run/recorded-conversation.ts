import type { ConversationStop, RunEvent, TurnReply, TurnStart } from "../journal/run-event.ts";
import { NOTHING_SPENT, type Spending } from "../journal/spending.ts";
import type { AskEffect } from "./step/effect.ts";
import { livingEvents } from "./step/living-events.ts";

/** A turn of a conversation that was held before: what was asked, and what was answered. */
export interface HeldTurn {
  readonly start: TurnStart;
  readonly reply: TurnReply;
  /** Where the conversation went from here: a node, `END`, or null if it went nowhere. */
  readonly next: string | null;
}

/** A conversation that was held before. */
export interface HeldConversation {
  readonly turns: readonly HeldTurn[];
  /** What ended it, if it did not come to its end. */
  readonly stop: ConversationStop | null;
}

/** Reads a conversation out of its journal; of a turn that was begun several times, the last time counts. */
export function heldConversation(events: Iterable<RunEvent>): HeldConversation {
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

/** What was answered to a question before; or what ended the conversation there; or that it was never asked. */
export function heldAnswer(
  { turns, stop }: HeldConversation,
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
  return { reply, messages, finish, ...(stepLimit === undefined ? {} : { stepLimit }), spending: KNOWN };
}

const KNOWN: Spending = Object.freeze({ ...NOTHING_SPENT, cached: 1 });
