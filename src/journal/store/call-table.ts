import type BetterSqlite3 from "better-sqlite3";
import { freezeDeep, frozenCopy } from "../../core/values/frozen-copy.ts";
import type { CallRequest, RecordedCall } from "../../models/cassette/recorded-call.ts";
import type { Message } from "../../models/message.ts";
import type { ModelReply } from "../../models/model.ts";
import type { GroupWriter } from "./group-writer.ts";
import { type ChainLink, MessageChains, nearCalls } from "./message-chains.ts";
import type { CallStore, RunCalls } from "./store.ts";
import { storeError } from "./store-error.ts";
import { decodeData, type EncodedData, encodeData, textHash } from "./text-codec.ts";
import type { TextTable } from "./text-table.ts";

/** What the calls of a store are read and written with. */
export interface CallTableParts {
  readonly database: BetterSqlite3.Database;
  readonly path: string;
  readonly writer: GroupWriter;
  readonly texts: TextTable;
  /** Settings and messages, which all calls share. */
  readonly shared: SharedRows;
}

/** Which calls: those of the project, or those that came with a run from elsewhere. */
export type CallOwner = { readonly table: "call" } | { readonly table: "run_call"; readonly run: number };

/** Answered calls of a store's file, of one owner. */
export class CallRows implements RunCalls {
  protected readonly parts: CallTableParts;
  protected readonly sql: CallStatements;
  /** The first values of every key. */
  readonly #owner: readonly number[];
  /** Calls that are not in the file yet. */
  readonly #pending = new Map<string, ModelReply>();

  constructor(parts: CallTableParts, owner: CallOwner) {
    this.parts = parts;
    this.#owner = owner.table === "call" ? [] : [owner.run];
    this.sql = callStatements(parts.database, owner.table);
  }

  get size(): number {
    this.parts.writer.flush();
    return this.reading(() => this.sql.count.get(...this.#owner) as number);
  }

  find(identity: string): ModelReply | undefined {
    const pending = this.#pending.get(identity);
    if (pending !== undefined) return pending;
    return this.reading(() => {
      const reply = this.sql.reply.get(...this.#key(identity));
      return reply === undefined ? undefined : (this.#decoded(reply) as ModelReply);
    });
  }

  get(identity: string): RecordedCall | undefined {
    this.parts.writer.flush();
    return this.reading(() => {
      const found = this.sql.callByIdentity.get(...this.#key(identity));
      return found === undefined ? undefined : this.recorded(found);
    });
  }

  keep({ identity, purpose, request, reply }: RecordedCall): void {
    const { rateLimit: _, ...lasting } = reply;
    let isData = true;
    const kept = frozenCopy(lasting, () => {
      isData = false;
    });
    // A reply that no file can hold is asked for again.
    if (!isData) return;
    // Copied as it is.
    this.#pending.set(identity, kept as ModelReply);
    const { replicate, seed } = request;
    const { shared, texts, writer } = this.parts;
    const settings = shared.settings(request);
    const link = shared.chain(request.messages);
    const answer = encodeData(kept);
    const at = Date.now();
    writer.add(() => {
      this.#pending.delete(identity);
      const json = texts.write(answer);
      const values = [purpose, shared.settingId(settings), shared.messageId(link), replicate, seed, json, at];
      const key = this.#key(identity);
      if (this.sql.insert.run(...key, ...values).changes > 0) return;
      this.sql.replace.run(...values, ...key);
      this.sql.markUnused.run();
    });
  }

  #key(identity: string): readonly Key[] {
    return [...this.#owner, identityKey(identity)];
  }

  protected recorded(columns: CallColumns): RecordedCall {
    const { identity, purpose, messages, replicate, seed, reply, settings } = columns;
    // Written by `keep` from values of these types.
    const request = this.parts.shared.decodedSettings(settings);
    return {
      identity: typeof identity === "string" ? identity : identity.toString("hex"),
      purpose,
      request: { ...request, messages: this.#messages(messages), replicate, seed },
      reply: this.#decoded(reply) as ModelReply,
    };
  }

  #messages(id: number | null): readonly Message[] {
    return id === null ? [] : this.parts.shared.messages(id);
  }

  #decoded(json: string): unknown {
    return decodeData(json, this.parts.texts.valueOf);
  }

  protected reading<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      throw storeError(error, this.parts.path);
    }
  }
}

/** The answered calls of the project. */
export class CallTable extends CallRows implements CallStore {
  constructor(parts: CallTableParts) {
    super(parts, { table: "call" });
  }

  near(request: CallRequest, limit = 50): readonly RecordedCall[] {
    const { writer, shared, database } = this.parts;
    writer.flush();
    const link = shared.chain(request.messages);
    return this.reading(() =>
      nearCalls(database, { link, name: request.name, limit }).flatMap((id) => {
        const found = this.sql.callById.get(id);
        return found === undefined ? [] : [this.recorded(found)];
      }),
    );
  }
}

const MOST_LISTS = 8;
const MOST_REMEMBERED = 64;

/** The settings and messages of calls, each stored once. */
export class SharedRows {
  readonly #texts: TextTable;
  readonly #chains = new MessageChains();
  readonly #settings = new SettingsEncoder();
  #messageIds = new WeakMap<ChainLink, number>();
  readonly #settingIds = new Map<string, number>();
  readonly #decodedSettings = new Map<string, CallSettings>();
  /** Lists that were read last: the next call of a conversation goes on from one. */
  readonly #lists = new Map<number, readonly Message[]>();
  readonly #sql: SharedStatements;

  constructor(database: BetterSqlite3.Database, texts: TextTable) {
    this.#texts = texts;
    this.#sql = sharedStatements(database);
  }

  settings(request: CallSettings): EncodedSettings {
    return this.#settings.encode(request);
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

  chain(messages: readonly Message[]): ChainLink | null {
    return this.#chains.linkOf(messages);
  }

  /** The row of some settings; made if it is new. */
  settingId({ name, hash, data }: EncodedSettings): number {
    let id = this.#settingIds.get(hash) ?? this.#sql.settingId.get(hash);
    id ??= Number(this.#sql.insertSetting.run(hash, name, this.#texts.write(data)).lastInsertRowid);
    if (this.#settingIds.size >= 1000) this.#settingIds.clear();
    this.#settingIds.set(hash, id);
    return id;
  }

  /** The row of a list of messages; only the messages that are new are written. */
  messageId(last: ChainLink | null): number | null {
    const missing: ChainLink[] = [];
    let id: number | null = null;
    for (let link = last; link !== null; link = link.previous) {
      const known = this.#messageIds.get(link) ?? this.#sql.messageId.get(link.hash);
      if (known === undefined) {
        missing.push(link);
        continue;
      }
      this.#messageIds.set(link, known);
      id = known;
      break;
    }
    for (const link of missing.reverse()) {
      const json = this.#texts.write(encodeData(link.message));
      id = Number(this.#sql.insertMessage.run(link.hash, id, json).lastInsertRowid);
      this.#messageIds.set(link, id);
    }
    return id;
  }

  /** The messages of a list, by its last row. Each list was written before those that go on from it. */
  messages(id: number): readonly Message[] {
    const added: Message[] = [];
    let [at, list]: [number | null, readonly Message[]] = [id, []];
    while (at !== null) {
      const known = this.#lists.get(at);
      if (known !== undefined) {
        list = known;
        break;
      }
      const found: { previous: number | null; data: string } | undefined = this.#sql.message.get(at);
      if (found === undefined) break;
      // Written from messages. Frozen, it is not copied again.
      added.push(freezeDeep(decodeData(found.data, this.#texts.valueOf) as Message));
      // In a damaged file a list could go on from itself.
      at = found.previous !== null && found.previous < at ? found.previous : null;
    }
    const messages = [...list, ...added.reverse()];
    if (this.#lists.size >= MOST_LISTS) this.#lists.clear();
    this.#lists.set(id, messages);
    return messages;
  }

  /** Rows may have been removed. */
  forget(): void {
    this.#lists.clear();
    this.#decodedSettings.clear();
    this.#messageIds = new WeakMap();
    this.#settingIds.clear();
  }
}

/** What calls of one model, prompt, tools and schema have in common. */
export type CallSettings = Pick<CallRequest, "name" | "model" | "instructions" | "tools" | "schema">;

/** Settings as they are stored, once for all calls that have them. */
export interface EncodedSettings {
  readonly name: string;
  readonly hash: string;
  readonly data: EncodedData;
}

/** Encodes settings, and remembers those of late: they are the same objects from call to call. */
export class SettingsEncoder {
  #recent: { readonly settings: CallSettings; readonly encoded: EncodedSettings }[] = [];

  encode({ name, model, instructions, tools, schema }: CallSettings): EncodedSettings {
    const settings = { name, model, instructions, tools, schema };
    const known = this.#recent.find((recent) => isSame(recent.settings, settings));
    if (known !== undefined) return known.encoded;
    const data = encodeData(settings);
    const encoded = { name, hash: textHash(data.json), data };
    // What may still change is not cached.
    if ([model, tools, schema].every((part) => part === null || Object.isFrozen(part)))
      this.#recent = [{ settings, encoded }, ...this.#recent.slice(0, MOST_REMEMBERED - 1)];
    return encoded;
  }
}

function isSame(one: CallSettings, other: CallSettings): boolean {
  return (
    one.model === other.model &&
    one.schema === other.schema &&
    one.tools === other.tools &&
    one.instructions === other.instructions &&
    one.name === other.name
  );
}

/** A call with its settings. */
export interface CallColumns {
  readonly identity: string | Buffer;
  readonly purpose: RecordedCall["purpose"];
  readonly messages: number | null;
  readonly replicate: number;
  readonly seed: number;
  readonly reply: string;
  readonly settings: string;
}

type Key = string | number | Buffer;

/** What calls of one owner are read and written with. */
export interface CallStatements {
  readonly count: BetterSqlite3.Statement<number[], number>;
  readonly reply: BetterSqlite3.Statement<Key[], string>;
  readonly callByIdentity: BetterSqlite3.Statement<Key[], CallColumns>;
  readonly callById: BetterSqlite3.Statement<[number], CallColumns>;
  readonly insert: BetterSqlite3.Statement<unknown[]>;
  readonly replace: BetterSqlite3.Statement<unknown[]>;
  readonly markUnused: BetterSqlite3.Statement<[]>;
}

interface SharedStatements {
  readonly settingId: BetterSqlite3.Statement<[string], number>;
  readonly insertSetting: BetterSqlite3.Statement<[string, string, string]>;
  readonly messageId: BetterSqlite3.Statement<[string], number>;
  readonly insertMessage: BetterSqlite3.Statement<[string, number | null, string]>;
  readonly message: BetterSqlite3.Statement<[number], { previous: number | null; data: string }>;
}

function sharedStatements(database: BetterSqlite3.Database): SharedStatements {
  return {
    settingId: database.prepare<[string], number>("SELECT id FROM setting WHERE hash = ?").pluck(),
    insertSetting: database.prepare("INSERT INTO setting (hash, name, data) VALUES (?, ?, ?)"),
    messageId: database.prepare<[string], number>("SELECT id FROM message WHERE hash = ?").pluck(),
    insertMessage: database.prepare("INSERT INTO message (hash, previous, data) VALUES (?, ?, ?)"),
    message: database.prepare("SELECT previous, data FROM message WHERE id = ?"),
  };
}

/** Prepares the statements. */
function callStatements(database: BetterSqlite3.Database, table: CallOwner["table"]): CallStatements {
  const owner = table === "call" ? [] : ["run"];
  const key = [...owner, "identity"];
  const is = (columns: readonly string[]): string => columns.map((column) => `${column} = ?`).join(" AND ");
  const columns = ["purpose", "setting", "messages", "replicate", "seed", "reply", "kept_at"];
  const all = [...key, ...columns];
  const call = `SELECT identity, purpose, messages, replicate, seed, reply, setting.data AS settings
    FROM ${table} JOIN setting ON setting.id = ${table}.setting`;
  const counted = table === "call" ? "" : ` WHERE ${is(owner)}`;
  return {
    count: database.prepare<number[], number>(`SELECT count(*) FROM ${table}${counted}`).pluck(),
    reply: database.prepare<Key[], string>(`SELECT reply FROM ${table} WHERE ${is(key)}`).pluck(),
    callByIdentity: database.prepare<Key[], CallColumns>(`${call} WHERE ${is(key)}`),
    callById: database.prepare<[number], CallColumns>(`${call} WHERE ${table}.id = ?`),
    insert: database.prepare(
      `INSERT INTO ${table} (${all.join(", ")}) VALUES (${all.map(() => "?").join(", ")})
       ON CONFLICT (${key.join(", ")}) DO NOTHING`,
    ),
    replace: database.prepare(
      `UPDATE ${table} SET ${columns.map((column) => `${column} = ?`).join(", ")} WHERE ${is(key)}`,
    ),
    markUnused: database.prepare(
      "INSERT INTO meta (key, value) VALUES ('unused', 1) ON CONFLICT DO UPDATE SET value = 1",
    ),
  };
}

/** The key of a call: a hash takes half the space as bytes. */
function identityKey(identity: string): string | Buffer {
  return /^[0-9a-f]{64}$/.test(identity) ? Buffer.from(identity, "hex") : identity;
}
