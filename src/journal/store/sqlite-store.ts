import { memoize } from "../../core/lazy.ts";
import { endOfRun, isKept } from "../fold/run.ts";
import type { CellTally } from "../fold/tally.ts";
import type { Label, RunEvent, RunStart } from "../run-event.ts";
import { CallRows, CallTable, type CallTableParts, SharedRows } from "./call-table.ts";
import { ConversationTable, type LiveConversation } from "./conversation-table.ts";
import { conversationKey, type EncodedRow, encodeEvent } from "./encode-event.ts";
import { GroupWriter } from "./group-writer.ts";
import { lastLabels } from "./labels.ts";
import { type OpenDatabase, otherWriter, retryWhileBusy, thisWriter } from "./open-database.ts";
import { resultRows } from "./results.ts";
import { readScores } from "./scores.ts";
import type {
  ConversationFilter,
  ConversationScore,
  ConversationSummary,
  ResultRow,
  RunCalls,
  RunJournal,
  RunSummary,
  ScoreOptions,
  Store,
  StoreSize,
} from "./store.ts";
import { deletedRun, noConversation, StoreError, storeError } from "./store-error.ts";
import { StoreReader } from "./store-reader.ts";
import { TallyTable } from "./tally-table.ts";
import { encodeData, textsIn } from "./text-codec.ts";
import { TextTable } from "./text-table.ts";

/** A store in a file. */
export class SqliteStore implements Store {
  readonly calls: CallTable;
  readonly #open: OpenDatabase;
  readonly #writer: GroupWriter;
  readonly #texts: TextTable;
  readonly #conversations: ConversationTable;
  readonly #reader: StoreReader;
  readonly #tallies: TallyTable;
  readonly #callParts: CallTableParts;
  /** By the row of their run. */
  readonly #runCalls = new Map<number, CallRows>();

  constructor(open: OpenDatabase) {
    const { database, path } = open;
    this.#open = open;
    this.#texts = new TextTable(database, path);
    this.#reader = new StoreReader(database, path, this.#texts);
    this.#tallies = new TallyTable(database);
    this.#conversations = new ConversationTable({
      database,
      path,
      reader: this.#reader,
      tallies: this.#tallies,
    });
    this.#writer = new GroupWriter(open, {
      onForeignChange: () => this.#forget(),
      beforeCommit: () => this.#conversations.save(),
    });
    const shared = new SharedRows(database, this.#texts);
    this.#callParts = { database, path, writer: this.#writer, texts: this.#texts, shared };
    this.calls = new CallTable(this.#callParts);
  }

  callsOf(run: string): RunCalls {
    const id = this.#existing(run);
    // A file of an earlier version that is only read.
    if (this.#open.version < 4) return NO_CALLS;
    return this.#guarded(() =>
      memoize(this.#runCalls, id, () => new CallRows(this.#callParts, { table: "run_call", run: id })),
    );
  }

  begin(start: RunStart & { readonly at: number }, options: { readonly parent?: string } = {}): RunJournal {
    const { database, path } = this.#open;
    const { at, ...rest } = start;
    const encoded = encodeData(rest);
    const id = this.#writer.now(() => {
      if (this.#reader.idOf(start.run) !== undefined)
        throw new StoreError("run_exists", `There is a run "${start.run}" already. Choose another name.`, {
          path,
        });
      const sql = "INSERT INTO run (name, parent, started_at, writer, start) VALUES (?, ?, ?, ?, ?)";
      const json = this.#texts.write(encoded);
      const parent = options.parent ?? null;
      const { lastInsertRowid } = database.prepare(sql).run(start.run, parent, at, thisWriter(), json);
      return Number(lastInsertRowid);
    });
    const journal = this.#journal(id);
    journal.append(start);
    return journal;
  }

  reopen(run: string): RunJournal {
    const id = this.#existing(run);
    const { database, path } = this.#open;
    this.#writer.now(() => {
      const writer = database
        .prepare<[number], string | null>("SELECT writer FROM run WHERE id = ?")
        .pluck()
        .get(id);
      const pid = otherWriter(writer ?? null);
      if (pid !== null) {
        const advice = "Wait for it to end, or stop it, and try again.";
        throw new StoreError("in_use", `The run "${run}" is being written by process ${pid}. ${advice}`, {
          path,
        });
      }
      database.prepare("UPDATE run SET ended_at = NULL, writer = ? WHERE id = ?").run(thisWriter(), id);
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
      yield* readScores(this.#open.database, id, options);
    } catch (error) {
      throw storeError(error, this.#open.path);
    }
  }

  *rows(run: string, conversation: string): Generator<EncodedRow> {
    yield* this.#current().rows(run, conversation);
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
    const { database } = this.#open;
    this.#writer.now(() => {
      const find = database
        .prepare<[number, string], number>("SELECT id FROM conversation WHERE run = ? AND name = ?")
        .pluck();
      const insert = database.prepare(
        "INSERT INTO event (run, conversation, type, turn, at, data) VALUES (?, ?, ?, ?, ?, ?)",
      );
      for (const label of labels) {
        const conversation = find.get(id, conversationKey(label.conversation));
        if (conversation === undefined) throw noConversation(run, label.conversation);
        const { type, turn, at, ...encoded } = encodeEvent({ type: "label", ...label, at: label.when });
        insert.run(id, conversation, type, turn, at, this.#texts.write(encoded));
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
    this.#writer.now(() => this.#open.database.prepare(sql).run(JSON.stringify([...new Set(tags)]), id));
  }

  delete(run: string): void {
    const { database } = this.#open;
    const id = this.#existing(run);
    this.#writer.now(() => {
      database.prepare("DELETE FROM event WHERE run = ?").run(id);
      database.prepare("DELETE FROM run WHERE id = ?").run(id);
      database.exec("INSERT INTO meta (key, value) VALUES ('unused', 1) ON CONFLICT DO UPDATE SET value = 1");
    });
    this.#conversations.forget(id);
    this.#runCalls.delete(id);
    this.#forget();
  }

  compact(options: { readonly callsBefore?: number } = {}): void {
    const { database, lockTimeoutMs } = this.#open;
    this.#writer.now(() => removeUnused(database, options.callsBefore));
    this.#forget();
    this.#guarded(() => {
      retryWhileBusy(lockTimeoutMs, () => database.exec("VACUUM"));
      database.pragma("wal_checkpoint(TRUNCATE)");
    });
  }

  size(): StoreSize {
    this.#current();
    const { database, path } = this.#open;
    return this.#guarded(() => {
      const count = (table: string): number =>
        database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
      return {
        bytes: [path, `${path}-wal`].reduce((sum, file) => sum + bytesOf(file), 0),
        runs: count("run"),
        conversations: count("conversation"),
        events: count("event"),
        calls: count("call"),
        texts: count("text"),
        unusedTexts: countUnused(database),
      };
    });
  }

  close(): void {
    const { database } = this.#open;
    if (!database.open) return;
    const left = this.#writer.finish();
    this.#guarded(() => database.close());
    if (left !== undefined) throw left;
  }

  #journal(run: number): RunJournal {
    const { database } = this.#open;
    const insert = database.prepare(
      "INSERT INTO event (run, conversation, type, turn, at, data) VALUES (?, ?, ?, ?, ?, ?)",
    );
    const end = database.prepare("UPDATE run SET ended_at = ?, writer = NULL WHERE id = ?");
    return {
      append: (event) => {
        if (!isKept(event) || this.#writer.isBroken) return;
        const encoded = encodeEvent(event);
        const name = "conversation" in event ? event.conversation : undefined;
        const live = name === undefined ? null : this.#live(run, name);
        live?.folded.apply(event);
        const { type, turn, at } = encoded;
        const isEnd = endOfRun(event) !== undefined;
        this.#writer.add(() => {
          const json = this.#texts.write(encoded);
          if (live !== null) this.#conversations.touch(live);
          insert.run(run, live === null ? null : this.#conversations.idOf(live), type, turn, at, json);
          if (isEnd && end.run(at, run).changes === 0) throw deletedRun(this.#open.path);
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
    throw new StoreError("no_run", `There is no run "${run}" in the store.`, { path: this.#open.path });
  }

  #forget(): void {
    this.#texts.forget();
    this.#callParts.shared.forget();
    this.#tallies.forget();
  }

  #guarded<Result>(action: () => Result): Result {
    try {
      return action();
    } catch (error) {
      throw storeError(error, this.#open.path);
    }
  }
}

const NO_CALLS: RunCalls = Object.freeze({
  find: () => undefined,
  get: () => undefined,
  keep: () => {},
  size: 0,
});

function bytesOf(path: string): number {
  return process.getBuiltinModule("node:fs").statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

import type BetterSqlite3 from "better-sqlite3";

/** Where texts are referred to. */
const REFERRING: readonly (readonly [table: string, column: string])[] = [
  ["event", "data"],
  ["message", "data"],
  ["call", "reply"],
  ["run_call", "reply"],
  ["setting", "data"],
  ["run", "start"],
];

const PORTION = 1000;

/** Removes what nothing refers to; called within a transaction. */
export function removeUnused(database: BetterSqlite3.Database, callsBefore: number | undefined): void {
  if (callsBefore !== undefined) database.prepare("DELETE FROM call WHERE kept_at < ?").run(callsBefore);
  database.exec(`
DELETE FROM event WHERE run NOT IN (SELECT id FROM run);
DELETE FROM setting WHERE id NOT IN (SELECT setting FROM call UNION SELECT setting FROM run_call);
WITH RECURSIVE used (id) AS (
  SELECT messages FROM (SELECT messages FROM call UNION SELECT messages FROM run_call) WHERE messages IS NOT NULL
  UNION
  SELECT previous FROM used JOIN message ON message.id = used.id WHERE previous IS NOT NULL)
DELETE FROM message WHERE id NOT IN (SELECT id FROM used);`);
  collectUsed(database);
  database.exec(`
DELETE FROM text WHERE hash NOT IN (SELECT hash FROM temp.used);
DROP TABLE temp.used;
DELETE FROM meta WHERE key = 'unused';`);
}

/** How many texts nothing refers to. Nothing is looked through if nothing was ever removed. */
export function countUnused(database: BetterSqlite3.Database): number {
  if (database.prepare("SELECT 1 FROM meta WHERE key = 'unused'").get() === undefined) return 0;
  collectUsed(database);
  const sql = "SELECT count(*) FROM text WHERE hash NOT IN (SELECT hash FROM temp.used)";
  const count = database.prepare<[], number>(sql).pluck().get();
  database.exec("DROP TABLE temp.used");
  return count ?? 0;
}

/** A temporary table of the texts that are referred to, so that a store of any size fits in memory. */
function collectUsed(database: BetterSqlite3.Database): void {
  database.exec("CREATE TEMP TABLE used (hash TEXT PRIMARY KEY) WITHOUT ROWID");
  const use = database.prepare("INSERT INTO temp.used VALUES (?) ON CONFLICT DO NOTHING");
  for (const [table, column] of REFERRING) {
    const page = database.prepare<[number], { id: number; data: string }>(
      `SELECT id, ${column} AS data FROM ${table} WHERE id > ? ORDER BY id LIMIT ${PORTION}`,
    );
    for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? 0))
      for (const { data } of rows) for (const hash of textsIn(data)) use.run(hash);
  }
}
