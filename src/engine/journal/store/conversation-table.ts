import type { ConversationStatus } from "../../../core/state/state.ts";
import { Conversation } from "../fold/conversation.ts";
import { CellCounts, type Counts, conversationCounts } from "../fold/tally.ts";
import type { Cell } from "../run-event.ts";
import type { Turn } from "../turn.ts";
import { outcomeColumns, placeColumns, savedColumns, turnColumns } from "./conversation-columns.ts";
import { conversationKey } from "./encode-event.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import type { SqliteRows } from "./sqlite-rows.ts";
import type { StoreReader } from "./store-reader.ts";

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

/** Keeps the tables about conversations, and the counts of their cells, up to date with the events. */
export class ConversationTable {
  readonly #database: SqliteDatabase;
  readonly #reader: StoreReader;
  readonly #live = new Map<string, LiveConversation>();
  /** The conversations of runs that were begun here: what is not among them is not in the store. */
  readonly #begun = new Map<number, Set<string>>();
  /** Conversations that have changed since the last group. */
  readonly #changed = new Set<LiveConversation>();
  /** Those whose row was made within this transaction: it is as it should be. */
  readonly #made = new Set<LiveConversation>();
  /** What is to be added to the counts of cells, by run. */
  readonly #counts = new Map<number, CellCounts>();

  constructor(database: SqliteDatabase, reader: StoreReader) {
    this.#database = database;
    this.#reader = reader;
  }

  /** The conversations of a run that was begun here: those that are not live are new. */
  knowsAll(run: number): void {
    this.#begun.set(run, new Set());
  }

  /** Others write conversations of a run, too: one that is not live may be in the store. */
  sharesAll(run: number): void {
    this.#begun.delete(run);
  }

  /** A conversation whose events are being appended; read from the file if it was there before. */
  live(run: number, conversation: string): LiveConversation {
    const key = `${run} ${conversation}`;
    let live = this.#live.get(key);
    if (live === undefined) {
      live = this.#read(key, run, conversation);
      this.#live.set(key, live);
    }
    return live;
  }

  /** The row that events refer to; made if it is new. The other rows are saved with the group that is being written. */
  changedRow(live: LiveConversation, rows: SqliteRows): number {
    this.#changed.add(live);
    return this.#idOf(live, rows);
  }

  /** Writes what has changed, within a transaction. */
  save(rows: SqliteRows): void {
    for (const live of this.#changed) {
      const { folded } = live;
      const id = this.#idOf(live, rows);
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
      if (folded.status !== null) this.#live.delete(live.key);
    }
    this.#changed.clear();
    this.#made.clear();
    for (const [run, cells] of this.#counts) for (const [key, placed] of cells) rows.counts(run, key, placed);
    this.#counts.clear();
  }

  /** Forgets the conversations of a run that is being deleted. */
  forget(run: number): void {
    for (const [key, live] of this.#live) if (live.run === run) this.#live.delete(key);
    this.#begun.delete(run);
  }

  #idOf(live: LiveConversation, rows: SqliteRows): number {
    if (live.id === null) {
      const { run, folded } = live;
      const columns = [...placeColumns(folded), ...savedColumns(folded), folded.status];
      live.id = rows.newConversation(run, conversationKey(folded.conversation), columns);
      this.#made.add(live);
      live.saved = { cell: folded.cell, status: folded.status };
    }
    return live.id;
  }

  /** Adds what a conversation comes to to the counts of its cell once it has ended, and takes it away if it goes on. */
  #count(live: LiveConversation): void {
    const { run, folded, counted } = live;
    const cells = this.#counts.get(run) ?? new CellCounts();
    this.#counts.set(run, cells);
    if (counted !== null) cells.add(counted.cell, counted.counts, -1);
    live.counted = folded.status === null ? null : { cell: folded.cell, counts: conversationCounts(folded) };
    if (live.counted !== null) cells.add(live.counted.cell, live.counted.counts);
  }

  /** Its events say more than its columns. */
  #read(key: string, run: number, conversation: string): LiveConversation {
    const id = this.#stored(run, conversation);
    if (id === undefined)
      return { key, run, folded: new Conversation(conversation), id: null, saved: null, counted: null };
    const folded = this.#reader.folded(id, conversation);
    folded.changedTurns.clear();
    folded.changedOutcomes.clear();
    const { cell, status } = folded;
    const counted = status === null ? null : { cell, counts: conversationCounts(folded) };
    return { key, run, folded, id, saved: { cell, status }, counted };
  }

  /** The row of a conversation that was there before. */
  #stored(run: number, conversation: string): number | undefined {
    const begun = this.#begun.get(run);
    const isNew = begun !== undefined && !begun.has(conversation);
    begun?.add(conversation);
    if (isNew) return undefined;
    const sql = "SELECT id FROM conversation WHERE run = ? AND name = ?";
    return this.#database.value<number>(sql, run, conversationKey(conversation));
  }
}

function update(live: LiveConversation, id: number, rows: SqliteRows): void {
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
