import { END } from "../../core/scenario/definition.ts";
import { foldConversation } from "../journal/fold/conversation.ts";
import type { ConversationStop, RunEvent, TurnReply, TurnUser } from "../journal/run-event.ts";
import { NOTHING_SPENT, type Spending } from "../journal/spending.ts";
import type { Turn } from "../journal/turn.ts";
import type { AskEffect, ConversationRecord } from "./step/conversation-state.ts";

/** An earlier conversation, as its journal has it: the turns that were answered. */
export interface RecordedConversation {
  readonly turns: readonly Turn[];
  /** What stopped it, if it did not finish. */
  readonly stop: ConversationStop | null;
}

/** Reads a conversation from its journal. If a turn was started several times, the last one counts. */
export function recordedConversation(events: Iterable<RunEvent>): RecordedConversation {
  const { turns, stop } = foldConversation(events);
  const answered = turns.filter(
    ({ messages, labels, reply }) => (messages !== undefined || labels !== undefined) && reply !== undefined,
  );
  return { turns: answered, stop };
}

/** The recorded answer to a question, or what stopped the conversation there, or null if the question was not asked. */
export function recordedAnswer(
  { turns, stop }: RecordedConversation,
  { turn, node, added }: Pick<AskEffect, "turn" | "node" | "added">,
):
  | (Pick<
      TurnReply,
      "reply" | "messages" | "reportedCalls" | "finish" | "stepLimit" | "labels" | "spending"
    > &
      Pick<Turn, "model">)
  | { readonly stop: ConversationStop }
  | null {
  // An arm of a fork begins after the turns of its parent.
  const before = turns[turn - (turns[0]?.turn ?? turn)];
  const next = (turns.at(-1)?.turn ?? turn - 1) + 1;
  if (before === undefined) return stop === null || turn !== next ? null : { stop };
  const isSame = before.messages === undefined || JSON.stringify(before.messages) === JSON.stringify(added);
  if (before.node !== node || !isSame) return null;
  const { reply = "", replyMessages: messages = [], reportedCalls, finish = "" } = before;
  const { stepLimit, labels, model } = before;
  return {
    reply,
    messages,
    ...(reportedCalls === undefined ? {} : { reportedCalls }),
    finish,
    ...(stepLimit === undefined ? {} : { stepLimit }),
    ...(labels === undefined ? {} : { labels }),
    ...(model === undefined ? {} : { model }),
    spending: FROM_RECORD,
  };
}

/** What the simulated user wrote in a recorded turn; undefined if it wrote nothing there. */
export function recordedUser(
  { turns }: RecordedConversation,
  { turn, node }: Pick<AskEffect, "turn" | "node">,
): Pick<TurnUser, "text" | "reveals" | "done"> | undefined {
  const before = turns[turn - (turns[0]?.turn ?? turn)];
  if (before?.user === undefined || before.node !== node) return undefined;
  const { reveals, done } = before.user;
  return { text: before.questionText ?? "", reveals, done };
}

const FROM_RECORD: Spending = Object.freeze({ ...NOTHING_SPENT, cached: 1 });

/** Where a recorded conversation would now take another edge. */
export interface Divergence {
  readonly conversation: string;
  readonly scenario: string;
  readonly subject: string;
  readonly replicate: number;
  /** The turn after which it does, from 1; 0 if its first question is another. */
  readonly turn: number;
  /** The node that it leaves; null at the beginning. */
  readonly from: string | null;
  /** Where it went, and where it goes now: a node, or null for the end. */
  readonly before: string | null;
  readonly now: string | null;
}

/** The first hop that differs; null if there is none, as far as both conversations go. */
export function findDivergence(
  recorded: RecordedConversation,
  record: ConversationRecord,
): Divergence | null {
  const { conversation, scenario, subject, replicate } = record;
  const turns = record.turns.filter(({ ofParent }) => ofParent !== true);
  const place = { conversation, scenario, subject, replicate };
  const first = recorded.turns[0]?.node ?? null;
  if (turns[0] === undefined) return null;
  if (first !== turns[0].node) return { ...place, turn: 0, from: null, before: first, now: turns[0].node };
  for (const [index, { turn, node, next }] of turns.entries()) {
    const earlier = recorded.turns[index];
    const before = earlier?.next ?? null;
    // What was cut short went nowhere, which is no other way.
    if (earlier === undefined || (before === null && recorded.stop !== null)) return null;
    if (nodeOf(before) !== nodeOf(next))
      return { ...place, turn, from: node, before: nodeOf(before), now: nodeOf(next) };
  }
  return null;
}

function nodeOf(target: string | null): string | null {
  return target === END ? null : target;
}

/** A divergence as a sentence. */
export function describeDivergence({ turn, from, before, now }: Divergence): string {
  const place = (node: string | null): string => (node === null ? "to its end" : `to "${node}"`);
  if (turn === 0) return `The conversation now begins at "${now}" instead of "${before}".`;
  return `After turn ${turn} at "${from}" the conversation now goes ${place(now)} instead of ${place(before)}.`;
}
