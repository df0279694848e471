import { memoize } from "../../../core/lazy.ts";
import { endOfRun, isKept } from "../fold/run.ts";
import type { CellTally } from "../fold/tally.ts";
import type { Label, RunEvent, RunStart } from "../run-event.ts";
import { CallRows, CallTable, type CallTableParts, SharedRows } from "./call-table.ts";
import { ConversationTable, type LiveConversation } from "./conversation-table.ts";
import { conversationKey, encodeEvent } from "./encode-event.ts";
import { lastLabels } from "./labels.ts";
import { abandonedRuns, receivedRun, unfinishedName } from "./received-run.ts";
import { resultRows } from "./results.ts";
import { otherWriter, thisWriter } from "./run-writer.ts";
import { readScores } from "./scores.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { PROJECT, SqliteRows } from "./sqlite-rows.ts";
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
  StoreSize,
} from "./store.ts";
import { noConversation, StoreError, storeError } from "./store-error.ts";
import { StoreReader } from "./store-reader.ts";
import { encodeData } from "./text-codec.ts";
import { TextTable } from "./text-table.ts";

/** A store in a database. */
export class SqlStore implements Store {
  readonly calls: CallTable;
  readonly #database: SqliteDatabase;
  readonly #writer: SqliteWriter;
  readonly #conversations: ConversationTable;
  readonly #reader: StoreReader;
  readonly #callParts: CallTableParts;
  /** By the row of their run. */
  readonly #runCalls = new Map<number, CallRows>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
    const texts = new TextTable(database);
    this.#reader = new StoreReader(database, texts);
    this.#conversations = new ConversationTable(database, this.#reader);
    const shared = new SharedRows(database, texts);
    this.#writer = new SqliteWriter(database, new SqliteRows(database), {
      onForeignChange: () => shared.forget(),
      beforeCommit: (rows) => this.#conversations.save(rows),
    });
    this.#callParts = { database, writer: this.#writer, texts, shared };
    this.calls = new CallTable(this.#callParts);
  }

  callsOf(run: string): RunCalls {
    const id = this.#existing(run);
    return memoize(this.#runCalls, id, () => new CallRows(this.#callParts, id));
  }

  begin(start: RunStart & { readonly at: number }, options: { readonly parent?: string } = {}): RunJournal {
    const id = this.#insertRun(start.run, start, options);
    this.#conversations.knowsAll(id);
    const journal = this.#journal(id);
    journal.append(start);
    return journal;
  }

  receive(
    start: RunStart & { readonly at: number },
    options: { readonly parent?: string } = {},
  ): ReceivedRun {
    for (const id of this.#guarded(() => abandonedRuns(this.#database))) this.#remove(id);
    const id = this.#insertRun(unfinishedName(), start, options);
    this.#conversations.knowsAll(id);
    const journal = this.#journal(id);
    journal.append(start);
    return receivedRun({
      id,
      journal,
      calls: new CallRows(this.#callParts, id),
      database: this.#database,
      writer: this.#writer,
      discard: () => this.#remove(id),
    });
  }

  #insertRun(
    name: string,
    { at, ...start }: RunStart & { readonly at: number },
    { parent = null }: { readonly parent?: string | null },
  ): number {
    const { path } = this.#database;
    const encoded = encodeData(start);
    return this.#writer.now((rows) => {
      if (this.#reader.idOf(name) !== undefined)
        throw new StoreError("run_exists", `There is a run "${name}" already. Choose another name.`, {
          path,
        });
      const sql =
        "INSERT INTO run (name, parent, started_at, writer, start) VALUES (?, ?, ?, ?, ?) RETURNING id";
      const values = [name, parent, at, thisWriter(), rows.texts(encoded)];
      // `RETURNING` gives the row.
      return this.#database.value<number>(sql, ...values) as number;
    });
  }

  reopen(run: string, { isShared = false }: { readonly isShared?: boolean } = {}): RunJournal {
    const id = this.#existing(run);
    this.#conversations.sharesAll(id);
    if (isShared) return this.#journal(id);
    const { path } = this.#database;
    this.#writer.now(() => {
      const written = this.#database.value<string | null>("SELECT writer FROM run WHERE id = ?", id);
      const other = otherWriter(written ?? null);
      if (other !== null) {
        const advice = "Wait for it to end, or stop it, and try again.";
        throw new StoreError("in_use", `The run "${run}" is being written by process ${other}. ${advice}`, {
          path,
        });
      }
      const sql = "UPDATE run SET ended_at = NULL, writer = ? WHERE id = ?";
      this.#database.run(sql, thisWriter(), id);
    });
    return this.#journal(id);
  }

  runs(): readonly RunSummary[] {
    return this.#current().runs();
  }

  run(name: string): RunSummary | undefined {
    return this.#current().run(name);
  }

  *conversations(run: string, filter?: ConversationFilter): Generator<ConversationSummary> {
    yield* this.#current().conversations(run, filter);
  }

  *events(run: string, conversation?: string | null): Generator<RunEvent> {
    yield* this.#current().events(run, conversation);
  }

  *scores(run: string, options: ScoreOptions = {}): Generator<ConversationScore> {
    const id = this.#current().idOf(run);
    if (id === undefined) return;
    try {
      yield* readScores(this.#database, id, options);
    } catch (error) {
      throw storeError(error, this.#database.path);
    }
  }

  results(run: string): readonly ResultRow[] {
    return resultRows(this.tallies(run));
  }

  tallies(run: string): readonly CellTally[] {
    const reader = this.#current();
    const id = reader.idOf(run);
    return id === undefined ? [] : reader.tallies(id);
  }

  label(run: string, labels: readonly Omit<Label, "type">[]): void {
    const id = this.#existing(run);
    this.#writer.now((rows) => {
      for (const label of labels) {
        const sql = "SELECT id FROM conversation WHERE run = ? AND name = ?";
        const conversation = this.#database.value<number>(sql, id, conversationKey(label.conversation));
        if (conversation === undefined) throw noConversation(run, label.conversation);
        const { type, turn, at, ...encoded } = encodeEvent({ type: "label", ...label, at: label.when });
        rows.event({ run: id, conversation, type, turn, at, json: rows.texts(encoded) });
      }
    });
  }

  labels(run: string): readonly Label[] {
    const reader = this.#current();
    return lastLabels(reader.eventsOf(run, "label"));
  }

  tag(run: string, tags: readonly string[]): void {
    const id = this.#existing(run);
    const sql = "UPDATE run SET tags = ? WHERE id = ?";
    this.#writer.now(() => this.#database.run(sql, JSON.stringify([...new Set(tags)]), id));
  }

  delete(run: string): void {
    this.#remove(this.#existing(run));
  }

  compact({ callsBefore }: { readonly callsBefore?: number } = {}): void {
    this.#writer.now(() => {
      for (const id of abandonedRuns(this.#database)) this.#removeRows(id);
      if (callsBefore !== undefined)
        this.#database.run(`DELETE FROM call WHERE run = ${PROJECT} AND kept_at < ?`, callsBefore);
      for (const sql of REMOVE_UNUSED) this.#database.run(sql);
      this.#database.removeUnusedTexts();
      this.#database.run("DELETE FROM meta WHERE key = 'unused'");
    });
    this.#forget();
    this.#guarded(() => this.#database.vacuum());
  }

  size(): StoreSize {
    this.#current();
    return this.#guarded(() => {
      const count = (table: string): number =>
        this.#database.value<number>(`SELECT count(*) FROM ${table}`) ?? 0;
      // Nothing is looked through if nothing was ever removed.
      const hasUnused = this.#database.value("SELECT 1 FROM meta WHERE key = 'unused'") !== undefined;
      return {
        bytes: this.#database.bytes(),
        runs: count("run"),
        conversations: count("conversation"),
        events: count("event"),
        calls: this.calls.size,
        texts: count("text"),
        unusedTexts: hasUnused ? this.#database.countUnusedTexts() : 0,
      };
    });
  }

  close(): void {
    if (!this.#database.isOpen) return;
    const left = this.#writer.finish();
    this.#guarded(() => this.#database.close());
    if (left !== undefined) throw left;
  }

  #remove(id: number): void {
    this.#writer.now(() => {
      this.#removeRows(id);
      this.#database.run(MARK_UNUSED);
    });
    this.#conversations.forget(id);
    this.#runCalls.delete(id);
    this.#forget();
  }

  /** What has no foreign key to its run goes first. */
  #removeRows(run: number): void {
    for (const sql of REMOVE_RUN) this.#database.run(sql, run);
  }

  #journal(run: number): RunJournal {
    return {
      append: (event) => {
        if (!isKept(event) || this.#writer.isBroken) return;
        const encoded = encodeEvent(event);
        const name = "conversation" in event ? event.conversation : undefined;
        const live = name === undefined ? null : this.#live(run, name);
        live?.folded.apply(event);
        const { type, turn, at } = encoded;
        const isEnd = endOfRun(event) !== undefined;
        this.#writer.add((rows) => {
          const json = rows.texts(encoded);
          const conversation = live === null ? null : this.#conversations.changedRow(live, rows);
          rows.event({ run, conversation, type, turn, at, json });
          if (isEnd) rows.endRun(run, at);
        });
      },
      durable: () => this.#writer.durable(),
    };
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
  #current(): StoreReader {
    this.#writer.flush();
    return this.#reader;
  }

  #existing(run: string): number {
    const id = this.#current().idOf(run);
    if (id !== undefined) return id;
    throw new StoreError("no_run", `There is no run "${run}" in the store.`, { path: this.#database.path });
  }

  #forget(): void {
    this.#writer.forget();
    this.#callParts.shared.forget();
  }

  #guarded<Result>(action: () => Result): Result {
    try {
      return action();
    } catch (error) {
      throw storeError(error, this.#database.path);
    }
  }
}

const MARK_UNUSED =
  "INSERT INTO meta (key, value) VALUES ('unused', '1') ON CONFLICT (key) DO UPDATE SET value = excluded.value";

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
