import { END } from "../../core/scenario/scenario-edge.ts";
import type { RecordedConversation } from "../recorded-conversation.ts";
import type { ConversationRecord } from "./conversation-record.ts";

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
  const { conversation, scenario, subject, replicate, turns } = record;
  const place = { conversation, scenario, subject, replicate };
  const first = recorded.turns[0]?.start.node ?? null;
  if (turns[0] === undefined) return null;
  if (first !== turns[0].node) return { ...place, turn: 0, from: null, before: first, now: turns[0].node };
  for (const [index, { node, next }] of turns.entries()) {
    const before = recorded.turns[index];
    // What was cut short went nowhere, which is no other way.
    if (before === undefined || (before.next === null && recorded.stop !== null)) return null;
    if (nodeOf(before.next) !== nodeOf(next))
      return { ...place, turn: index + 1, from: node, before: nodeOf(before.next), now: nodeOf(next) };
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
