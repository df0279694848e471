import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import type { CallRequest, CallSettings, RecordedCall } from "../../models/cassette/recorded-call.ts";
import type { Message } from "../../models/message.ts";
import type { ModelReply } from "../../models/model.ts";
import { CallEncoder } from "./encode-call.ts";
import type { GroupWriter } from "./group.ts";
import type { ChainLink } from "./message-chains.ts";
import type { SqlDatabase, SqlValue, StoredReply } from "./sql-database.ts";
import type { CallStore, RunCalls } from "./store.ts";
import { storeError } from "./store-error.ts";
import { decodeData } from "./text-codec.ts";
import type { TextTable } from "./text-table.ts";

/** A message of a call as its row. */
interface MessageColumns {
  /** The row of the message before it. */
  readonly previous: number | null;
  /** JSON in which long texts are references. */
  readonly data: string;
}

/** What the calls of a store are read and written with. */
export interface CallTableParts {
  readonly database: SqlDatabase;
  readonly writer: GroupWriter;
  readonly texts: TextTable;
  /** Settings and messages, which all calls share. */
  readonly shared: SharedRows;
}

/** Which calls: those of the project, or those that came with a run from elsewhere. */
export type CallOwner = { readonly table: "call" } | { readonly table: "run_call"; readonly run: number };

/** Answered calls of a store, of one owner. */
export class CallRows implements RunCalls {
  protected readonly parts: CallTableParts;
  protected readonly sql: CallQueries;
  readonly #run: number | null;
  /** Calls that are not in the store yet. */
  readonly #pending = new Map<string, ModelReply>();

  constructor(parts: CallTableParts, owner: CallOwner) {
    this.parts = parts;
    this.#run = owner.table === "call" ? null : owner.run;
    this.sql = callQueries(owner.table);
  }

  get size(): number {
    this.parts.writer.flush();
    return this.reading((database) => database.value<number>(this.sql.count, ...this.#owner) ?? 0);
  }

  find(identity: string): ReturnType<RunCalls["find"]> {
    const pending = this.#pending.get(identity);
    if (pending !== undefined) return pending;
    const { calls } = this.parts.database;
    if (calls !== undefined) return calls.find(identity, this.#run).then(replyOf);
    return this.reading((database) => {
      const reply = database.value<string>(this.sql.reply, ...this.#key(identity));
      return reply === undefined ? undefined : (this.#decoded(reply) as ModelReply);
    });
  }

  get(identity: string): RecordedCall | undefined {
    this.parts.writer.flush();
    return this.reading((database) => {
      const [found] = database.raw<CallColumns>(this.sql.callByIdentity, ...this.#key(identity));
      return found === undefined ? undefined : this.recorded(identity, found);
    });
  }

  keep(call: RecordedCall): void {
    const { shared, writer } = this.parts;
    const encoded = shared.encoder.encode(call);
    // A reply that no store can hold is asked for again.
    if (encoded === undefined) return;
    const { kept, answer, ...columns } = encoded;
    const { identity } = call;
    this.#pending.set(identity, kept);
    const row = { ...columns, run: this.#run };
    const written = (): void => {
      if (this.#pending.get(identity) === kept) this.#pending.delete(identity);
    };
    writer.add((rows) => rows.call({ ...row, json: rows.texts(answer), written }));
  }

  /** The first values of every key. */
  get #owner(): readonly number[] {
    return this.#run === null ? [] : [this.#run];
  }

  #key(identity: string): readonly SqlValue[] {
    return [...this.#owner, this.parts.database.dialect.identityKey(identity)];
  }

  protected recorded(identity: string, columns: CallColumns): RecordedCall {
    const [purpose, , replicate, seed, reply, settings] = columns;
    // Written by `keep` from values of these types.
    const request = this.parts.shared.decodedSettings(settings);
    return {
      identity,
      purpose,
      request: { ...request, messages: this.#messages(columns), replicate, seed },
      reply: this.#decoded(reply) as ModelReply,
    };
  }

  #messages(columns: CallColumns): readonly Message[] {
    const [, messages] = columns;
    return messages === null ? [] : this.parts.shared.messages(messages, messagesIn(columns));
  }

  #decoded(json: string): unknown {
    return decodeData(json, this.parts.texts.valueOf);
  }

  protected reading<Result>(read: (database: SqlDatabase) => Result): Result {
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
  readonly claim?: NonNullable<CallStore["claim"]>;

  constructor(parts: CallTableParts) {
    super(parts, { table: "call" });
    const { calls } = parts.database;
    if (calls === undefined) return;
    this.claim = async (identity, signal) => {
      const answered = replyOf(await calls.claim(identity, signal));
      return answered === undefined ? { release: () => calls.release(identity) } : { reply: answered };
    };
  }

  near(request: CallRequest, limit = 50): readonly RecordedCall[] {
    const { writer, shared } = this.parts;
    writer.flush();
    const link = shared.encoder.chain(request.messages);
    return this.reading((database) =>
      nearCalls(database, { link, name: request.name, limit }).flatMap((id) => {
        const [found] = database.raw<CallColumns>(this.sql.callById, id);
        const identity = database.value<string | Uint8Array>(this.sql.identity, id);
        if (found === undefined || identity === undefined) return [];
        const text = typeof identity === "string" ? identity : Buffer.from(identity).toString("hex");
        return [this.recorded(text, found)];
      }),
    );
  }
}

function replyOf(stored: StoredReply | undefined): ModelReply | undefined {
  if (stored === undefined) return undefined;
  // Written by `keep`; the texts came with it.
  return decodeData(stored.json, (hash) => stored.texts.get(hash) ?? "") as ModelReply;
}

const MOST_LISTS = 8;
const MOST_REMEMBERED = 64;

/** The settings and messages of calls, each stored once. */
export class SharedRows {
  readonly #texts: TextTable;
  readonly encoder: CallEncoder = new CallEncoder();
  readonly #decodedSettings = new Map<string, CallSettings>();
  /** Lists that were read last: the next call of a conversation goes on from one. */
  readonly #lists = new Map<number, readonly Message[]>();
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase, texts: TextTable) {
    this.#database = database;
    this.#texts = texts;
  }

  /** The settings of their JSON; the same objects for the same JSON, as long as they are remembered. */
  decodedSettings(json: string): CallSettings {
    const known = this.#decodedSettings.get(json);
    if (known !== undefined) return known;
    // Written from settings.
    const settings = freezeDeep(decodeData(json, this.#texts.valueOf) as CallSettings);
    if (this.#decodedSettings.size >= MOST_REMEMBERED) this.#decodedSettings.clear();
    this.#decodedSettings.set(json, settings);
    return settings;
  }

  /** The messages of a list, by its last row; `read` has rows that came with the call. Each list was written before those that go on from it. */
  messages(id: number, read: ReadonlyMap<number, MessageColumns>): readonly Message[] {
    const added: Message[] = [];
    let [at, list]: [number | null, readonly Message[]] = [id, []];
    while (at !== null) {
      const known = this.#lists.get(at);
      if (known !== undefined) {
        list = known;
        break;
      }
      const found: MessageColumns | undefined = read.get(at) ?? this.message(at);
      if (found === undefined) break;
      // Written from messages. Frozen, it is not copied again.
      added.push(freezeDeep(decodeData(found.data, this.#texts.valueOf) as Message));
      at = found.previous;
    }
    const messages = [...list, ...added.reverse()];
    if (this.#lists.size >= MOST_LISTS) this.#lists.clear();
    this.#lists.set(id, messages);
    return messages;
  }

  /** The row of a message. */
  message(id: number): MessageColumns | undefined {
    const sql = "SELECT previous, data FROM message WHERE id = ?";
    const [found] = this.#database.all<MessageColumns>(sql, id);
    return found === undefined ? undefined : messageColumns(id, found.previous, found.data);
  }

  /** Rows may have been removed. */
  forget(): void {
    this.#lists.clear();
    this.#decodedSettings.clear();
  }
}

/** A call with its settings, as a list of values, which is quicker to read than an object. */
type CallColumns = readonly [
  purpose: RecordedCall["purpose"],
  messages: number | null,
  replicate: number,
  seed: number,
  reply: string,
  settings: string,
  /** The last message and the one before it: mostly all that the call before did not have. */
  last: string | null,
  previous: number | null,
  before: string | null,
  earlier: number | null,
];

function messageColumns(id: number, previous: number | null, data: string): MessageColumns {
  // In a damaged file a list could go on from itself.
  return { previous: previous !== null && previous < id ? previous : null, data };
}

/** The messages that came with a call, by their rows. */
function messagesIn([, messages, , , , , last, previous, before, earlier]: CallColumns): ReadonlyMap<
  number,
  MessageColumns
> {
  const read = new Map<number, MessageColumns>();
  if (messages !== null && last !== null) read.set(messages, messageColumns(messages, previous, last));
  if (previous !== null && before !== null) read.set(previous, messageColumns(previous, earlier, before));
  return read;
}

/** What calls of one owner are read with. */
type CallQueries = Readonly<Record<"count" | "reply" | "callByIdentity" | "callById" | "identity", string>>;

function callQueries(table: CallOwner["table"]): CallQueries {
  const owner = table === "call" ? [] : ["run"];
  const is = (columns: readonly string[]): string => columns.map((column) => `${column} = ?`).join(" AND ");
  const isCall = is([...owner, "identity"]);
  const call = `SELECT purpose, messages, replicate, seed, reply, setting.data, last.data, last.previous, before.data, before.previous
    FROM ${table} JOIN setting ON setting.id = ${table}.setting LEFT JOIN message AS last ON last.id = ${table}.messages
      LEFT JOIN message AS before ON before.id = last.previous`;
  return {
    count: `SELECT count(*) FROM ${table}${table === "call" ? "" : ` WHERE ${is(owner)}`}`,
    reply: `SELECT reply FROM ${table} WHERE ${isCall}`,
    callByIdentity: `${call} WHERE ${isCall}`,
    callById: `${call} WHERE ${table}.id = ?`,
    identity: `SELECT identity FROM ${table} WHERE id = ?`,
  };
}

/** What calls are compared with. */
export interface NearTo {
  readonly link: ChainLink | null;
  /** The model's name. */
  readonly name: string;
  readonly limit: number;
}

/** How far towards its beginning a list is followed. */
const MOST_BEGINNINGS = 500;

/** The rows of calls that are most like one: the same beginning of messages first, then the same model, then any. */
export function nearCalls(database: SqlDatabase, { link, name, limit }: NearTo): readonly number[] {
  const near = new Set<number>();
  const add = (ids: readonly number[]): void => {
    for (const id of ids) if (near.size < limit) near.add(id);
  };
  const ids = (sql: string, ...values: readonly (string | number)[]): readonly number[] =>
    database.raw<readonly [number]>(sql, ...values).map(([id]) => id);
  const start = longestKnown(database, link);
  if (start !== null) {
    // What goes on from the common beginning, and then what ends on the way to it.
    add(ids(AFTER, start, limit));
    add(ids(BEFORE, start, MOST_BEGINNINGS, limit));
  }
  if (near.size < limit) add(ids(SAME_MODEL, name, limit));
  if (near.size < limit) add(ids(ANY, limit));
  return [...near];
}

function longestKnown(database: SqlDatabase, last: ChainLink | null): number | null {
  for (let link = last; link !== null; link = link.previous) {
    const id = database.value<number>("SELECT id FROM message WHERE hash = ?", link.hash);
    if (id !== undefined) return id;
  }
  return null;
}

const AFTER = `
WITH RECURSIVE after (id) AS (
  SELECT CAST(? AS BIGINT) UNION ALL SELECT message.id FROM after JOIN message ON message.previous = after.id)
SELECT call.id FROM after JOIN call ON call.messages = after.id LIMIT ?`;

const BEFORE = `
WITH RECURSIVE before (id, step) AS (
  SELECT CAST(? AS BIGINT), 0
  UNION ALL
  SELECT message.previous, step + 1 FROM before JOIN message ON message.id = before.id
  WHERE message.previous IS NOT NULL AND step < ?)
SELECT call.id FROM before JOIN call ON call.messages = before.id LIMIT ?`;

const SAME_MODEL = `
SELECT call.id FROM setting JOIN call ON call.setting = setting.id WHERE setting.name = ? ORDER BY call.id DESC LIMIT ?`;

const ANY = "SELECT id FROM call ORDER BY id DESC LIMIT ?";
