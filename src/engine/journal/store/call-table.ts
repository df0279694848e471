import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import type { CallRequest, CallSettings, RecordedCall } from "../../models/cassette/recorded-call.ts";
import type { Message } from "../../models/message.ts";
import type { ModelReply } from "../../models/model.ts";
import { CallEncoder, type ChainLink } from "./encode-call.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import type { SqliteWriter } from "./sqlite-writer.ts";
import type { CallStore } from "./store.ts";
import { encodeData, type TextTable } from "./text-codec.ts";

/** In place of a run: the calls of the project. */
export const PROJECT = 0;

/** Answered calls: those of the project, or those that came with a run from elsewhere. */
export class CallTable implements CallStore {
  readonly #database: SqliteDatabase;
  readonly #writer: SqliteWriter;
  readonly #requests: RequestTable;
  readonly #texts: TextTable;
  readonly #run: number;
  /** Calls that are not in the store yet. */
  readonly #pending = new Map<string, ModelReply>();

  constructor(requests: RequestTable, writer: SqliteWriter, run: number) {
    this.#database = requests.database;
    this.#texts = requests.texts;
    this.#requests = requests;
    this.#writer = writer;
    this.#run = run;
  }

  get size(): number {
    this.#writer.flush();
    return this.#database.value<number>("SELECT count(*) FROM call WHERE run = ?", this.#run) ?? 0;
  }

  find(identity: string): ModelReply | undefined {
    const pending = this.#pending.get(identity);
    if (pending !== undefined) return pending;
    const sql = "SELECT reply FROM call WHERE run = ? AND identity = ?";
    const reply = this.#database.value<string>(sql, this.#run, identityKey(identity));
    return reply === undefined ? undefined : this.#database.guarded(() => this.#reply(reply));
  }

  get(identity: string): RecordedCall | undefined {
    this.#writer.flush();
    return this.#recorded(`${CALL} WHERE run = ? AND identity = ?`, this.#run, identityKey(identity));
  }

  keep(call: RecordedCall): void {
    const encoded = this.#requests.encoder.encode(call);
    // A reply that no store can hold is asked for again.
    if (encoded === undefined) return;
    const { settings, messages, reply } = encoded;
    const { identity, purpose, request } = call;
    const answer = encodeData(reply);
    this.#pending.set(identity, reply);
    this.#writer.add(() => {
      this.#database.run(
        KEEP,
        ...[this.#run, identityKey(identity), purpose],
        this.#requests.settingId(request.name, settings),
        this.#requests.messageId(messages),
        ...[request.replicate, request.seed, this.#texts.write(answer), Date.now()],
      );
      if (this.#pending.get(identity) === reply) this.#pending.delete(identity);
    });
  }

  near(request: CallRequest, limit = 50): readonly RecordedCall[] {
    this.#writer.flush();
    const near = new Set<number>();
    const add = (sql: string, ...values: readonly (string | number)[]): void => {
      if (near.size >= limit) return;
      for (const [id] of this.#database.raw<readonly [number]>(sql, ...values, limit))
        if (near.size < limit) near.add(id);
    };
    const start = this.#requests.longestKnown(request.messages);
    if (start !== null) {
      // What goes on from the common beginning, and then what ends on the way to it.
      add(AFTER, start);
      add(BEFORE, start, MOST_BEGINNINGS);
    }
    add(SAME_MODEL, request.name);
    add(ANY);
    return [...near].flatMap((id) => this.#recorded(`${CALL} WHERE call.id = ?`, id) ?? []);
  }

  #recorded(sql: string, ...values: readonly (string | number | Uint8Array)[]): RecordedCall | undefined {
    const [found] = this.#database.raw<CallColumns>(sql, ...values);
    if (found === undefined) return undefined;
    const [key, purpose, messages, replicate, seed, reply, settings] = found;
    return this.#database.guarded(() => ({
      identity: typeof key === "string" ? key : Buffer.from(key).toString("hex"),
      purpose,
      request: {
        ...this.#requests.settings(settings),
        messages: this.#requests.messages(messages),
        replicate,
        seed,
      },
      reply: this.#reply(reply),
    }));
  }

  #reply(json: string): ModelReply {
    // Written by `keep`.
    return this.#texts.decode(json) as ModelReply;
  }
}

/** The key of a call: a hash takes half the space as bytes. */
function identityKey(identity: string): string | Uint8Array {
  return /^[0-9a-f]{64}$/.test(identity) ? Buffer.from(identity, "hex") : identity;
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

const KEEP = `INSERT INTO call (run, identity, purpose, setting, messages, replicate, seed, reply, kept_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET purpose = excluded.purpose, setting = excluded.setting, messages = excluded.messages,
    replicate = excluded.replicate, seed = excluded.seed, reply = excluded.reply, kept_at = excluded.kept_at`;

/** How far towards its beginning a list is followed. */
const MOST_BEGINNINGS = 500;

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

const MOST_LISTS = 8;
const MOST_SETTINGS = 64;

/** What calls ask: their settings and messages, each stored once. Rows are never changed, and their ids never used again. */
export class RequestTable {
  readonly database: SqliteDatabase;
  readonly texts: TextTable;
  readonly encoder: CallEncoder = new CallEncoder();
  readonly #settings = new Map<string, CallSettings>();
  /** Lists that were read last: the next call of a conversation goes on from one, and only what it adds is read. */
  readonly #lists = new Map<number, readonly Message[]>();

  constructor(database: SqliteDatabase, texts: TextTable) {
    this.database = database;
    this.texts = texts;
  }

  /** The row of some settings; made if it is new. */
  settingId(
    name: string,
    { hash, data }: NonNullable<ReturnType<CallEncoder["encode"]>>["settings"],
  ): number {
    return (
      this.database.value<number>("SELECT id FROM setting WHERE hash = ?", hash) ??
      this.database.insert("setting", { hash, name, data: this.texts.write(data) })
    );
  }

  /** The row of a list of messages; only the messages that are new are written. */
  messageId(last: ChainLink | null): number | null {
    const missing: ChainLink[] = [];
    let link = last;
    let id = this.#idOf(link);
    for (; link !== null && id === null; id = this.#idOf(link)) {
      missing.push(link);
      link = link.previous;
    }
    for (const { hash, data } of missing.reverse())
      id = this.database.insert("message", { hash, previous: id, data: this.texts.write(data) });
    return id;
  }

  /** The longest beginning of a list that is stored. */
  longestKnown(messages: readonly Message[]): number | null {
    for (let link = this.encoder.chains.linkOf(messages); link !== null; link = link.previous) {
      const id = this.#idOf(link);
      if (id !== null) return id;
    }
    return null;
  }

  #idOf(link: ChainLink | null): number | null {
    if (link === null) return null;
    return this.database.value<number>("SELECT id FROM message WHERE hash = ?", link.hash) ?? null;
  }

  /** The settings of their JSON; the same objects for the same JSON, as long as they are remembered. */
  settings(json: string): CallSettings {
    const known = this.#settings.get(json);
    if (known !== undefined) return known;
    // Written from settings.
    const settings = freezeDeep(this.texts.decode(json) as CallSettings);
    if (this.#settings.size >= MOST_SETTINGS) this.#settings.clear();
    this.#settings.set(json, settings);
    return settings;
  }

  /** The messages of a list, by its last row. */
  messages(last: number | null): readonly Message[] {
    const added: Message[] = [];
    let at = last;
    while (at !== null && !this.#lists.has(at)) {
      const sql = "SELECT previous, data FROM message WHERE id = ?";
      const [found] = this.database.raw<readonly [previous: number | null, data: string]>(sql, at);
      if (found === undefined) break;
      const [previous, data]: readonly [number | null, string] = found;
      // Written from messages. Frozen, it is not copied again.
      added.push(freezeDeep(this.texts.decode(data) as Message));
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
}
