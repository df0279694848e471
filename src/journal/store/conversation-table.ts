import type BetterSqlite3 from "better-sqlite3";
import { Conversation } from "../fold/conversation.ts";
import type { OutcomeEvent } from "../run-event.ts";
import type { Turn } from "../turn.ts";
import {
  type Column,
  type ConversationColumns,
  cellOf,
  judgeCountsOf,
  type OutcomeColumns,
  outcomeColumns,
  outcomeOf,
  SAVED,
  savedColumns,
  spendingOf,
  TURN,
  type TurnColumns,
  turnColumns,
  turnOf,
} from "./conversation-columns.ts";
import { conversationKey } from "./encode-event.ts";
import { deletedRun } from "./store-error.ts";

/** A conversation that is being written. */
export interface LiveConversation {
  readonly key: string;
  readonly run: number;
  readonly folded: Conversation;
  /** Null until it is in the file. */
  id: number | null;
}

type WritingStatements = Readonly<
  Record<
    "insert" | "update" | "saveTurn" | "dropTurn" | "saveOutcome" | "dropOutcome",
    BetterSqlite3.Statement<Column[]>
  >
>;

/** The tables that reports aggregate, kept up to date with the events. */
export class ConversationTable {
  readonly #path: string;
  readonly #live = new Map<string, LiveConversation>();
  readonly #changed = new Set<LiveConversation>();
  /** Those whose row was made within this transaction: it is as it should be. */
  readonly #made = new Set<LiveConversation>();
  readonly #database: BetterSqlite3.Database;
  #prepared: WritingStatements | undefined;
  readonly #find: BetterSqlite3.Statement<[number, string], ConversationColumns>;
  readonly #turns: BetterSqlite3.Statement<[number], TurnColumns>;
  readonly #outcomes: BetterSqlite3.Statement<[number], OutcomeColumns>;

  constructor(database: BetterSqlite3.Database, path: string) {
    this.#path = path;
    this.#database = database;
    this.#find = database.prepare("SELECT * FROM conversation WHERE run = ? AND name = ?");
    this.#turns = database.prepare("SELECT * FROM turn WHERE conversation = ?");
    this.#outcomes = database.prepare("SELECT * FROM outcome WHERE conversation = ?");
  }

  /** Prepared when something is written: a file of an earlier version that is only read has not all of the columns. */
  get #statements(): WritingStatements {
    this.#prepared ??= this.#prepare();
    return this.#prepared;
  }

  #prepare(): WritingStatements {
    const database = this.#database;
    const marks = (count: number): string => Array(count).fill("?").join(", ");
    const set = (columns: readonly string[]): string => columns.map((name) => `${name} = ?`).join(", ");
    const excluded = (columns: readonly string[]): string =>
      columns.map((name) => `${name} = excluded.${name}`).join(", ");
    return {
      insert: database.prepare(
        `INSERT INTO conversation (run, name, ${SAVED.join(", ")}) VALUES (${marks(SAVED.length + 2)})`,
      ),
      update: database.prepare(`UPDATE conversation SET ${set(SAVED)} WHERE id = ?`),
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
      const name = conversationKey(folded.conversation);
      this.#made.add(live);
      live.id = Number(this.#statements.insert.run(run, name, ...savedColumns(folded)).lastInsertRowid);
    }
    return live.id;
  }

  /** Writes what has changed, within a transaction. */
  save(): void {
    for (const live of this.#changed) {
      const { folded } = live;
      const id = this.idOf(live);
      if (!this.#made.has(live) && this.#statements.update.run(...savedColumns(folded), id).changes === 0)
        throw deletedRun(this.#path);
      for (const turn of folded.changedTurns) this.#saveTurn(id, turn, keptTurn(folded, turn));
      for (const name of folded.changedOutcomes) this.#saveOutcome(id, name, folded.outcomes.get(name));
      folded.changedTurns.clear();
      folded.changedOutcomes.clear();
      if (folded.status !== null) this.#live.delete(live.key);
    }
    this.#changed.clear();
    this.#made.clear();
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

  #read(key: string, run: number, conversation: string): LiveConversation {
    const folded = new Conversation(conversation);
    const found = this.#find.get(run, conversationKey(conversation));
    if (found === undefined) return { key, run, folded, id: null };
    const { status, turns } = found;
    Object.assign(folded, {
      cell: cellOf(found),
      scenarioHash: found.scenario_hash,
      status,
      // Only the category is kept, and written again.
      failure: found.failure === null ? undefined : { category: found.failure, stage: "run", message: "" },
      attempt: found.attempt,
      turnCount: turns,
      spending: spendingOf(found),
      startedAt: found.started_at,
      endedAt: found.ended_at,
    });
    folded.judges.merge(judgeCountsOf(found.judging));
    for (const columns of this.#turns.all(found.id)) folded.restoreTurn(turnOf(columns));
    for (const columns of this.#outcomes.all(found.id))
      folded.outcomes.set(columns.name, outcomeOf(conversation, columns));
    return { key, run, folded, id: found.id };
  }
}

/** A turn as the table has it. Once the conversation is over, a question without an answer is none. */
function keptTurn(conversation: Conversation, number: number): Turn | undefined {
  const { status, turnCount } = conversation;
  return status !== null && number > turnCount ? undefined : conversation.turn(number);
}
