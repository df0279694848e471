import { cellSummary, hasLevels } from "../cell.ts";
import { Conversation } from "../fold/conversation.ts";
import { type CellTally, conversationCounts } from "../fold/tally.ts";
import type { Label, RunEvent, RunStart } from "../run-event.ts";
import { type ConversationColumns, cellOf, judgementsOf, spendingOf } from "./conversation-columns.ts";
import { conversationKey, decodeEvent, EVENT_CODES } from "./encode-event.ts";
import { summaryOf } from "./results.ts";
import type { SqliteDatabase, SqlValue } from "./sqlite-database.ts";
import type { ConversationFilter, ConversationSummary, RunSummary } from "./store.ts";
import { readTallies } from "./tally-table.ts";
import type { TextTable } from "./text-codec.ts";

/** Rows are read in portions: a statement that stays open would keep the connection from writing, and a file from shrinking. */
const PORTION = 256;

const EVENT = `SELECT event.id, type, turn, at, data, conversation.name
  FROM event LEFT JOIN conversation ON conversation.id = event.conversation`;

/** The events of a run begin with its start, which belongs to no conversation: an index by run would be one more to write. */
const EVENTS_OF_RUN = `${EVENT} WHERE event.run = ?
  AND event.id > max(?, (SELECT min(id) FROM event WHERE run = ? AND conversation IS NULL) - 1) AND event.id <= ?
  ORDER BY event.id LIMIT ${PORTION}`;

/** An event's row as a list of values, which is quicker to read than an object. */
type EventValues = readonly [
  id: number,
  type: number,
  turn: number | null,
  at: number,
  data: string,
  conversation: string | null,
];

interface RunColumns {
  readonly id: number;
  readonly name: string;
  readonly parent: string | null;
  readonly tags: string;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly start: string;
}

/** What the name of a run begins with as long as it is being received: readers do not see it. */
export const UNFINISHED = "\u0001receiving ";

/** Reads runs, conversations and events out of a store. */
export class StoreReader {
  readonly #database: SqliteDatabase;
  readonly #texts: TextTable;

  constructor(database: SqliteDatabase, texts: TextTable) {
    this.#database = database;
    this.#texts = texts;
  }

  runs(): readonly RunSummary[] {
    const rows = this.#database.all<RunColumns>("SELECT * FROM run ORDER BY started_at, id");
    return rows.filter(({ name }) => !name.startsWith(UNFINISHED)).map((row) => this.#summary(row));
  }

  /** The run of a name, or of the beginning of one if there is only one. */
  run(name: string): RunSummary | undefined {
    const [exact] = this.#database.all<RunColumns>("SELECT * FROM run WHERE name = ?", name);
    if (exact !== undefined) return this.#summary(exact);
    if (name === "") return undefined;
    const beginning = "SELECT * FROM run WHERE substr(name, 1, length(?)) = ? LIMIT 2";
    const [only, other] = this.#database.all<RunColumns>(beginning, name, name);
    return only === undefined || other !== undefined ? undefined : this.#summary(only);
  }

  /** The row of a run. */
  idOf(run: string): number | undefined {
    return this.#database.value<number>("SELECT id FROM run WHERE name = ?", run);
  }

  /** The row of a conversation. */
  conversationId(run: number, conversation: string): number | undefined {
    const sql = "SELECT id FROM conversation WHERE run = ? AND name = ?";
    return this.#database.value<number>(sql, run, conversationKey(conversation));
  }

  *conversations(run: string, filter: ConversationFilter = {}): Generator<ConversationSummary> {
    const id = this.idOf(run);
    if (id === undefined) return;
    const { conversation, variant } = filter;
    const wanted = (["scenario", "subject", "judge", "status"] as const).filter(
      (key) => filter[key] !== undefined,
    );
    const beginning = conversation === undefined ? "" : "AND name >= ? AND name < ?";
    const sql = `SELECT * FROM conversation WHERE run = ? AND (position, id) > (?, ?)
      ${wanted.map((key) => `AND ${key} IS ?`).join(" ")} ${beginning} ORDER BY position, id LIMIT ${PORTION}`;
    const values: SqlValue[] = wanted.map((key) => filter[key] ?? null);
    if (conversation !== undefined) values.push(conversation, `${conversation}\u{10ffff}`);
    let [position, after] = [Number.NEGATIVE_INFINITY, 0];
    for (;;) {
      const rows = this.#database.all<ConversationColumns>(sql, id, position, after, ...values);
      for (const found of rows) {
        const summary = conversationSummary(run, found);
        if (hasLevels(summary.variant, variant)) yield summary;
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PORTION) return;
      [position, after] = [last.position, last.id];
    }
  }

  /** The events of a run, of a conversation, or with null those of none. What is appended while they are read is not among them. */
  *events(run: string, conversation?: string | null): Generator<RunEvent> {
    const id = this.idOf(run);
    if (id === undefined) return;
    if (conversation === undefined) yield* this.#eventsOfRun(id);
    else if (conversation === null)
      yield* this.#eventsWhere("event.run = ? AND event.conversation IS NULL", id);
    else {
      const owner = this.conversationId(id, conversation);
      if (owner !== undefined) yield* this.#eventsOf(owner, conversation);
    }
  }

  *#eventsOfRun(run: number): Generator<RunEvent> {
    const newest = this.#database.value<number>("SELECT max(id) FROM event") ?? 0;
    for (let after = 0; ; ) {
      const rows = this.#database.raw<EventValues>(EVENTS_OF_RUN, run, after, run, newest);
      for (const row of rows) yield this.#event(row);
      const last = rows.at(-1);
      if (last === undefined) return;
      [after] = last;
    }
  }

  /** Without looking for the name of the conversation again, which would take a third of the time. */
  *#eventsOf(conversation: number, name: string): Generator<RunEvent> {
    const sql = "SELECT id, type, turn, at, data FROM event WHERE conversation = ? ORDER BY id";
    const key = conversationKey(name);
    for (const [id, type, turn, at, data] of this.#database.raw<EventValues>(sql, conversation))
      yield this.#event([id, type, turn, at, data, key]);
  }

  *#eventsWhere(condition: string, owner: number): Generator<RunEvent> {
    const rows = this.#database.raw<EventValues>(`${EVENT} WHERE ${condition} ORDER BY event.id`, owner);
    for (const row of rows) yield this.#event(row);
  }

  #event([, type, turn, at, data, conversation]: EventValues): RunEvent {
    return decodeEvent({ type, turn, at, data, conversation }, this.#texts.valueOf);
  }

  /** The labels of a run; of several by one person on one field of one turn, the last. */
  labels(run: number): readonly Label[] {
    const found = new Map<string, Label>();
    // An index has them.
    for (const event of this.#eventsWhere(`event.run = ? AND event.type = ${EVENT_CODES.label}`, run)) {
      const { at: _, ...label } = event as Label & Pick<RunEvent, "at">;
      const key = JSON.stringify([label.conversation, label.turn, label.field, label.who]);
      // The last one said comes last.
      found.delete(key);
      found.set(key, label);
    }
    return [...found.values()];
  }

  /** The counts of the cells of a run, in the order of results. */
  tallies(run: number): readonly CellTally[] {
    const counts = readTallies(this.#database, run);
    // What goes on is counted here.
    const sql = "SELECT id, name FROM conversation WHERE run = ? AND status IS NULL";
    for (const { id, name } of this.#database.all<{ id: number; name: string }>(sql, run)) {
      const folded = this.folded(id, name);
      counts.add(folded.cell, conversationCounts(folded));
    }
    return counts.tallies();
  }

  /** The fold of the conversation in a row. */
  folded(id: number, conversation: string): Conversation {
    const folded = new Conversation(conversation);
    for (const event of this.#eventsOf(id, conversation)) folded.apply(event);
    return folded;
  }

  #summary({ id, name, parent, tags, started_at, ended_at, start }: RunColumns): RunSummary {
    return {
      run: name,
      startedAt: started_at,
      endedAt: ended_at,
      // Written by `begin` from values of these types.
      start: this.#texts.decode(start) as RunStart,
      parent,
      tags: JSON.parse(tags) as readonly string[],
      ...summaryOf(this.tallies(id)),
    };
  }
}

function conversationSummary(run: string, columns: ConversationColumns): ConversationSummary {
  const { name, status, turns } = columns;
  return {
    run,
    conversation: name,
    ...cellSummary(cellOf(columns)),
    itemHash: columns.item_hash,
    status,
    turnCount: turns,
    ...judgementsOf(columns),
    spending: spendingOf(columns),
  };
}
