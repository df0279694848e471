import type BetterSqlite3 from "better-sqlite3";
import type { ConversationStatus } from "../../core/state/state.ts";
import { Conversation } from "../fold/conversation.ts";
import { type Counts, conversationCounts } from "../fold/tally.ts";
import type { Cell, OutcomeEvent } from "../run-event.ts";
import type { Turn } from "../turn.ts";
import {
  type Column,
  outcomeColumns,
  PLACE,
  placeColumns,
  SAVED,
  savedColumns,
  TURN,
  turnColumns,
} from "./conversation-columns.ts";
import { conversationKey } from "./encode-event.ts";
import { deletedRun } from "./store-error.ts";
import type { StoreReader } from "./store-reader.ts";
import type { TallyTable } from "./tally-table.ts";

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

type WritingStatements = Readonly<
  Record<
    "insert" | "update" | "place" | "end" | "saveTurn" | "dropTurn" | "saveOutcome" | "dropOutcome",
    BetterSqlite3.Statement<Column[]>
  >
>;

/** What conversations are read and written with. */
export interface ConversationTableParts {
  readonly database: BetterSqlite3.Database;
  readonly path: string;
  readonly reader: StoreReader;
  readonly tallies: TallyTable;
}

/** The tables about conversations, kept up to date with the events. */
export class ConversationTable {
  readonly #parts: ConversationTableParts;
  readonly #live = new Map<string, LiveConversation>();
  readonly #changed = new Set<LiveConversation>();
  /** Those whose row was made within this transaction: it is as it should be. */
  readonly #made = new Set<LiveConversation>();
  #prepared: WritingStatements | undefined;
  readonly #find: BetterSqlite3.Statement<[number, string], number>;

  constructor(parts: ConversationTableParts) {
    this.#parts = parts;
    this.#find = parts.database
      .prepare<[number, string], number>("SELECT id FROM conversation WHERE run = ? AND name = ?")
      .pluck();
  }

  /** Prepared when something is written: a file of an earlier version that is only read has not all of the columns. */
  get #statements(): WritingStatements {
    this.#prepared ??= this.#prepare();
    return this.#prepared;
  }

  #prepare(): WritingStatements {
    const { database } = this.#parts;
    const marks = (count: number): string => Array(count).fill("?").join(", ");
    const set = (columns: readonly string[]): string => columns.map((name) => `${name} = ?`).join(", ");
    const excluded = (columns: readonly string[]): string =>
      columns.map((name) => `${name} = excluded.${name}`).join(", ");
    return {
      insert: database.prepare(
        `INSERT INTO conversation (run, name, ${[...PLACE, ...SAVED].join(", ")}, status)
         VALUES (${marks(PLACE.length + SAVED.length + 3)})`,
      ),
      update: database.prepare(`UPDATE conversation SET ${set(SAVED)} WHERE id = ?`),
      place: database.prepare(`UPDATE conversation SET ${set(PLACE)} WHERE id = ?`),
      end: database.prepare("UPDATE conversation SET status = ? WHERE id = ?"),
      saveTurn: database.prepare(
        `INSERT INTO turn (conversation, turn, ${TURN.join(", ")}) VALUES (${marks(TURN.length + 2)})
         ON CONFLICT DO UPDATE SET ${excluded(TURN)}`,
      ),
      dropTurn: database.prepare("DELETE FROM turn WHERE conversation = ? AND turn = ?"),
      saveOutcome: database.prepare(
        `INSERT INTO outcome (conversation, name, kind, value, status) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET ${excluded(["kind", "value", "status"])}`,
      ),
      dropOutcome: database.prepare("DELETE FROM outcome WHERE conversation = ? AND name = ?"),
    };
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

  /** Its lines are saved with the group that is being written. */
  touch(live: LiveConversation): void {
    this.#changed.add(live);
  }

  /** The row that events refer to; made if it is new. */
  idOf(live: LiveConversation): number {
    if (live.id === null) {
      const { run, folded } = live;
      const values = [...placeColumns(folded), ...savedColumns(folded), folded.status];
      const { lastInsertRowid } = this.#statements.insert.run(
        run,
        conversationKey(folded.conversation),
        ...values,
      );
      this.#made.add(live);
      live.id = Number(lastInsertRowid);
      live.saved = { cell: folded.cell, status: folded.status };
    }
    return live.id;
  }

  /** Writes what has changed, within a transaction. */
  save(): void {
    for (const live of this.#changed) {
      const { folded } = live;
      const id = this.idOf(live);
      if (!this.#made.has(live)) this.#update(live, id);
      for (const turn of folded.changedTurns) this.#saveTurn(id, turn, keptTurn(folded, turn));
      for (const name of folded.changedOutcomes) this.#saveOutcome(id, name, folded.outcomes.get(name));
      folded.changedTurns.clear();
      folded.changedOutcomes.clear();
      this.#count(live);
      if (folded.status !== null) this.#live.delete(live.key);
    }
    this.#changed.clear();
    this.#made.clear();
    this.#parts.tallies.save();
  }

  #update(live: LiveConversation, id: number): void {
    const { folded, saved } = live;
    const { update, place, end } = this.#statements;
    if (update.run(...savedColumns(folded), id).changes === 0) throw deletedRun(this.#parts.path);
    // These are in indexes, and seldom change.
    if (saved?.cell !== folded.cell) place.run(...placeColumns(folded), id);
    if (saved?.status !== folded.status) end.run(folded.status, id);
    live.saved = { cell: folded.cell, status: folded.status };
  }

  /** Keeps the counts of its cell up to date. */
  #count(live: LiveConversation): void {
    const { run, folded, counted } = live;
    const { tallies } = this.#parts;
    if (counted !== null) tallies.add(run, counted.cell, counted.counts, -1);
    live.counted = folded.status === null ? null : { cell: folded.cell, counts: conversationCounts(folded) };
    if (live.counted !== null) tallies.add(run, live.counted.cell, live.counted.counts);
  }

  /** Forgets the conversations of a run that is being deleted. */
  forget(run: number): void {
    for (const [key, live] of this.#live) if (live.run === run) this.#live.delete(key);
  }

  #saveTurn(id: number, turn: number, row: Turn | undefined): void {
    if (row === undefined) this.#statements.dropTurn.run(id, turn);
    else this.#statements.saveTurn.run(id, turn, ...turnColumns(row));
  }

  #saveOutcome(id: number, name: string, row: OutcomeEvent | undefined): void {
    if (row === undefined) this.#statements.dropOutcome.run(id, name);
    else this.#statements.saveOutcome.run(id, name, ...outcomeColumns(row));
  }

  /** Its events say more than its columns. */
  #read(key: string, run: number, conversation: string): LiveConversation {
    const id = this.#find.get(run, conversationKey(conversation));
    if (id === undefined)
      return { key, run, folded: new Conversation(conversation), id: null, saved: null, counted: null };
    const folded = this.#parts.reader.folded(id, conversation);
    folded.changedTurns.clear();
    folded.changedOutcomes.clear();
    const { cell, status } = folded;
    const counted = status === null ? null : { cell, counts: conversationCounts(folded) };
    return { key, run, folded, id, saved: { cell, status }, counted };
  }
}

/** A turn as the table has it. Once the conversation is over, a question without an answer is none. */
function keptTurn(conversation: Conversation, number: number): Turn | undefined {
  const { status, turnCount } = conversation;
  return status !== null && number > turnCount ? undefined : conversation.turn(number);
}
