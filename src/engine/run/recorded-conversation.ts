import { END } from "../../core/scenario/definition.ts";
import { foldConversation } from "../journal/fold/conversation.ts";
import type { ConversationStop, RunEvent } from "../journal/run-event.ts";
import type { Turn } from "../journal/turn.ts";
import type { ConversationRecord } from "./step/conversation-state.ts";

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
