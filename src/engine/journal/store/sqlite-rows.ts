import type BetterSqlite3 from "better-sqlite3";
import { lazy } from "../../../core/lazy.ts";
import { type CountKind, type PlacedCounts, variantKey } from "../fold/tally.ts";
import { type Column, PLACE, SAVED, TURN } from "./conversation-columns.ts";
import type { StoredLink } from "./message-chains.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { deletedRun } from "./store-error.ts";
import { BROWSING_INDEXES, MANY_CONVERSATIONS } from "./store-schema.ts";
import { isShortName, MOST_NAMES, otherName } from "./tally-table.ts";
import type { EncodedData } from "./text-codec.ts";

const MOST_KNOWN = 20_000;
const MOST_SETTINGS = 1000;

type Statement<Result = unknown> = BetterSqlite3.Statement<unknown[], Result>;

/** An event as a row. */
interface EventRow {
  readonly run: number;
  /** The row of its conversation. */
  readonly conversation: number | null;
  readonly type: number;
  readonly turn: number | null;
  readonly at: number;
  readonly json: string;
}

/** Settings as they are stored, once for all calls that have them. */
export interface EncodedSettings {
  readonly name: string;
  readonly hash: string;
  readonly data: EncodedData;
}

/** An answered call as a row. */
export interface CallRow {
  /** The run that it came with from elsewhere, or `PROJECT`. */
  readonly run: number;
  readonly identity: string;
  readonly purpose: string;
  readonly settings: EncodedSettings;
  readonly messages: StoredLink | null;
  readonly replicate: number;
  readonly seed: number;
  readonly answer: EncodedData;
  readonly at: number;
}

/** In place of a run: the calls of the project. */
export const PROJECT = 0;

/** The key of a call: a hash takes half the space as bytes. */
export function identityKey(identity: string): string | Uint8Array {
  return /^[0-9a-f]{64}$/.test(identity) ? Buffer.from(identity, "hex") : identity;
}

/** Writes the rows of a group into a file, within its transaction. */
export class SqliteRows {
  readonly #database: SqliteDatabase;
  /** Prepared when something is written. */
  readonly #sql: () => ReturnType<typeof writingStatements>;
  readonly #counting: () => ReturnType<typeof countingStatements>;
  /** Hashes of texts that are in the file for certain; the same for settings, messages and cells, with their rows. */
  readonly #texts = new Set<string>();
  readonly #settings = new Map<string, number>();
  #messages = new WeakMap<StoredLink, number>();
  readonly #cells = new Map<string, { readonly id: number; position: number }>();
  /** True if the file has the indexes of one with many conversations; nobody removes them. */
  #hasIndexes = false;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#sql = lazy(() => writingStatements(database));
    this.#counting = lazy(() => countingStatements(database));
  }

  /** Writes the texts of some data, and gives its JSON. */
  texts({ json, texts }: EncodedData): string {
    for (const [hash, value] of texts) {
      if (this.#texts.has(hash)) continue;
      this.#sql().text.run(hash, value);
      if (this.#texts.size >= MOST_KNOWN) this.#texts.clear();
      this.#texts.add(hash);
    }
    return json;
  }

  event({ run, conversation, type, turn, at, json }: EventRow): void {
    this.#sql().event.run(run, conversation, type, turn, at, json);
  }

  call({ run, identity, purpose, settings, messages, replicate, seed, answer, at }: CallRow): void {
    const sql = this.#sql();
    const setting = this.#settingId(settings);
    const values = [purpose, setting, this.#messageId(messages), replicate, seed, this.texts(answer), at];
    const key = [run, identityKey(identity)];
    if (sql.insertCall.run(...key, ...values).changes > 0) return;
    sql.replaceCall.run(...values, ...key);
    sql.markUnused.run();
  }

  /** Makes the row of a conversation, and gives its id. */
  newConversation(run: number, name: string, columns: readonly Column[]): number {
    const id = Number(this.#sql().newConversation.run(run, name, ...columns).lastInsertRowid);
    if (id >= MANY_CONVERSATIONS && !this.#hasIndexes) {
      for (const sql of BROWSING_INDEXES) this.#database.run(sql);
      this.#hasIndexes = true;
    }
    return id;
  }

  /** What a conversation has come to. Fails if its run was deleted. */
  saveConversation(id: number, columns: readonly Column[]): void {
    if (this.#sql().saveConversation.run(...columns, id).changes === 0) throw deletedRun(this.#database.path);
  }

  placeConversation(id: number, columns: readonly Column[]): void {
    this.#sql().placeConversation.run(...columns, id);
  }

  endConversation(id: number, status: string | null): void {
    this.#sql().endConversation.run(status, id);
  }

  /** Null to remove it. */
  turn(conversation: number, turn: number, columns: readonly Column[] | null): void {
    if (columns === null) this.#sql().dropTurn.run(conversation, turn);
    else this.#sql().turn.run(conversation, turn, ...columns);
  }

  /** Null to remove it. */
  outcome(conversation: number, name: string, columns: readonly Column[] | null): void {
    if (columns === null) this.#sql().dropOutcome.run(conversation, name);
    else this.#sql().outcome.run(conversation, name, ...columns);
  }

  /** Adds to the counts of a cell. */
  counts(run: number, key: string, placed: PlacedCounts): void {
    const cell = this.#cellId(run, key, placed);
    for (const entry of placed.counts.entries()) this.#addCount(cell, entry);
  }

  /** Fails if the run was deleted. */
  endRun(run: number, at: number): void {
    if (this.#sql().endRun.run(at, run).changes === 0) throw deletedRun(this.#database.path);
  }

  /** Nothing is certain to be there any more. */
  forget(): void {
    this.#texts.clear();
    this.#settings.clear();
    this.#messages = new WeakMap();
    this.#cells.clear();
  }

  /** The row of some settings; made if it is new. */
  #settingId({ name, hash, data }: EncodedSettings): number {
    let id = this.#settings.get(hash) ?? this.#sql().settingId.get(hash);
    id ??= Number(this.#sql().setting.run(hash, name, this.texts(data)).lastInsertRowid);
    if (this.#settings.size >= MOST_SETTINGS) this.#settings.clear();
    this.#settings.set(hash, id);
    return id;
  }

  /** The row of a list of messages; only the messages that are new are written. */
  #messageId(last: StoredLink | null): number | null {
    const missing: StoredLink[] = [];
    let id: number | null = null;
    for (let link = last; link !== null; link = link.previous) {
      const known = this.#messages.get(link) ?? this.#sql().messageId.get(link.hash);
      if (known === undefined) {
        missing.push(link);
        continue;
      }
      this.#messages.set(link, known);
      id = known;
      break;
    }
    for (const link of missing.reverse()) {
      const json = this.texts(link.data);
      id = Number(this.#sql().message.run(link.hash, id, json).lastInsertRowid);
      this.#messages.set(link, id);
    }
    return id;
  }

  #cellId(run: number, key: string, { cell, position }: PlacedCounts): number {
    const known = this.#cells.get(`${run} ${key}`);
    if (known !== undefined && known.position <= position) return known.id;
    const { scenario, subject, judge, variant, arm } = cell;
    const values = [run, scenario, subject, judge, variantKey(variant), arm ?? "", position];
    // `RETURNING` gives the row, new or not.
    const { id } = this.#counting().cell.get(...values) as { readonly id: number };
    this.#cells.set(`${run} ${key}`, { id, position });
    return id;
  }

  #addCount(cell: number, [kind, name, value, count]: readonly [CountKind, string, string, number]): void {
    if (count === 0) return;
    const { add, increase, drop, names } = this.#counting();
    const most = MOST_NAMES[kind];
    if (most === undefined) add.run(cell, kind, name, value, count);
    else if (increase.run(count, cell, kind, name, value).changes === 0) {
      const isNamed = count > 0 && isShortName(name, value) && (names.get(cell, kind) ?? 0) < most;
      const [other, otherValue] = isNamed ? [name, value] : otherName(kind, name, value);
      add.run(cell, kind, other, otherValue, count);
    }
    if (count < 0) drop.run(cell, kind);
  }
}

const CALL = ["purpose", "setting", "messages", "replicate", "seed", "reply", "kept_at"];

function writingStatements(database: SqliteDatabase) {
  const prepare = <Result>(sql: string): Statement<Result> => database.prepare<Result>(sql);
  const marks = (count: number): string => Array(count).fill("?").join(", ");
  const set = (columns: readonly string[]): string => columns.map((name) => `${name} = ?`).join(", ");
  const excluded = (columns: readonly string[]): string =>
    columns.map((name) => `${name} = excluded.${name}`).join(", ");
  return {
    text: prepare("INSERT INTO text (hash, value) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"),
    event: prepare("INSERT INTO event (run, conversation, type, turn, at, data) VALUES (?, ?, ?, ?, ?, ?)"),
    newConversation: prepare(
      `INSERT INTO conversation (run, name, ${[...PLACE, ...SAVED].join(", ")}, status)
       VALUES (${marks(PLACE.length + SAVED.length + 3)})`,
    ),
    saveConversation: prepare(`UPDATE conversation SET ${set(SAVED)} WHERE id = ?`),
    placeConversation: prepare(`UPDATE conversation SET ${set(PLACE)} WHERE id = ?`),
    endConversation: prepare("UPDATE conversation SET status = ? WHERE id = ?"),
    turn: prepare(
      `INSERT INTO turn (conversation, turn, ${TURN.join(", ")}) VALUES (${marks(TURN.length + 2)})
       ON CONFLICT DO UPDATE SET ${excluded(TURN)}`,
    ),
    dropTurn: prepare("DELETE FROM turn WHERE conversation = ? AND turn = ?"),
    outcome: prepare(
      `INSERT INTO outcome (conversation, name, kind, value, status) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET ${excluded(["kind", "value", "status"])}`,
    ),
    dropOutcome: prepare("DELETE FROM outcome WHERE conversation = ? AND name = ?"),
    endRun: prepare("UPDATE run SET ended_at = ?, writer = NULL WHERE id = ?"),
    settingId: prepare<number>("SELECT id FROM setting WHERE hash = ?").pluck(),
    setting: prepare("INSERT INTO setting (hash, name, data) VALUES (?, ?, ?)"),
    messageId: prepare<number>("SELECT id FROM message WHERE hash = ?").pluck(),
    message: prepare("INSERT INTO message (hash, previous, data) VALUES (?, ?, ?)"),
    insertCall: prepare(
      `INSERT INTO call (run, identity, ${CALL.join(", ")}) VALUES (${marks(CALL.length + 2)}) ON CONFLICT DO NOTHING`,
    ),
    replaceCall: prepare(`UPDATE call SET ${set(CALL)} WHERE run = ? AND identity = ?`),
    markUnused: prepare(
      "INSERT INTO meta (key, value) VALUES ('unused', 1) ON CONFLICT DO UPDATE SET value = 1",
    ),
  };
}

function countingStatements(database: SqliteDatabase) {
  const prepare = <Result>(sql: string): Statement<Result> => database.prepare<Result>(sql);
  return {
    cell: prepare(
      `INSERT INTO cell (run, scenario, subject, judge, variant, arm, position) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET position = min(position, excluded.position) RETURNING id`,
    ),
    add: prepare(
      `INSERT INTO tally (cell, kind, name, value, count) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (cell, kind, name, value) DO UPDATE SET count = count + excluded.count`,
    ),
    increase: prepare(
      "UPDATE tally SET count = count + ? WHERE cell = ? AND kind = ? AND name = ? AND value = ?",
    ),
    drop: prepare("DELETE FROM tally WHERE cell = ? AND kind = ? AND count = 0"),
    names: prepare<number>("SELECT count(*) FROM tally WHERE cell = ? AND kind = ?").pluck(),
  };
}
