import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import type { CallRequest, CallSettings, RecordedCall } from "../../models/cassette/recorded-call.ts";
import type { Message } from "../../models/message.ts";
import type { ModelReply } from "../../models/model.ts";
import { CallEncoder } from "./encode-call.ts";
import type { ChainLink } from "./message-chains.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { identityKey, PROJECT } from "./sqlite-rows.ts";
import type { SqliteWriter } from "./sqlite-writer.ts";
import type { CallStore, RunCalls } from "./store.ts";
import { storeError } from "./store-error.ts";
import { decodeData } from "./text-codec.ts";
import type { TextTable } from "./text-table.ts";

/** What the calls of a store are read and written with. */
export interface CallTableParts {
  readonly database: SqliteDatabase;
  readonly writer: SqliteWriter;
  readonly texts: TextTable;
  /** Settings and messages, which all calls share. */
  readonly shared: SharedRows;
}

/** Answered calls: those of the project, or those that came with a run from elsewhere. */
export class CallRows implements RunCalls {
  protected readonly parts: CallTableParts;
  readonly #run: number;
  /** Calls that are not in the store yet. */
  readonly #pending = new Map<string, ModelReply>();

  constructor(parts: CallTableParts, run: number) {
    this.parts = parts;
    this.#run = run;
  }

  get size(): number {
    this.parts.writer.flush();
    return this.reading(
      (database) => database.value<number>("SELECT count(*) FROM call WHERE run = ?", this.#run) ?? 0,
    );
  }

  find(identity: string): ModelReply | undefined {
    const pending = this.#pending.get(identity);
    if (pending !== undefined) return pending;
    return this.reading((database) => {
      const sql = "SELECT reply FROM call WHERE run = ? AND identity = ?";
      const reply = database.value<string>(sql, this.#run, identityKey(identity));
      return reply === undefined ? undefined : this.#reply(reply);
    });
  }

  get(identity: string): RecordedCall | undefined {
    this.parts.writer.flush();
    return this.reading((database) => {
      const sql = `${CALL} WHERE run = ? AND identity = ?`;
      const [found] = database.raw<CallColumns>(sql, this.#run, identityKey(identity));
      return found === undefined ? undefined : this.recorded(found);
    });
  }

  keep(call: RecordedCall): void {
    const { shared, writer } = this.parts;
    const encoded = shared.encoder.encode(call);
    // A reply that no store can hold is asked for again.
    if (encoded === undefined) return;
    const { kept, ...row } = encoded;
    const { identity } = call;
    this.#pending.set(identity, kept);
    writer.add((rows) => {
      rows.call({ ...row, run: this.#run });
      if (this.#pending.get(identity) === kept) this.#pending.delete(identity);
    });
  }

  protected recorded([key, purpose, messages, replicate, seed, reply, settings]: CallColumns): RecordedCall {
    const { shared } = this.parts;
    return {
      identity: typeof key === "string" ? key : Buffer.from(key).toString("hex"),
      purpose,
      request: { ...shared.settings(settings), messages: shared.messages(messages), replicate, seed },
      reply: this.#reply(reply),
    };
  }

  #reply(json: string): ModelReply {
    // Written by `keep`.
    return decodeData(json, this.parts.texts.valueOf) as ModelReply;
  }

  protected reading<Result>(read: (database: SqliteDatabase) => Result): Result {
    const { database } = this.parts;
    try {
      return read(database);
    } catch (error) {
      throw storeError(error, database.path);
    }
  }
}

/** The answered calls of the project. */
export class CallTable extends CallRows implements CallStore {
  constructor(parts: CallTableParts) {
    super(parts, PROJECT);
  }

  near(request: CallRequest, limit = 50): readonly RecordedCall[] {
    const { writer, shared } = this.parts;
    writer.flush();
    const link = shared.encoder.chain(request.messages);
    return this.reading((database) =>
      nearCalls(database, { link, name: request.name, limit }).flatMap((id) =>
        database.raw<CallColumns>(`${CALL} WHERE call.id = ?`, id).map((found) => this.recorded(found)),
      ),
    );
  }
}

/** A call with its settings, as a list of values, which is quicker to read than an object. */
type CallColumns = readonly [
  identity: string | Uint8Array,
  purpose: RecordedCall["purpose"],
  messages: number | null,
  replicate: number,
  seed: number,
  reply: string,
  settings: string,
];

const CALL = `SELECT identity, purpose, messages, replicate, seed, reply, setting.data
  FROM call JOIN setting ON setting.id = call.setting`;

const MOST_LISTS = 8;
const MOST_REMEMBERED = 64;

/** The settings and messages of calls, each stored once. */
export class SharedRows {
  readonly encoder: CallEncoder = new CallEncoder();
  readonly #database: SqliteDatabase;
  readonly #texts: TextTable;
  readonly #settings = new Map<string, CallSettings>();
  /** Lists that were read last: the next call of a conversation goes on from one, and only what it adds is read. */
  readonly #lists = new Map<number, readonly Message[]>();

  constructor(database: SqliteDatabase, texts: TextTable) {
    this.#database = database;
    this.#texts = texts;
  }

  /** The settings of their JSON; the same objects for the same JSON, as long as they are remembered. */
  settings(json: string): CallSettings {
    const known = this.#settings.get(json);
    if (known !== undefined) return known;
    // Written from settings.
    const settings = freezeDeep(decodeData(json, this.#texts.valueOf) as CallSettings);
    if (this.#settings.size >= MOST_REMEMBERED) this.#settings.clear();
    this.#settings.set(json, settings);
    return settings;
  }

  /** The messages of a list, by its last row. */
  messages(last: number | null): readonly Message[] {
    const added: Message[] = [];
    let at = last;
    while (at !== null && !this.#lists.has(at)) {
      const sql = "SELECT previous, data FROM message WHERE id = ?";
      const [found] = this.#database.raw<readonly [previous: number | null, data: string]>(sql, at);
      if (found === undefined) break;
      const [previous, data]: readonly [number | null, string] = found;
      // Written from messages. Frozen, it is not copied again.
      added.push(freezeDeep(decodeData(data, this.#texts.valueOf) as Message));
      // In a damaged file a list could go on from itself.
      at = previous !== null && previous < at ? previous : null;
    }
    const messages = [...((at === null ? undefined : this.#lists.get(at)) ?? []), ...added.reverse()];
    if (last !== null && added.length > 0) {
      if (this.#lists.size >= MOST_LISTS) this.#lists.clear();
      this.#lists.set(last, messages);
    }
    return messages;
  }

  /** Rows may have been removed. */
  forget(): void {
    this.#lists.clear();
    this.#settings.clear();
  }
}

/** What calls are compared with. */
interface NearTo {
  readonly link: ChainLink | null;
  /** The model's name. */
  readonly name: string;
  readonly limit: number;
}

/** How far towards its beginning a list is followed. */
const MOST_BEGINNINGS = 500;

/** The rows of calls that are most like one: the same beginning of messages first, then the same model, then any. */
function nearCalls(database: SqliteDatabase, { link, name, limit }: NearTo): readonly number[] {
  const near = new Set<number>();
  const add = (sql: string, ...values: readonly (string | number)[]): void => {
    if (near.size >= limit) return;
    for (const [id] of database.raw<readonly [number]>(sql, ...values, limit))
      if (near.size < limit) near.add(id);
  };
  const start = longestKnown(database, link);
  if (start !== null) {
    // What goes on from the common beginning, and then what ends on the way to it.
    add(AFTER, start);
    add(BEFORE, start, MOST_BEGINNINGS);
  }
  add(SAME_MODEL, name);
  add(ANY);
  return [...near];
}

function longestKnown(database: SqliteDatabase, last: ChainLink | null): number | null {
  for (let link = last; link !== null; link = link.previous) {
    const id = database.value<number>("SELECT id FROM message WHERE hash = ?", link.hash);
    if (id !== undefined) return id;
  }
  return null;
}

const AFTER = `
WITH RECURSIVE after (id) AS (
  SELECT ? UNION ALL SELECT message.id FROM after JOIN message ON message.previous = after.id)
SELECT call.id FROM after JOIN call ON call.messages = after.id WHERE call.run = ${PROJECT} LIMIT ?`;

const BEFORE = `
WITH RECURSIVE before (id, step) AS (
  SELECT ?, 0
  UNION ALL
  SELECT message.previous, step + 1 FROM before JOIN message ON message.id = before.id
  WHERE message.previous IS NOT NULL AND step < ?)
SELECT call.id FROM before JOIN call ON call.messages = before.id WHERE call.run = ${PROJECT} LIMIT ?`;

const SAME_MODEL = `
SELECT call.id FROM setting JOIN call ON call.setting = setting.id
WHERE call.run = ${PROJECT} AND setting.name = ? ORDER BY call.id DESC LIMIT ?`;

const ANY = `SELECT id FROM call WHERE run = ${PROJECT} ORDER BY id DESC LIMIT ?`;
