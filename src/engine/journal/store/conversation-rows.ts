import type { ConversationStatus } from "../../../core/state/state.ts";
import { Conversation } from "../fold/conversation.ts";
import { type Counts, conversationCounts } from "../fold/tally.ts";
import type { Cell } from "../run-event.ts";
import type { Turn } from "../turn.ts";
import { outcomeColumns, placeColumns, savedColumns, turnColumns } from "./conversation-columns.ts";
import { conversationKey } from "./encode-event.ts";
import type { GroupRows } from "./group.ts";
import { TallyWriter } from "./tally-table.ts";

/** A conversation that is being written. */
export interface LiveConversation {
  readonly key: string;
  readonly run: number;
  readonly folded: Conversation;
  /** Null until it is in the file. */
  id: number | null;
  /** As they are in the file. */
  saved: { cell: Cell; status: ConversationStatus | null } | null;
  /** What it has added to the counts of its cell: once it has ended, until it goes on. */
  counted: { readonly cell: Cell; readonly counts: Counts } | null;
}

/** A conversation that is not in the store yet. */
export function newLive(key: string, run: number, conversation: string): LiveConversation {
  return { key, run, folded: new Conversation(conversation), id: null, saved: null, counted: null };
}

/** Writes the rows about conversations, and what they add to the counts of their cells. */
export class ConversationRows {
  readonly #tallies = new TallyWriter();
  readonly #changed = new Set<LiveConversation>();
  /** Those whose row was made within this transaction: it is as it should be. */
  readonly #made = new Set<LiveConversation>();

  /** Its lines are saved with the group that is being written. */
  touch(live: LiveConversation): void {
    this.#changed.add(live);
  }

  /** The row that events refer to; made if it is new. */
  idOf(live: LiveConversation, rows: GroupRows): number {
    if (live.id === null) {
      const { run, folded } = live;
      const columns = [...placeColumns(folded), ...savedColumns(folded), folded.status];
      live.id = rows.newConversation(run, conversationKey(folded.conversation), columns);
      this.#made.add(live);
      live.saved = { cell: folded.cell, status: folded.status };
    }
    return live.id;
  }

  /** Writes what has changed, within a transaction. */
  save(rows: GroupRows): void {
    for (const live of this.#changed) {
      const { folded } = live;
      const id = this.idOf(live, rows);
      if (!this.#made.has(live)) update(live, id, rows);
      for (const number of folded.changedTurns) {
        const turn = keptTurn(folded, number);
        rows.turn(id, number, turn === undefined ? null : turnColumns(turn));
      }
      for (const name of folded.changedOutcomes) {
        const outcome = folded.outcomes.get(name);
        rows.outcome(id, name, outcome === undefined ? null : outcomeColumns(outcome));
      }
      folded.changedTurns.clear();
      folded.changedOutcomes.clear();
      this.#count(live);
      if (folded.status !== null) this.ended(live);
    }
    this.#changed.clear();
    this.#made.clear();
    this.#tallies.save(rows);
  }

  /** Called when a conversation that is over was written. */
  protected ended(_: LiveConversation): void {}

  /** Keeps the counts of its cell up to date. */
  #count(live: LiveConversation): void {
    const { run, folded, counted } = live;
    if (counted !== null) this.#tallies.add(run, counted.cell, counted.counts, -1);
    live.counted = folded.status === null ? null : { cell: folded.cell, counts: conversationCounts(folded) };
    if (live.counted !== null) this.#tallies.add(run, live.counted.cell, live.counted.counts);
  }
}

function update(live: LiveConversation, id: number, rows: GroupRows): void {
  const { folded, saved } = live;
  rows.saveConversation(id, savedColumns(folded));
  // These are in indexes, and seldom change.
  if (saved?.cell !== folded.cell) rows.placeConversation(id, placeColumns(folded));
  if (saved?.status !== folded.status) rows.endConversation(id, folded.status);
  live.saved = { cell: folded.cell, status: folded.status };
}

/** A turn as the table has it. Once the conversation is over, a question without an answer is none. */
function keptTurn(conversation: Conversation, number: number): Turn | undefined {
  const { status, turnCount } = conversation;
  return status !== null && number > turnCount ? undefined : conversation.turn(number);
}
