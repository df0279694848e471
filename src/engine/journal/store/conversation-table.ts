import type { ConversationStatus } from "../../../core/state/state.ts";
import { Conversation } from "../fold/conversation.ts";
import { CellCounts, type Counts, conversationCounts } from "../fold/tally.ts";
import type { Cell } from "../run-event.ts";
import type { Turn } from "../turn.ts";
import { outcomeColumns, placeColumns, savedColumns, turnColumns } from "./conversation-columns.ts";
import { conversationKey } from "./encode-event.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { deletedRun } from "./store-error.ts";
import type { StoreReader } from "./store-reader.ts";
import { BROWSING_INDEXES, MANY_CONVERSATIONS } from "./store-schema.ts";
import { addCounts } from "./tally-table.ts";

/** A conversation that is being written. */
export interface LiveConversation {
  readonly key: string;
  readonly run: number;
  readonly folded: Conversation;
  /** Null until it is in the file. */
  id: number | null;
  /** As they are in the file. */
  saved: { readonly cell: Cell; readonly status: ConversationStatus | null } | null;
  /** What it has added to the counts of its cell: once it has ended, until it goes on. */
  counted: { readonly cell: Cell; readonly counts: Counts } | null;
}

/** Keeps the tables about conversations, and the counts of their cells, up to date with the events. */
export class ConversationTable {
  readonly #database: SqliteDatabase;
  readonly #reader: StoreReader;
  readonly #live = new Map<string, LiveConversation>();
  /** Conversations that have changed since the last group. */
  readonly #changed = new Set<LiveConversation>();

  constructor(database: SqliteDatabase, reader: StoreReader) {
    this.#database = database;
    this.#reader = reader;
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
  changedRow(live: LiveConversation): number {
    this.#changed.add(live);
    live.id ??= this.#insert(live);
    return live.id;
  }

  /** Writes what has changed, within a transaction. */
  save(): void {
    const counts = new Map<number, CellCounts>();
    for (const live of this.#changed) {
      const { folded, run } = live;
      const id = this.changedRow(live);
      this.#update(live, id);
      for (const number of folded.changedTurns) this.#saveTurn(folded, number, id);
      for (const name of folded.changedOutcomes) {
        const outcome = folded.outcomes.get(name);
        if (outcome !== undefined)
          this.#database.replace("outcome", { conversation: id, ...outcomeColumns(outcome) });
        else this.#database.run("DELETE FROM outcome WHERE conversation = ? AND name = ?", id, name);
      }
      folded.changedTurns.clear();
      folded.changedOutcomes.clear();
      const cells = counts.get(run) ?? new CellCounts();
      counts.set(run, cells);
      count(live, cells);
      if (folded.status !== null) this.#live.delete(live.key);
    }
    this.#changed.clear();
    for (const [run, cells] of counts) addCounts(this.#database, run, cells);
  }

  /** Forgets the conversations of a run that is being deleted. */
  forget(run: number): void {
    for (const [key, live] of this.#live) if (live.run === run) this.#live.delete(key);
  }

  #insert(live: LiveConversation): number {
    const { run, folded } = live;
    const { cell, status } = folded;
    live.saved = { cell, status };
    const columns = { ...placeColumns(folded), ...savedColumns(folded), status };
    const id = this.#database.insert("conversation", {
      run,
      name: conversationKey(folded.conversation),
      ...columns,
    });
    if (id === MANY_CONVERSATIONS) for (const sql of BROWSING_INDEXES) this.#database.run(sql);
    return id;
  }

  #update(live: LiveConversation, id: number): void {
    const { folded, saved } = live;
    const { cell, status } = folded;
    if (this.#database.update("conversation", id, savedColumns(folded)) === 0)
      throw deletedRun(this.#database.path);
    // These are in indexes, and seldom change.
    if (saved?.cell !== cell) this.#database.update("conversation", id, placeColumns(folded));
    if (saved?.status !== status) this.#database.update("conversation", id, { status });
    live.saved = { cell, status };
  }

  #saveTurn(folded: Conversation, number: number, conversation: number): void {
    const turn = keptTurn(folded, number);
    if (turn === undefined)
      this.#database.run("DELETE FROM turn WHERE conversation = ? AND turn = ?", conversation, number);
    else this.#database.replace("turn", { conversation, turn: number, ...turnColumns(turn) });
  }

  /** Its events say more than its columns. */
  #read(key: string, run: number, conversation: string): LiveConversation {
    const id = this.#reader.conversationId(run, conversation);
    if (id === undefined)
      return { key, run, folded: new Conversation(conversation), id: null, saved: null, counted: null };
    const folded = this.#reader.folded(id, conversation);
    folded.changedTurns.clear();
    folded.changedOutcomes.clear();
    const { cell, status } = folded;
    const counted = status === null ? null : { cell, counts: conversationCounts(folded) };
    return { key, run, folded, id, saved: { cell, status }, counted };
  }
}

/** Adds what a conversation comes to to the counts of its cell once it has ended, and takes it away if it goes on. */
function count(live: LiveConversation, cells: CellCounts): void {
  const { folded, counted } = live;
  if (counted !== null) cells.add(counted.cell, counted.counts, -1);
  live.counted = folded.status === null ? null : { cell: folded.cell, counts: conversationCounts(folded) };
  if (live.counted !== null) cells.add(live.counted.cell, live.counted.counts);
}

/** A turn as the table has it. Once the conversation is over, a question without an answer is none. */
function keptTurn(conversation: Conversation, number: number): Turn | undefined {
  const { status, turnCount } = conversation;
  return status !== null && number > turnCount ? undefined : conversation.turn(number);
}
