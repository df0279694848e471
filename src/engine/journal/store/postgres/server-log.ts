import type { RecordedCall } from "../../../models/cassette/recorded-call.ts";
import { CallEncoder } from "../encode-call.ts";
import { silently } from "../sqlite-writer.ts";
import { StoreError, storeError } from "../store-error.ts";
import type { PostgresAddress } from "./postgres-address.ts";
import { isConflict, isLost, PostgresConnection, SCHEMA_LOCK } from "./postgres-connection.ts";
import { prepareSchema } from "./server-schema.ts";

/** A run on the server. */
export interface LoggedRun {
  /** Set by the change that begins the run, or finds it. */
  id: number | undefined;
}

/** Runs a statement within the transaction of a group; gives its rows as lists of values. */
type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>;

/** What is written to the server. */
export type LogChange =
  /** An event of a run, as JSON. */
  | {
      readonly kind: "event";
      readonly run: LoggedRun;
      readonly conversation: string | null;
      readonly data: string;
    }
  /** An answered call of a run, or with null of the project. */
  | { readonly kind: "call"; readonly run: LoggedRun | null; readonly call: RecordedCall }
  /** Something else; done again if the transaction has to be repeated. `send` writes more changes in the same transaction. */
  | {
      readonly kind: "act";
      readonly act: (query: Query, send: (changes: readonly LogChange[]) => Promise<void>) => Promise<void>;
    };

type CallChange = Extract<LogChange, { kind: "call" }>;

/** How many parts of requests a process remembers to have written. */
const MOST_KNOWN = 20_000;

/** The code of the error after which a process may write nothing more. */
const FENCED = "elenchus_fenced";

/**
 * Writes to the log of a server in groups, one transaction each: what is added while a group is on its way goes with the next. Each
 * group is written once, whatever becomes of the connection. After an error nothing more is written: it could follow from what is
 * missing.
 */
export class ServerLog {
  /** The number of this process among all that write; 0 if it only reads. */
  writer = 0;
  readonly #address: PostgresAddress;
  readonly #connection: PostgresConnection;
  readonly #encoder = new CallEncoder();
  /** Parts of requests that are on the server, unless somebody has removed them. */
  readonly #parts = new Set<string>();
  /** Runs that know this process as one of their writers. */
  readonly #joined = new Set<number>();
  #changes: LogChange[] = [];
  /** Of the changes that wait, and of the group on its way. */
  #next: PromiseWithResolvers<void> | undefined;
  #current: Promise<void> | undefined;
  #working: Promise<void> | undefined;
  #groups = 0;
  #broken: StoreError | undefined;
  #closed: StoreError | undefined;

  private constructor(address: PostgresAddress) {
    this.#address = address;
    this.#connection = new PostgresConnection({
      ...address,
      setUp: async (client) => {
        if (this.writer !== 0) await client.query(HOLD_LOCK, [this.writer]);
      },
    });
  }

  /** Connects; makes the tables if there are none. Throws `StoreError`. */
  static async open(address: PostgresAddress): Promise<ServerLog> {
    const log = new ServerLog(address);
    try {
      await log.#connection.connect();
      await prepareSchema(log.#connection, { ...address, isReadOnly: false });
      await log.#register();
      return log;
    } catch (error) {
      await log.#connection.drop();
      throw storeError(error, address.shown);
    }
  }

  async #register(): Promise<void> {
    const { hostname } = process.getBuiltinModule("node:os");
    const sql = "INSERT INTO writer (id, process) VALUES (nextval('writer_id'), $1) RETURNING id";
    const { rows } = await this.#connection.query(sql, [`process ${process.pid} on ${hostname()}`]);
    this.writer = Number(rows[0]?.[0]);
    await this.#connection.query(HOLD_LOCK, [this.writer]);
  }

  /** Adds a change to the group that is written next. */
  add(change: LogChange): void {
    if (this.isBroken) return;
    this.#changes.push(change);
    this.#working ??= this.#work();
  }

  /** Resolves when everything that was added is on the server; undefined if it is already. */
  durable(): Promise<void> | undefined {
    if (this.isBroken) return Promise.reject(this.#closed ?? this.#broken);
    if (this.#changes.length === 0) return this.#current;
    this.#next ??= silently(Promise.withResolvers<void>());
    return this.#next.promise;
  }

  /** True if something could not be written. */
  get hasFailed(): boolean {
    return this.#broken !== undefined;
  }

  /** True if nothing is written any more. */
  get isBroken(): boolean {
    return this.#broken !== undefined || this.#closed !== undefined;
  }

  /** Nothing can be written any more. */
  break(error: unknown): void {
    if (this.#broken !== undefined) return;
    this.#broken = storeError(error, this.#address.shown);
    this.#changes = [];
    this.#next?.reject(this.#broken);
    this.#next = undefined;
  }

  /** Writes what is left, and disconnects; rejects if that fails and was not reported before. */
  async close(): Promise<void> {
    const { shown: path } = this.#address;
    const before = this.#broken;
    this.#closed = new StoreError("closed", `The store ${path} is closed.`, { path });
    await this.#working;
    await this.#connection.drop();
    if (before === undefined && this.#broken !== undefined) throw this.#broken;
  }

  async #work(): Promise<void> {
    // What comes in this round of the event loop goes together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#changes.length > 0) {
      const [changes, group] = [this.#changes, this.#next ?? silently(Promise.withResolvers<void>())];
      this.#changes = [];
      this.#next = undefined;
      this.#current = group.promise;
      try {
        await this.#write(changes);
        group.resolve();
      } catch (error) {
        this.break(error);
        group.reject(this.#broken);
      }
      this.#current = undefined;
    }
    this.#working = undefined;
  }

  /** Writes a group in a transaction of its own; waits for a server that is gone, and tries again. */
  async #write(changes: readonly LogChange[]): Promise<void> {
    for (;;) {
      try {
        await this.#transaction(changes);
        return;
      } catch (error) {
        await this.#connection.exec("ROLLBACK").catch(() => this.#connection.drop());
        if (isLost(error)) await this.#connection.reconnect();
        else if (isPartMissing(error) && this.#parts.size > 0) this.#parts.clear();
        else if (!isConflict(error)) throw error;
      }
    }
  }

  async #transaction(changes: readonly LogChange[]): Promise<void> {
    const number = this.#groups + 1;
    const joined = new Set<number>();
    const parts = new Set<string>();
    // Sent one after the other without waiting for answers; the server does them in order.
    const sent: Promise<readonly (readonly unknown[])[]>[] = [];
    const query: Query = (sql, values = []) => {
      const rows = this.#connection.query(sql, values).then((result) => result.rows);
      rows.catch(() => {});
      sent.push(rows);
      return rows;
    };
    await this.#connection.exec("BEGIN");
    const counted = query(COUNT_GROUP, [this.writer, number]);
    const sendEvents = (events: readonly (readonly [run: number, ...unknown[]])[]): void => {
      const runs = new Set(
        events.map(([run]) => run).filter((run) => !this.#joined.has(run) && !joined.has(run)),
      );
      for (const run of runs) joined.add(run);
      if (runs.size > 0) void query(JOIN_RUNS, [[...runs], this.writer]);
      if (events.length > 0) void query(ADD_EVENTS, [this.writer, ...columns(events)]);
    };
    const send = async (some: readonly LogChange[]): Promise<void> => {
      let events: (readonly [run: number, conversation: string | null, data: string])[] = [];
      // Of several answers to one call, the last is kept.
      let calls = new Map<string, CallChange>();
      const sendGathered = (): void => {
        sendEvents(events);
        if (calls.size > 0) this.#sendCalls([...calls.values()], parts, query);
        events = [];
        calls = new Map();
      };
      for (const change of some) {
        if (change.kind === "event") events.push([idOf(change.run), change.conversation, change.data]);
        else if (change.kind === "call")
          calls.set(`${change.run === null ? 0 : idOf(change.run)} ${change.call.identity}`, change);
        else {
          sendGathered();
          await change.act(query, send);
        }
      }
      sendGathered();
      // The first error; the others follow from it.
      await Promise.all(sent.splice(0));
    };
    await send(changes);
    if ((await counted).length === 0) throw fenced();
    await this.#commit(number);
    this.#groups = number;
    for (const run of joined) this.#joined.add(run);
    if (this.#parts.size > MOST_KNOWN) this.#parts.clear();
    for (const hash of parts) this.#parts.add(hash);
  }

  async #commit(number: number): Promise<void> {
    try {
      await this.#connection.exec("COMMIT");
    } catch (error) {
      if (!isLost(error)) throw error;
      // Whether it was written is known only by the server.
      await this.#connection.reconnect();
      const { rows } = await this.#connection.query("SELECT groups FROM writer WHERE id = $1", [this.writer]);
      if (rows[0]?.[0] !== number) throw error;
    }
  }

  #sendCalls(calls: readonly CallChange[], known: Set<string>, query: Query): void {
    const parts = new Map<string, readonly [hash: string, previous: string | null, data: string]>();
    const isNew = (hash: string): boolean => !this.#parts.has(hash) && !known.has(hash) && !parts.has(hash);
    const rows = calls.flatMap(({ run, call }) => {
      const encoded = this.#encoder.encode(call);
      // A reply that is not data is asked for again.
      if (encoded === undefined) return [];
      const { purpose, request, identity } = call;
      const { name, model, instructions, tools, schema, replicate, seed } = request;
      const { hash } = encoded.settings;
      if (isNew(hash)) parts.set(hash, [hash, null, json({ name, model, instructions, tools, schema })]);
      const { messages } = encoded;
      for (let link = messages; link !== null && isNew(link.hash); link = link.previous)
        parts.set(link.hash, [link.hash, link.previous?.hash ?? null, json(link.message)]);
      const key = [run === null ? 0 : idOf(run), callKey(identity), purpose];
      return [[...key, hash, messages?.hash ?? null, replicate, seed, json(encoded.reply)] as const];
    });
    // In one order, so that two processes that write the same rows do not wait for each other.
    const inOrder = [...parts.values()].sort(([one], [other]) => (one < other ? -1 : 1));
    if (inOrder.length > 0) void query(ADD_PARTS, columns(inOrder));
    for (const [hash] of inOrder) known.add(hash);
    rows.sort((one, other) => (`${one[0]} ${one[1]}` < `${other[0]} ${other[1]}` ? -1 : 1));
    if (rows.length > 0) void query(ADD_CALLS, [this.writer, ...columns(rows)]);
  }
}

/** The key of a call on the server, which holds no zero bytes. */
export function callKey(identity: string): string {
  return identity.replaceAll("\0", "\ufffd");
}

/** Data as JSON; what JSON cannot hold is null. */
export function json(data: unknown): string {
  return JSON.stringify(data) ?? "null";
}

function idOf({ id }: LoggedRun): number {
  if (id === undefined) throw new StoreError("no_run", "The run is not on the server.");
  return id;
}

/** Rows as one list for each column, which is what `unnest` takes. */
function columns(rows: readonly (readonly unknown[])[]): readonly unknown[][] {
  return (rows[0] ?? []).map((_, place) => rows.map((row) => row[place]));
}

function fenced(): Error {
  return Object.assign(new Error("Another process has taken over."), { code: FENCED });
}

/** True if somebody has removed parts of requests that this process had written. */
function isPartMissing(error: unknown): boolean {
  const { code, constraint = "" } = error as { readonly code?: unknown; readonly constraint?: string };
  return code === "23503" && /^(?:call|part)_/.test(constraint);
}

/** A process that is gone no longer holds its lock: others see that it does not write any more. */
const HOLD_LOCK = `SELECT pg_advisory_lock(${SCHEMA_LOCK}, $1)`;

const COUNT_GROUP = "UPDATE writer SET groups = $2 WHERE id = $1 AND groups >= 0 RETURNING id";

const JOIN_RUNS =
  "INSERT INTO run_writer (run, writer) SELECT unnest($1::bigint[]), $2 ON CONFLICT DO NOTHING";

const ADD_EVENTS = `INSERT INTO event (run, writer, conversation, data) SELECT run, $1, conversation, data
  FROM unnest($2::bigint[], $3::text[], $4::text[]) WITH ORDINALITY AS given (run, conversation, data, place) ORDER BY place`;

const ADD_PARTS = `INSERT INTO part (hash, previous, data) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
  ON CONFLICT (hash) DO NOTHING`;

const ADD_CALLS = `INSERT INTO call (writer, run, identity, purpose, settings, messages, replicate, seed, reply)
  SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::float8[], $9::text[])
  ON CONFLICT (run, identity) DO UPDATE SET id = excluded.id, writer = excluded.writer, purpose = excluded.purpose,
    settings = excluded.settings, messages = excluded.messages, replicate = excluded.replicate, seed = excluded.seed,
    reply = excluded.reply, kept_at = now()`;
