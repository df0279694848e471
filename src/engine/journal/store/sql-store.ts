import { memoize } from "../../../core/lazy.ts";
import { endOfRun, isKept } from "../fold/run.ts";
import type { CellTally } from "../fold/tally.ts";
import type { Label, RunEvent, RunStart } from "../run-event.ts";
import { CallTable, PROJECT, RequestTable } from "./call-table.ts";
import { ConversationTable, type LiveConversation } from "./conversation-table.ts";
import { encodeEvent } from "./encode-event.ts";
import { resultRows } from "./results.ts";
import { otherWriter, thisWriter } from "./run-writer.ts";
import { readScores } from "./scores.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { SqliteWriter } from "./sqlite-writer.ts";
import type {
  ConversationFilter,
  ConversationScore,
  ConversationSummary,
  ReceivedRun,
  ResultRow,
  RunCalls,
  RunJournal,
  RunSummary,
  ScoreOptions,
  Store,
} from "./store.ts";
import { deletedRun, noConversation, runExists, StoreError, storeError } from "./store-error.ts";
import { StoreReader, UNFINISHED } from "./store-reader.ts";
import { encodeData, TextTable } from "./text-codec.ts";

/** A store in a database. */
export class SqlStore implements Store {
  readonly calls: CallTable;
  readonly #database: SqliteDatabase;
  readonly #writer: SqliteWriter;
  readonly #conversations: ConversationTable;
  readonly #reader: StoreReader;
  readonly #texts: TextTable;
  readonly #requests: RequestTable;
  /** By the row of their run. */
  readonly #runCalls = new Map<number, CallTable>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#texts = new TextTable(database);
    this.#reader = new StoreReader(database, this.#texts);
    this.#conversations = new ConversationTable(database, this.#reader);
    this.#writer = new SqliteWriter(database, () => this.#conversations.save());
    this.#requests = new RequestTable(database, this.#texts);
    this.calls = this.#callsOf(PROJECT);
  }

  callsOf(run: string): RunCalls {
    return this.#callsOf(this.#existing(run));
  }

  #callsOf(run: number): CallTable {
    return memoize(this.#runCalls, run, () => new CallTable(this.#requests, this.#writer, run));
  }

  begin(start: RunStart & { readonly at: number }, options: { readonly parent?: string } = {}): RunJournal {
    return this.#begin(start.run, start, options).journal;
  }

  /** Until it is whole, the run has a name that readers do not see. */
  receive(
    start: RunStart & { readonly at: number },
    options: { readonly parent?: string } = {},
  ): ReceivedRun {
    this.#writer.now(() => this.#removeAbandoned());
    const { id, journal } = this.#begin(`${UNFINISHED}${crypto.randomUUID()}`, start, options);
    const calls = this.#callsOf(id);
    return {
      ...journal,
      keep: (call) => calls.keep(call),
      finish: ({ run, tags, endedAt, sharesCalls }) =>
        this.#writer.now(() => {
          if (this.#reader.idOf(run) !== undefined) throw runExists(run, this.#database.path);
          // What the project knows already stays.
          if (sharesCalls) this.#database.run(SHARE_CALLS, id);
          const writing = endedAt === null ? thisWriter() : null;
          const columns = { name: run, tags: tagsText(tags), ended_at: endedAt, writer: writing };
          this.#database.update("run", id, columns);
        }),
      discard: () => this.#remove(id),
    };
  }

  #begin(
    name: string,
    start: RunStart & { readonly at: number },
    { parent = null }: { readonly parent?: string | null },
  ): { readonly id: number; readonly journal: RunJournal } {
    const { at, ...data } = start;
    const encoded = encodeData(data);
    const id = this.#writer.now(() => {
      if (this.#reader.idOf(name) !== undefined) throw runExists(name, this.#database.path);
      const written = this.#texts.write(encoded);
      return this.#database.insert("run", {
        ...{ name, parent, started_at: at, writer: thisWriter(), start: written },
      });
    });
    const journal = this.#journal(id);
    journal.append(start);
    return { id, journal };
  }

  reopen(run: string, { isShared = false }: { readonly isShared?: boolean } = {}): RunJournal {
    const id = this.#existing(run);
    if (isShared) return this.#journal(id);
    this.#writer.now(() => {
      const written = this.#database.value<string | null>("SELECT writer FROM run WHERE id = ?", id);
      const other = otherWriter(written ?? null);
      if (other !== null) {
        const advice = "Wait for it to end, or stop it, and try again.";
        const message = `The run "${run}" is being written by process ${other}. ${advice}`;
        throw new StoreError("in_use", message, { path: this.#database.path });
      }
      this.#database.update("run", id, { ended_at: null, writer: thisWriter() });
    });
    return this.#journal(id);
  }

  runs(): readonly RunSummary[] {
    return this.#read((reader) => reader.runs());
  }

  run(name: string): RunSummary | undefined {
    return this.#read((reader) => reader.run(name));
  }

  conversations(run: string, filter?: ConversationFilter): Generator<ConversationSummary> {
    return this.#readEach((reader) => reader.conversations(run, filter));
  }

  events(run: string, conversation?: string | null): Generator<RunEvent> {
    return this.#readEach((reader) => reader.events(run, conversation));
  }

  scores(run: string, options: ScoreOptions = {}): Generator<ConversationScore> {
    return this.#readEach((reader) => readScores(this.#database, reader.idOf(run) ?? -1, options));
  }

  results(run: string): readonly ResultRow[] {
    return resultRows(this.tallies(run));
  }

  tallies(run: string): readonly CellTally[] {
    return this.#read((reader) => reader.tallies(reader.idOf(run) ?? -1));
  }

  label(run: string, labels: readonly Omit<Label, "type">[]): void {
    const id = this.#existing(run);
    this.#writer.now(() => {
      for (const label of labels) {
        const conversation = this.#reader.conversationId(id, label.conversation);
        if (conversation === undefined) throw noConversation(run, label.conversation);
        this.#writeEvent(id, conversation, encodeEvent({ type: "label", ...label, at: label.when }));
      }
    });
  }

  labels(run: string): readonly Label[] {
    return this.#read((reader) => reader.labels(reader.idOf(run) ?? -1));
  }

  tag(run: string, tags: readonly string[]): void {
    const id = this.#existing(run);
    this.#writer.now(() => this.#database.update("run", id, { tags: tagsText(tags) }));
  }

  delete(run: string): void {
    this.#remove(this.#existing(run));
  }

  compact({ callsBefore }: { readonly callsBefore?: number } = {}): void {
    this.#writer.now(() => {
      this.#removeAbandoned();
      if (callsBefore !== undefined)
        this.#database.run(`DELETE FROM call WHERE run = ${PROJECT} AND kept_at < ?`, callsBefore);
      for (const sql of REMOVE_UNUSED) this.#database.run(sql);
      this.#texts.removeUnused();
    });
    this.#database.vacuum();
  }

  close(): void {
    if (!this.#database.connection.open) return;
    const left = this.#writer.finish();
    this.#database.close();
    if (left !== undefined) throw left;
  }

  #remove(id: number): void {
    this.#writer.now(() => this.#removeRows(id));
    this.#conversations.forget(id);
    this.#runCalls.delete(id);
  }

  /** What has no foreign key to its run goes first. */
  #removeRows(run: number): void {
    for (const sql of REMOVE_RUN) this.#database.run(sql, run);
  }

  /** Received runs that were never finished, because their process is gone. */
  #removeAbandoned(): void {
    const sql = "SELECT id, writer FROM run WHERE substr(name, 1, length(?)) = ?";
    const rows = this.#database.all<{ readonly id: number; readonly writer: string | null }>(
      sql,
      UNFINISHED,
      UNFINISHED,
    );
    for (const { id, writer } of rows)
      if (otherWriter(writer) === null && writer !== thisWriter()) this.#removeRows(id);
  }

  #journal(run: number): RunJournal {
    return {
      append: (event) => {
        if (!isKept(event) || this.#writer.isBroken) return;
        const encoded = encodeEvent(event);
        const name = "conversation" in event ? event.conversation : undefined;
        const live = name === undefined ? null : this.#live(run, name);
        live?.folded.apply(event);
        const endedAt = endOfRun(event);
        this.#writer.add(() => {
          const conversation = live === null ? null : this.#conversations.changedRow(live);
          this.#writeEvent(run, conversation, encoded);
          if (endedAt === undefined) return;
          const changed = this.#database.update("run", run, { ended_at: endedAt, writer: null });
          if (changed === 0) throw deletedRun(this.#database.path);
        });
      },
      durable: () => this.#writer.durable(),
    };
  }

  #writeEvent(run: number, conversation: number | null, encoded: ReturnType<typeof encodeEvent>): void {
    const { type, turn, at } = encoded;
    this.#database.run(ADD_EVENT, run, conversation, type, turn, at, this.#texts.write(encoded));
  }

  /** An error is reported when the caller asks what is durable. */
  #live(run: number, conversation: string): LiveConversation | null {
    try {
      return this.#conversations.live(run, conversation);
    } catch (error) {
      this.#writer.break(error);
      return null;
    }
  }

  /** What is read must have been written. */
  #read<Result>(read: (reader: StoreReader) => Result): Result {
    this.#writer.flush();
    return this.#database.guarded(() => read(this.#reader));
  }

  *#readEach<Item>(read: (reader: StoreReader) => Iterable<Item>): Generator<Item> {
    this.#writer.flush();
    try {
      yield* read(this.#reader);
    } catch (error) {
      throw storeError(error, this.#database.path);
    }
  }

  #existing(run: string): number {
    const id = this.#read((reader) => reader.idOf(run));
    if (id !== undefined) return id;
    throw new StoreError("no_run", `There is no run "${run}" in the store.`, { path: this.#database.path });
  }
}

function tagsText(tags: readonly string[]): string {
  return JSON.stringify([...new Set(tags)]);
}

const ADD_EVENT = "INSERT INTO event (run, conversation, type, turn, at, data) VALUES (?, ?, ?, ?, ?, ?)";

const CALL = "identity, purpose, setting, messages, replicate, seed, reply, kept_at";
const SHARE_CALLS = `INSERT INTO call (run, ${CALL}) SELECT ${PROJECT}, ${CALL} FROM call WHERE run = ? ORDER BY id
  ON CONFLICT DO NOTHING`;

const REMOVE_RUN: readonly string[] = [
  "DELETE FROM event WHERE conversation IN (SELECT id FROM conversation WHERE run = ?)",
  "DELETE FROM event WHERE run = ? AND conversation IS NULL",
  "DELETE FROM call WHERE run = ?",
  "DELETE FROM run WHERE id = ?",
];

/** Removes what nothing refers to, except texts. */
const REMOVE_UNUSED: readonly string[] = [
  "DELETE FROM event WHERE run NOT IN (SELECT id FROM run)",
  "DELETE FROM setting WHERE id NOT IN (SELECT setting FROM call)",
  `WITH RECURSIVE used (id) AS (
  SELECT messages FROM call WHERE messages IS NOT NULL
  UNION
  SELECT previous FROM used JOIN message ON message.id = used.id WHERE previous IS NOT NULL)
DELETE FROM message WHERE id NOT IN (SELECT id FROM used)`,
];
