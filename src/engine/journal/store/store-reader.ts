import type { ConversationStatus } from "../../../core/state/state.ts";
import { cellSummary, hasLevels } from "../cell.ts";
import { Conversation } from "../fold/conversation.ts";
import { type CellTally, conversationCounts } from "../fold/tally.ts";
import type { RunEvent, RunStart } from "../run-event.ts";
import { type ConversationColumns, cellOf, judgementsOf, spendingOf } from "./conversation-columns.ts";
import { conversationKey, decodeEvent, EVENT_CODES, type EventColumns } from "./encode-event.ts";
import { isUnfinished } from "./received-run.ts";
import { summaryOf } from "./results.ts";
import type { SqliteDatabase, SqlValue } from "./sqlite-database.ts";
import type { ConversationFilter, ConversationSummary, RunSummary } from "./store.ts";
import { storeError } from "./store-error.ts";
import { readTallies } from "./tally-table.ts";
import { decodeData } from "./text-codec.ts";
import type { TextTable } from "./text-table.ts";

/** The columns of a summary. */
const SUMMARY = `id, name, position, scenario, subject, judge, replicate, "row", row_id, variant, arm, parent, status, turns,
  judging, calls, cached, tokens, cost, item_hash`;

/** Rows are read in portions: a statement that stays open would keep the connection from writing, and a file from shrinking. */
const PORTION = 256;

/** An index of events by run would be one more for each event that is written, and the events of a whole run are seldom read. */
const EVENT_IDS = `SELECT id FROM event WHERE run = ? AND conversation IS NULL
  UNION ALL SELECT event.id FROM conversation JOIN event ON event.conversation = conversation.id WHERE conversation.run = ?`;

const EVENT_COLUMNS = "event.id, type, turn, at, data";
const WITH_NAMES = `${EVENT_COLUMNS}, conversation.name FROM event LEFT JOIN conversation ON conversation.id = event.conversation`;

/** An event's row as a list of values, which is quicker to read than an object. */
type EventValues = readonly [
  id: number,
  type: number,
  turn: number | null,
  at: number,
  data: string,
  conversation?: string | null,
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

/** Reads runs, conversations and events out of a store. */
export class StoreReader {
  readonly #database: SqliteDatabase;
  readonly #texts: TextTable;

  constructor(database: SqliteDatabase, texts: TextTable) {
    this.#database = database;
    this.#texts = texts;
  }

  runs(): readonly RunSummary[] {
    const rows = this.#all<RunColumns>("SELECT * FROM run ORDER BY started_at, id");
    return rows.filter(({ name }) => !isUnfinished(name)).map((row) => this.#summary(row));
  }

  /** The run of a name, or of the beginning of one if there is only one. */
  run(name: string): RunSummary | undefined {
    const [exact] = this.#all<RunColumns>("SELECT * FROM run WHERE name = ?", name);
    if (exact !== undefined) return this.#summary(exact);
    if (name === "") return undefined;
    const beginning = "SELECT * FROM run WHERE substr(name, 1, length(?)) = ? LIMIT 2";
    const [only, other] = this.#all<RunColumns>(beginning, name, name);
    return only === undefined || other !== undefined ? undefined : this.#summary(only);
  }

  /** The row of a run. */
  idOf(run: string): number | undefined {
    return this.#guarded(() => this.#database.value<number>("SELECT id FROM run WHERE name = ?", run));
  }

  *conversations(run: string, filter: ConversationFilter = {}): Generator<ConversationSummary> {
    const id = this.idOf(run);
    if (id === undefined) return;
    const wanted = (["scenario", "subject", "judge", "status"] as const).filter(
      (key) => filter[key] !== undefined,
    );
    const beginning = filter.conversation === undefined ? "" : "AND name >= ? AND name < ?";
    const sql = `SELECT ${SUMMARY} FROM conversation WHERE run = ? AND (position, id) > (?, ?)
      ${wanted.map((key) => `AND ${key} ${filter[key] === null ? "IS NULL" : "= ?"}`).join(" ")} ${beginning} ORDER BY position, id LIMIT ?`;
    const values: SqlValue[] = wanted.flatMap((key) => filter[key] ?? []);
    if (filter.conversation !== undefined)
      values.push(filter.conversation, `${filter.conversation}\u{10ffff}`);
    let [position, after] = [Number.NEGATIVE_INFINITY, 0];
    for (;;) {
      const rows = this.#all<ConversationColumns>(sql, id, position, after, ...values, PORTION);
      for (const found of rows) {
        const summary = this.#guarded(() => conversationSummary(run, found));
        if (hasLevels(summary.variant, filter.variant)) yield summary;
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PORTION) return;
      [position, after] = [last.position, last.id];
    }
  }

  /** What is appended while they are read is not among them. */
  *events(run: string, conversation?: string | null): Generator<RunEvent> {
    const runId = this.idOf(run);
    if (runId === undefined) return;
    if (conversation === null) {
      yield* this.#decoded(this.#rowsOf("run = ? AND event.conversation IS NULL", runId));
      return;
    }
    if (conversation === undefined) {
      yield* this.#decoded(this.#rowsOfRun(runId));
      return;
    }
    const key = conversationKey(conversation);
    const id = this.#conversationId(runId, key);
    if (id !== undefined) yield* this.#decoded(this.#rowsOf("conversation = ?", id, key), key);
  }

  #conversationId(run: number, key: string): number | undefined {
    const sql = "SELECT id FROM conversation WHERE run = ? AND name = ?";
    return this.#guarded(() => this.#database.value<number>(sql, run, key));
  }

  *#decoded(rows: Iterable<EventValues>, key?: string): Generator<RunEvent> {
    for (const [, type, turn, at, data, conversation = key ?? null] of rows)
      yield this.#guarded(() => decodeEvent({ type, turn, at, data, conversation }, this.#texts.valueOf));
  }

  /** Without the key of their conversation, if it is given: to look for it again would take a third of the time. */
  *#rowsOf(condition: string, owner: number, key?: string): Generator<EventValues> {
    const from = key === undefined ? WITH_NAMES : `${EVENT_COLUMNS} FROM event`;
    const sql = `SELECT ${from} WHERE event.${condition} AND event.id > ? AND event.id <= ? ORDER BY event.id LIMIT ${PORTION}`;
    let after = 0;
    let newest = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const rows = this.#guarded(() => this.#database.raw<EventValues>(sql, owner, after, newest));
      // Most conversations are one portion.
      if (after === 0 && rows.length === PORTION)
        newest = this.#all<{ id: number }>("SELECT max(id) AS id FROM event")[0]?.id ?? 0;
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PORTION) return;
      [after] = last;
    }
  }

  /** All events of a run. */
  *#rowsOfRun(run: number): Generator<EventValues> {
    const found = this.#guarded(() => this.#database.raw<readonly [number]>(EVENT_IDS, run, run));
    const ids = Float64Array.from(found, ([id]) => id).sort();
    const sql = `SELECT ${WITH_NAMES} WHERE event.id IN (SELECT value FROM json_each(?)) ORDER BY event.id`;
    for (let start = 0; start < ids.length; start += PORTION) {
      const portion = JSON.stringify([...ids.subarray(start, start + PORTION)]);
      yield* this.#guarded(() => this.#database.raw<EventValues>(sql, portion));
    }
  }

  /** The events of one type, which the query names: an index of labels is found by that. */
  *eventsOf(run: string, type: RunEvent["type"]): Generator<RunEvent> {
    const owner = this.idOf(run);
    if (owner === undefined) return;
    const rows = this.#all<EventColumns>(
      `SELECT event.type, event.turn, event.at, event.data, conversation.name AS conversation
       FROM event LEFT JOIN conversation ON conversation.id = event.conversation
       WHERE event.run = ? AND event.type = ${EVENT_CODES[type]} ORDER BY event.id`,
      owner,
    );
    for (const row of rows) yield this.#guarded(() => decodeEvent(row, this.#texts.valueOf));
  }

  /** The counts of the cells of a run, in the order of results. */
  tallies(run: number): readonly CellTally[] {
    const counts = this.#guarded(() => readTallies(this.#database, run));
    // What goes on is counted here.
    const sql = "SELECT id, name FROM conversation WHERE run = ? AND status IS NULL";
    for (const { id, name } of this.#all<{ id: number; name: string }>(sql, run)) {
      const folded = this.folded(id, name);
      counts.add(folded.cell, conversationCounts(folded));
    }
    return this.#guarded(() => counts.tallies());
  }

  /** The fold of the conversation in a row. */
  folded(id: number, conversation: string): Conversation {
    const folded = new Conversation(conversation);
    const key = conversationKey(conversation);
    for (const event of this.#decoded(this.#rowsOf("conversation = ?", id, key), key)) folded.apply(event);
    return folded;
  }

  #summary({ id, name, parent, tags, started_at, ended_at, start }: RunColumns): RunSummary {
    const counted = summaryOf(this.tallies(id));
    return this.#guarded(() => ({
      run: name,
      startedAt: started_at,
      endedAt: ended_at,
      // Written by `begin` from values of these types.
      start: decodeData(start, this.#texts.valueOf) as RunStart,
      parent,
      tags: JSON.parse(tags) as readonly string[],
      ...counted,
    }));
  }

  #all<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    return this.#guarded(() => this.#database.all<Row>(sql, ...values));
  }

  #guarded<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      throw storeError(error, this.#database.path);
    }
  }
}

function conversationSummary(run: string, columns: ConversationColumns): ConversationSummary {
  const { name, status, turns } = columns;
  return {
    run,
    conversation: name,
    ...cellSummary(cellOf(columns)),
    itemHash: columns.item_hash,
    // Written from an event's status.
    status: status as ConversationStatus | null,
    turnCount: turns,
    ...judgementsOf(columns),
    spending: spendingOf(columns),
  };
}
