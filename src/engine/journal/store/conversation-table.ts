import { conversationCounts } from "../fold/tally.ts";
import { ConversationRows, type LiveConversation, newLive } from "./conversation-rows.ts";
import { conversationKey } from "./encode-event.ts";
import type { SqlDatabase } from "./sql-database.ts";
import type { StoreReader } from "./store-reader.ts";

/** What conversations are read with. */
export interface ConversationTableParts {
  readonly database: SqlDatabase;
  readonly reader: StoreReader;
}

/** The tables about conversations, kept up to date with the events. */
export class ConversationTable extends ConversationRows {
  readonly #parts: ConversationTableParts;
  readonly #live = new Map<string, LiveConversation>();
  /** The conversations of runs that were begun here: what is not among them is not in the store. */
  readonly #begun = new Map<number, Set<string>>();

  constructor(parts: ConversationTableParts) {
    super();
    this.#parts = parts;
  }

  /** The conversations of a run that was begun here: those that are not live are new. */
  knowsAll(run: number): void {
    this.#begun.set(run, new Set());
  }

  /** Others write conversations of a run, too: one that is not live may be in the store. */
  sharesAll(run: number): void {
    this.#begun.delete(run);
  }

  /** A conversation whose events are being appended; read from the file if it was there before, unless it is known to be new. */
  live(run: number, conversation: string, isNew = false): LiveConversation {
    const key = `${run} ${conversation}`;
    let live = this.#live.get(key);
    if (live === undefined) {
      live = isNew ? newLive(key, run, conversation) : this.#read(key, run, conversation);
      this.#live.set(key, live);
    }
    return live;
  }

  /** Forgets the conversations of a run that is being deleted. */
  forget(run: number): void {
    for (const [key, live] of this.#live) if (live.run === run) this.#live.delete(key);
    this.#begun.delete(run);
  }

  protected override ended({ key }: LiveConversation): void {
    this.#live.delete(key);
  }

  /** Its events say more than its columns. */
  #read(key: string, run: number, conversation: string): LiveConversation {
    const id = this.#stored(run, conversation);
    if (id === undefined) return newLive(key, run, conversation);
    const folded = this.#parts.reader.folded(id, conversation);
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
    return this.#parts.database.value<number>(sql, run, conversationKey(conversation));
  }
}
