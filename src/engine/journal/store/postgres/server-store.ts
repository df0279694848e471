import type { RecordedCall } from "../../../models/cassette/recorded-call.ts";
import { endOfRun, isKept } from "../../fold/run.ts";
import type { Label, RunEvent, RunStart } from "../../run-event.ts";
import { conversationKey } from "../encode-event.ts";
import type { SqlStore } from "../sql-store.ts";
import type { CallStore, ReceivedRun, RunCalls, RunJournal, Store, StoreOptions } from "../store.ts";
import { runExists, StoreError, storeError } from "../store-error.ts";
import { LocalCopy } from "./local-copy.ts";
import { postgresAddress } from "./postgres-address.ts";
import { isAlive, PostgresConnection } from "./postgres-connection.ts";
import { type MirroredRun, mirroredRun, RunMirror } from "./run-mirror.ts";
import { ServerCalls } from "./server-calls.ts";
import { json, type LogChange, ServerLog } from "./server-log.ts";
import { prepareSchema } from "./server-schema.ts";

/** What a store on a server is made of. */
interface Parts {
  readonly shown: string;
  readonly connection: PostgresConnection;
  /** Undefined if it only reads. */
  readonly log: ServerLog | undefined;
  readonly local: LocalCopy;
  readonly mirror: RunMirror;
  /** The id of the store, if its copy is kept for other processes. */
  readonly kept: string | undefined;
}

/**
 * A store on a PostgreSQL server. Everything is read from a copy in a file of this process, which `pull` brings up to date. What is
 * written goes there and to the server, and is durable when the server has it.
 */
export class ServerStore implements Store {
  readonly calls: CallStore;
  readonly #parts: Parts;
  readonly #found: ServerCalls;
  #pulled: Promise<unknown> = Promise.resolve();
  /** Until then, what was not an event or a call is not on the server. */
  #acted: Promise<void> | undefined;
  #isClosed = false;

  private constructor(parts: Parts) {
    this.#parts = parts;
    const { log, connection, local } = parts;
    const found = new ServerCalls(connection);
    this.#found = found;
    this.calls = Object.assign(this.#callsOf(null, local.store.calls), {
      near: (...asked: Parameters<CallStore["near"]>) => local.store.calls.near(...asked),
      ...(log === undefined
        ? {}
        : { claim: (identity: string, signal: AbortSignal) => found.claim(log, identity, signal) }),
    });
  }

  /** Opens the store at an address. Throws `StoreError`. */
  static async open(address: string, { readOnly = false, runs }: StoreOptions = {}): Promise<ServerStore> {
    const place = postgresAddress(address);
    const log = readOnly ? undefined : await ServerLog.open(place);
    const connection = new PostgresConnection(place);
    let local: LocalCopy | undefined;
    try {
      await connection.connect();
      if (readOnly) await prepareSchema(connection, { ...place, isReadOnly: true });
      const [row] = await connection.rows("SELECT value FROM meta WHERE key = 'id'");
      const kept = runs === undefined ? String(row?.[0]) : undefined;
      local = await LocalCopy.open(kept);
      const mirror = new RunMirror(connection, local.store, log?.writer ?? 0);
      if (local.state !== undefined) mirror.continueFrom(local.state);
      const store = new ServerStore({ shown: place.shown, connection, log, local, mirror, kept });
      await store.pull(runs);
      return store;
    } catch (error) {
      await log?.close();
      await connection.drop();
      local?.remove();
      throw storeError(error, place.shown);
    }
  }

  /** The file of the copy. */
  get file(): string {
    return this.#parts.local.file;
  }

  /** The number of this process among all that write to the store; 0 if it only reads. */
  get writer(): number {
    return this.#parts.log?.writer ?? 0;
  }

  /** Reads what others have written: which runs there are, and the events of some of them (default: all). */
  pull(runs?: readonly string[]): Promise<void> {
    // One after the other, so that nothing is read twice.
    const pulled = this.#pulled.then(() => this.#pull(runs));
    this.#pulled = pulled.catch(() => {});
    return pulled;
  }

  async #pull(runs: readonly string[] | undefined): Promise<void> {
    const { log, mirror } = this.#parts;
    // Runs that were begun here get their number with the first group.
    if (log !== undefined && !log.isBroken) await log.durable();
    await mirror.pull(runs);
  }

  /** Events straight from the server, without a copy: of some conversations of a run, or with null those that belong to none. */
  async eventsOf(run: string, conversations: readonly string[] | null): Promise<readonly RunEvent[]> {
    const { id } = this.#existing(run);
    return id === undefined ? [] : this.#parts.mirror.eventsOf(id, conversations);
  }

  begin(start: RunStart & { readonly at: number }, options: { readonly parent?: string } = {}): RunJournal {
    const { run: name } = start;
    const journal = this.#local.begin(start, options);
    const run = mirroredRun({ isOwn: true });
    this.#parts.mirror.runs.set(name, run);
    this.#act(async (query) => {
      const values = [name, options.parent ?? null, json(start), this.writer];
      const [row] = await query(INSERT_RUN, values);
      if (row === undefined) throw runExists(name, this.#parts.shown);
      run.id = Number(row[0]);
    });
    return this.#journal(run, journal);
  }

  reopen(name: string, { isShared = false }: { readonly isShared?: boolean } = {}): RunJournal {
    const run = this.#existing(name);
    // Others go on with its conversations: what they write is not copied here.
    if (isShared) return this.#journal(run, undefined);
    const journal = this.#local.reopen(name);
    run.isOwn = true;
    run.isOver = false;
    this.#act(async (query) => {
      const [taken] = await query(TAKE_RUN, [run.id, this.writer]);
      if (taken !== undefined) return;
      const [other] = await query(WHO_WRITES, [run.id]);
      if (other === undefined) throw this.#missing(name);
      const advice = "Wait for it to end, or stop it, and try again.";
      throw new StoreError("in_use", `The run "${name}" is being written by ${String(other[0])}. ${advice}`, {
        path: this.#parts.shown,
      });
    });
    return this.#journal(run, journal);
  }

  receive(
    start: RunStart & { readonly at: number },
    options: { readonly parent?: string } = {},
  ): ReceivedRun {
    const received = this.#local.receive(start, options);
    return {
      ...received,
      finish: (end) => {
        received.finish(end);
        const run = mirroredRun({ isOwn: true, isOver: end.endedAt !== null, tags: json(end.tags) });
        this.#parts.mirror.runs.set(end.run, run);
        this.#upload(end.run, run, { parent: options.parent ?? null, sharesCalls: end.sharesCalls });
      },
    };
  }

  /** Sends a run that is here as a whole: nobody sees it before. */
  #upload(
    name: string,
    run: MirroredRun,
    { parent, sharesCalls }: { readonly parent: string | null; readonly sharesCalls: boolean },
  ): void {
    const { store } = this.#parts.local;
    this.#act(async (query, send) => {
      const { start, startedAt, tags } = store.run(name) as NonNullable<ReturnType<Store["run"]>>;
      const [row] = await query(INSERT_RUN, [name, parent, json({ ...start, at: startedAt }), this.writer]);
      if (row === undefined) throw runExists(name, this.#parts.shown);
      run.id = Number(row[0]);
      await query(SET_RUN, [run.id, json(tags), run.isOver]);
      const own = store.callsOf(name);
      let portion: LogChange[] = [];
      for (const event of store.events(name)) {
        if (event.type !== "run-start") portion.push(eventChange(run, event));
        const call =
          event.type === "call-start" && event.identity !== undefined ? own.get(event.identity) : undefined;
        if (call !== undefined) {
          portion.push({ kind: "call", run, call });
          if (sharesCalls && (await this.#found.find(0, call.identity)) === undefined)
            portion.push({ kind: "call", run: null, call });
        }
        if (portion.length < PORTION) continue;
        await send(portion);
        portion = [];
      }
      await send(portion);
    });
  }

  callsOf(run: string): RunCalls {
    return this.#callsOf(this.#existing(run), this.#local.callsOf(run));
  }

  /** Calls are looked for here first: what this process keeps is on the server a little later. */
  #callsOf(run: MirroredRun | null, local: RunCalls): RunCalls {
    return {
      find: async (identity) => {
        const known = await local.find(identity);
        if (known !== undefined) return known;
        // A run that was begun a moment ago has its number now, and calls that were removed are gone.
        await this.#acted;
        return this.#found.find(run === null ? 0 : (run.id ?? -1), identity);
      },
      get: (identity) => local.get(identity),
      keep: (call: RecordedCall) => {
        local.keep(call);
        this.#add({ kind: "call", run, call });
      },
      get size() {
        return local.size;
      },
    };
  }

  runs: Store["runs"] = () => this.#local.runs();
  run: Store["run"] = (name) => this.#local.run(name);
  conversations: Store["conversations"] = (run, filter) => this.#local.conversations(run, filter);
  events: Store["events"] = (run, conversation) => this.#local.events(run, conversation);
  scores: Store["scores"] = (run, options) => this.#local.scores(run, options);
  results: Store["results"] = (run) => this.#local.results(run);
  labels: Store["labels"] = (run) => this.#local.labels(run);
  tallies: Store["tallies"] = (run) => this.#local.tallies(run);

  label(name: string, labels: readonly Omit<Label, "type">[]): void {
    const run = this.#existing(name);
    this.#local.label(name, labels);
    run.isOwn = true;
    for (const label of labels) this.#add(eventChange(run, { type: "label", ...label, at: label.when }));
  }

  tag(name: string, tags: readonly string[]): void {
    const run = this.#existing(name);
    this.#local.tag(name, tags);
    run.tags = json([...new Set(tags)]);
    this.#act(async (query) => {
      await query("UPDATE run SET tags = $2 WHERE id = $1", [run.id, run.tags]);
    });
  }

  delete(name: string): void {
    const run = this.#existing(name);
    this.#local.delete(name);
    this.#parts.mirror.runs.delete(name);
    this.#act(async (query) => {
      await query("DELETE FROM call WHERE run = $1", [run.id]);
      await query("DELETE FROM run WHERE id = $1", [run.id]);
    });
  }

  compact(options: { readonly callsBefore?: number } = {}): void {
    this.#local.compact(options);
    const { callsBefore } = options;
    this.#act(async (query) => {
      if (callsBefore !== undefined)
        await query("DELETE FROM call WHERE run = 0 AND kept_at < to_timestamp($1::float8 / 1000)", [
          callsBefore,
        ]);
      await query(REMOVE_UNUSED);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { log, connection, local, mirror, kept } = this.#parts;
    try {
      const closing = log?.close();
      await this.#pulled;
      await closing;
      // After an error, more may be here than on the server.
      if (kept !== undefined && log?.hasFailed !== true) {
        const state = await mirror.state();
        if (state !== local.state) local.keep(kept, state);
      }
    } finally {
      await this.#found.close();
      await connection.drop();
      local.remove();
    }
  }

  get #local(): SqlStore {
    const { local, shown: path } = this.#parts;
    if (this.#isClosed) throw new StoreError("closed", `The store ${path} is closed.`, { path });
    return local.store;
  }

  /** The journal of a run, which writes to the copy, too, if it is given. */
  #journal(run: MirroredRun, local: RunJournal | undefined): RunJournal {
    return {
      append: (event) => {
        if (!isKept(event)) return;
        local?.append(event);
        this.#add(eventChange(run, event));
        if (endOfRun(event) === undefined) return;
        run.isOver = true;
        this.#act(async (query) => {
          await query("UPDATE run SET is_over = true, writer = NULL WHERE id = $1", [run.id]);
        });
      },
      durable: () => this.#log.durable(),
    };
  }

  get #log(): ServerLog {
    const { log, shown } = this.#parts;
    if (log === undefined) throw storeError(Object.assign(new Error("read only"), { code: "25006" }), shown);
    return log;
  }

  #add(change: LogChange): void {
    this.#log.add(change);
  }

  #act(act: Extract<LogChange, { kind: "act" }>["act"]): void {
    this.#add({ kind: "act", act });
    this.#acted = this.#log.durable()?.catch(() => {});
  }

  #existing(name: string): MirroredRun {
    const run = this.#parts.mirror.runs.get(name);
    if (run === undefined) throw this.#missing(name);
    return run;
  }

  #missing(name: string): StoreError {
    return new StoreError("no_run", `There is no run "${name}" in the store.`, { path: this.#parts.shown });
  }
}

/** How many changes of an upload are sent at once. */
const PORTION = 2_000;

function eventChange(run: MirroredRun, event: RunEvent): LogChange {
  const name = "conversation" in event ? event.conversation : undefined;
  return {
    kind: "event",
    run,
    conversation: name === undefined ? null : conversationKey(name),
    data: json(event),
  };
}

const INSERT_RUN = `INSERT INTO run (name, parent, start, writer) VALUES ($1, $2, $3, $4)
  ON CONFLICT (name) DO NOTHING RETURNING id`;

const SET_RUN =
  "UPDATE run SET tags = $2, is_over = $3, writer = CASE WHEN $3 THEN NULL ELSE writer END WHERE id = $1";

/** Of a process that is gone, the run is taken over. */
const TAKE_RUN = `UPDATE run SET is_over = false, writer = $2
  WHERE id = $1 AND (writer IS NULL OR writer = $2 OR NOT ${isAlive("writer")}) RETURNING id`;

const WHO_WRITES = "SELECT process FROM run LEFT JOIN writer ON writer.id = run.writer WHERE run.id = $1";

/** Parts of requests that no call has any more. */
const REMOVE_UNUSED = `WITH RECURSIVE used (hash) AS (
    SELECT settings FROM call UNION SELECT messages FROM call WHERE messages IS NOT NULL
    UNION SELECT part.previous FROM used JOIN part USING (hash) WHERE part.previous IS NOT NULL)
  DELETE FROM part WHERE hash NOT IN (SELECT hash FROM used)`;
