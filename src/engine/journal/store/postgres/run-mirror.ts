import { freezeDeep } from "../../../../core/values/frozen-copy.ts";
import type { RecordedCall } from "../../../models/cassette/recorded-call.ts";
import type { Message } from "../../../models/message.ts";
import { callIdentity } from "../../fold/run.ts";
import type { RunEvent, RunStart } from "../../run-event.ts";
import { conversationKey } from "../encode-event.ts";
import type { Store } from "../store.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { LoggedRun } from "./server-log.ts";

/** A run of the server as it is here. */
export interface MirroredRun extends LoggedRun {
  /** The last event that was read of each process that writes the run. */
  readonly read: Map<number, number>;
  /** True if this process writes it: its own events are here before they are on the server. */
  isOwn: boolean;
  /** True if it has ended, here and on the server. */
  isOver: boolean;
  /** As the server has them. */
  tags: string;
}

/** A run that is read or begun now. */
export function mirroredRun(known: Partial<MirroredRun>): MirroredRun {
  return { id: undefined, read: new Map(), isOwn: false, isOver: false, tags: "[]", ...known };
}

/** How many events are read at once. */
const PAGE = 5_000;

/** Copies runs of a server into a store in this process, and then what has been added since. */
export class RunMirror {
  readonly runs: Map<string, MirroredRun> = new Map();
  readonly #connection: PostgresConnection;
  readonly #local: Store;
  readonly #writer: number;
  /** The last call that was read of each process. */
  readonly #readCalls = new Map<number, number>();
  /** Calls that were looked for because an event names them. */
  readonly #known = new Set<string>();

  constructor(connection: PostgresConnection, local: Store, writer: number) {
    this.#connection = connection;
    this.#local = local;
    this.#writer = writer;
  }

  /**
   * Reads which runs there are, and the events and calls of some of them. Without names: the events of all runs, and all calls of the
   * project.
   */
  async pull(wanted?: readonly string[]): Promise<void> {
    await this.#pullRuns();
    const hasAll = wanted === undefined;
    for (const [name, run] of this.runs)
      if (hasAll || wanted.includes(name)) await this.#pullEvents(name, run, !hasAll);
    if (hasAll) await this.#pullNewCalls();
  }

  /** How far everything was read, to continue from there with this copy. */
  async state(): Promise<string> {
    const own = [...this.runs.values()].filter(({ isOwn }) => isOwn);
    for (const run of own)
      for (const [last] of await this.#connection.rows(LAST_EVENT, [run.id, this.#writer]))
        if (last !== null) run.read.set(this.#writer, Number(last));
    if (this.#writer !== 0)
      for (const [last] of await this.#connection.rows(LAST_CALL, [this.#writer]))
        if (last !== null) this.#readCalls.set(this.#writer, Number(last));
    const runs = [...this.runs].map(([name, { read, ...run }]) => [name, { ...run, read: [...read] }]);
    return JSON.stringify({ runs, calls: [...this.#readCalls] });
  }

  /** Continues from what `state` gave. */
  continueFrom(state: string): void {
    const { runs, calls } = JSON.parse(state) as {
      readonly runs: readonly (readonly [string, MirroredRun & { read: [number, number][] }])[];
      readonly calls: readonly (readonly [number, number])[];
    };
    for (const [name, { read, ...run }] of runs)
      this.runs.set(name, { ...run, isOwn: false, read: new Map(read) });
    for (const [writer, last] of calls) this.#readCalls.set(writer, last);
  }

  /** The events of a run, or of some of its conversations, straight from the server. */
  async eventsOf(run: number, conversations: readonly string[] | null): Promise<readonly RunEvent[]> {
    const rows =
      conversations === null
        ? await this.#connection.rows(EVENTS_OF_RUN, [run])
        : await this.#connection.rows(EVENTS_OF_CONVERSATIONS, [run, conversations.map(conversationKey)]);
    return rows.map(([data]) => eventOf(data));
  }

  async #pullRuns(): Promise<void> {
    const rows = await this.#connection.rows("SELECT id, name, tags, is_over FROM run ORDER BY id");
    const found = new Map(rows.map(([id, name, tags, isOver]) => [String(name), { id, tags, isOver }]));
    for (const [name, { id, isOwn, isOver }] of this.runs) {
      // One that was begun here may not be committed yet.
      if (id === undefined || (isOwn && !isOver) || found.get(name)?.id === id) continue;
      // It was deleted; perhaps there is another one of its name.
      this.#local.delete(name);
      this.runs.delete(name);
    }
    const missing = [...found].filter(([name]) => !this.runs.has(name)).map(([, { id }]) => id);
    if (missing.length > 0)
      for (const [id, name, parent, start] of await this.#connection.rows(STARTS, [missing])) {
        // Written by `begin`.
        const event = JSON.parse(String(start)) as RunStart & { readonly at: number };
        this.#local.begin(event, parent === null ? {} : { parent: String(parent) });
        this.runs.set(String(name), mirroredRun({ id: Number(id) }));
      }
    for (const [name, { tags, isOver }] of found) {
      const run = this.runs.get(name);
      if (run === undefined) continue;
      if (run.tags !== tags) this.#local.tag(name, JSON.parse(String(tags)) as readonly string[]);
      run.tags = String(tags);
      // It was resumed.
      if (run.isOver && isOver === "f" && !run.isOwn) this.#local.reopen(name);
      if (isOver === "f") run.isOver = false;
    }
  }

  async #pullEvents(name: string, run: MirroredRun, hasCalls: boolean): Promise<void> {
    const journal = this.#local.reopen(name, { isShared: true });
    let hasEnd = false;
    for (let isLast = false; !isLast; ) {
      const read = JSON.stringify(Object.fromEntries(run.read));
      const own = run.isOwn ? this.#writer : 0;
      const rows = await this.#connection.rows(NEW_EVENTS, [run.id, read, own, PAGE]);
      isLast = rows.length < PAGE;
      const identities = new Set<string>();
      for (const [id, writer, data] of rows) {
        const event = eventOf(data);
        journal.append(event);
        run.read.set(Number(writer), Number(id));
        if (event.type === "run-end") hasEnd = true;
        const identity = callIdentity(event);
        if (hasCalls && identity !== undefined && !this.#known.has(identity)) identities.add(identity);
      }
      for (const identity of identities) this.#known.add(identity);
      if (identities.size > 0)
        await this.#keepCalls(await this.#connection.rows(CALLS_OF_RUN, [[0, run.id], [...identities]]));
      await journal.durable();
    }
    if (!hasEnd || run.isOwn) return;
    const [row] = await this.#connection.rows("SELECT is_over FROM run WHERE id = $1", [run.id]);
    run.isOver = row?.[0] === "t";
    // It was resumed after this end.
    if (!run.isOver) this.#local.reopen(name);
  }

  async #pullNewCalls(): Promise<void> {
    for (;;) {
      const read = JSON.stringify(Object.fromEntries(this.#readCalls));
      const rows = await this.#connection.rows(NEW_CALLS, [read, this.#writer, PAGE]);
      await this.#keepCalls(rows);
      for (const [id, , , , , , , , , writer] of rows) this.#readCalls.set(Number(writer), Number(id));
      if (rows.length < PAGE) return;
    }
  }

  async #keepCalls(rows: readonly (readonly unknown[])[]): Promise<void> {
    const hashes = rows.flatMap(([, , , , settings, messages]) => [settings, messages]);
    const parts = new Map<unknown, Part>();
    for (const [hash, previous, data] of await this.#connection.rows(PARTS, [hashes]))
      parts.set(hash, { previous, data: String(data) });
    const lists = new Map<unknown, readonly Message[]>([[null, []]]);
    const names = new Map<unknown, string>([...this.runs].map(([name, { id }]) => [id, name]));
    for (const [, run, identity, purpose, settings, messages, replicate, seed, reply] of rows) {
      const name = names.get(run);
      // Its run was deleted meanwhile.
      if (name === undefined && run !== 0) continue;
      // Written from values of these types.
      const call = {
        identity,
        purpose,
        request: {
          ...(JSON.parse(parts.get(settings)?.data ?? "{}") as object),
          messages: messagesOf(messages, parts, lists),
          replicate,
          seed,
        },
        reply: JSON.parse(String(reply)) as unknown,
      } as RecordedCall;
      (name === undefined ? this.#local.calls : this.#local.callsOf(name)).keep(call);
    }
  }
}

interface Part {
  readonly previous: unknown;
  readonly data: string;
}

/** A list of messages by the hash of its last part. Lists share their messages, which then are stored once. */
function messagesOf(
  hash: unknown,
  parts: ReadonlyMap<unknown, Part>,
  lists: Map<unknown, readonly Message[]>,
): readonly Message[] {
  const added: { readonly hash: unknown; readonly message: Message }[] = [];
  let at = hash;
  for (; !lists.has(at); at = parts.get(at)?.previous ?? null)
    added.push({ hash: at, message: freezeDeep(JSON.parse(parts.get(at)?.data ?? "null") as Message) });
  let list = lists.get(at) ?? [];
  for (const { hash: own, message } of added.reverse()) {
    list = [...list, message];
    lists.set(own, list);
  }
  return list;
}

function eventOf(data: unknown): RunEvent {
  // Written from an event.
  return JSON.parse(String(data)) as RunEvent;
}

const STARTS = "SELECT id, name, parent, start FROM run WHERE id = ANY($1) ORDER BY id";

/** The first events that were not read, over all processes: of a conversation that moved from one to another, none is left out. */
const NEW_EVENTS = `SELECT event.id, event.writer, event.data FROM run_writer JOIN LATERAL (
    SELECT id, writer, data FROM event WHERE event.run = $1 AND event.writer = run_writer.writer
      AND event.id > coalesce(($2::jsonb ->> run_writer.writer::text)::bigint, 0) ORDER BY id LIMIT $4) AS event ON true
  WHERE run_writer.run = $1 AND run_writer.writer <> $3 ORDER BY event.id LIMIT $4`;

const LAST_EVENT = "SELECT max(id) FROM event WHERE run = $1 AND writer = $2";

const LAST_CALL = "SELECT max(id) FROM call WHERE writer = $1";

const EVENTS_OF_RUN = "SELECT data FROM event WHERE run = $1 AND conversation IS NULL ORDER BY id";

const EVENTS_OF_CONVERSATIONS = `SELECT data FROM event WHERE run = $1 AND conversation = ANY($2)
  AND md5(conversation) IN (SELECT md5(name) FROM unnest($2::text[]) AS name) ORDER BY id`;

const CALL = "call.id, call.run, identity, purpose, settings, messages, replicate, seed, reply, call.writer";

const CALLS_OF_RUN = `SELECT ${CALL} FROM call WHERE run = ANY($1) AND identity = ANY($2)`;

const NEW_CALLS = `SELECT ${CALL} FROM writer JOIN LATERAL (
    SELECT * FROM call WHERE call.writer = writer.id
      AND call.id > coalesce(($1::jsonb ->> writer.id::text)::bigint, 0) ORDER BY id LIMIT $3) AS call ON true
  WHERE writer.id <> $2 ORDER BY call.id LIMIT $3`;

const PARTS = `WITH RECURSIVE used (hash) AS (
    SELECT unnest($1::text[]) COLLATE "C"
    UNION SELECT part.previous FROM used JOIN part USING (hash) WHERE part.previous IS NOT NULL)
  SELECT part.hash, part.previous, part.data FROM used JOIN part USING (hash)`;
