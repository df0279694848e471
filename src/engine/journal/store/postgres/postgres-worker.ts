// The program of a thread that owns the connection of a store on a server. It does what it is asked in order.
import { workerData } from "node:worker_threads";
import type { Client } from "pg";
import { errorMessage } from "../../../../core/error-message.ts";
import { StoreError } from "../store-error.ts";
import { CallClaims } from "./call-claims.ts";
import { GroupTransaction } from "./group-transaction.ts";
import { isConflict, isLost, PostgresConnection, SCHEMA_LOCK } from "./postgres-connection.ts";
import { prepareSchema } from "./prepare-schema.ts";
import type {
  ThreadData,
  ThreadProblem,
  ThreadReply,
  ThreadRequest,
  ThreadStart,
} from "./thread-messages.ts";

/** A question blocks the program that asks, so it does not wait for a server as long as writing does. */
const QUESTION_WAIT_MS = 30_000;

const data = workerData as ThreadData;
const signal = new Int32Array(data.signal);
const { port } = data;
let writer = 0;

const connection = new PostgresConnection({
  connection: data.connection,
  schema: data.schema,
  setUp: async (client) => {
    if (writer !== 0) await holdLock(client);
  },
});
const group = new GroupTransaction(connection, data.isReadOnly);

/** A process that is gone no longer holds its lock: others see that it does not write any more. */
async function holdLock(client: Client): Promise<void> {
  await client.query(`SELECT pg_advisory_lock(${SCHEMA_LOCK}, $1)`, [writer]);
}

function send(message: ThreadReply | ThreadStart): void {
  port.postMessage(message);
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
}

function problemOf(error: unknown, isLostNow = false): ThreadProblem {
  const { code = isLost(error) ? "ECONNRESET" : "" } = error as { readonly code?: unknown };
  return { code: String(code), message: errorMessage(error), ...(isLostNow ? { isLost: true } : {}) };
}

/** Made when the first call is looked for. */
const claims = new CallClaims(
  new PostgresConnection({ connection: data.connection, schema: data.schema, setUp: async () => {} }),
  () => writer,
);

async function query(request: ThreadRequest & { readonly kind: "query" }): Promise<ThreadReply> {
  const { id, sql, values, isWithin } = request;
  const ask = (): ReturnType<PostgresConnection["query"]> => connection.query(sql, values);
  const { fields, rows, rowCount } = await (isWithin ? ask() : again(ask));
  const fractions = fields.flatMap(({ dataTypeID }, place) => (FRACTIONS.has(dataTypeID) ? [place] : []));
  const isJson = rows.every((row) =>
    fractions.every((place) => row[place] === null || Number.isFinite(row[place])),
  );
  return {
    id,
    columns: fields.map(({ name }) => name),
    ...(isJson ? { json: JSON.stringify(rows) } : { rows }),
    changed: rowCount ?? 0,
  };
}

/** Double precision and numeric: the types of numbers that may have no end. */
const FRACTIONS: ReadonlySet<number> = new Set([701, 1700]);

/** Does something again when the connection was lost and made again. */
async function again<Result>(action: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isLost(error)) throw error;
      await connection.reconnect(QUESTION_WAIT_MS);
    }
  }
}

async function answer(request: ThreadRequest): Promise<ThreadReply> {
  const { id } = request;
  switch (request.kind) {
    case "group":
      return { id, removals: await group.write(request) };
    case "begin":
      await again(() => group.begin());
      return { id };
    case "query":
      return query(request);
    case "commit":
      return { id, removals: await group.finish(request) };
    case "rollback":
      await group.rollback();
      return { id };
    case "find":
      return { id, found: await claims.find(request.identity, request.run) };
    case "claim":
      return { id, found: await claims.claim(request.identity) };
    case "release":
      await claims.release(request.identity);
      return { id };
    case "close":
      await claims.close();
      await connection.drop();
      return { id };
  }
}

async function start(): Promise<void> {
  try {
    await connection.connect();
    await prepareSchema(connection, data);
    if (!data.isReadOnly) {
      writer = Number((await connection.query("SELECT nextval('writer_id')")).rows[0]?.[0]);
      group.writer = writer;
      await holdLock(await connection.connect());
    }
    send({ writer, removals: await group.readRemovals() });
  } catch (error) {
    if (error instanceof StoreError) send({ error: { code: error.code, message: error.message } });
    else send({ problem: problemOf(error) });
    await connection.drop();
  }
}

const waiting: ThreadRequest[] = [];
let isWorking = false;

async function work(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) await serve(request);
  isWorking = false;
}

async function serve(request: ThreadRequest): Promise<void> {
  try {
    send(await answer(request));
  } catch (error) {
    const isWithin = request.kind === "commit" || (request.kind === "query" && request.isWithin);
    send({ id: request.id, problem: problemOf(error, isWithin && (isLost(error) || isConflict(error))) });
    if (request.kind === "commit") await group.rollback();
  }
  if (request.kind === "close") port.close();
}

/** What has a connection of its own does not wait for groups. */
const APART: ReadonlySet<string> = new Set(["find", "claim", "release"]);

port.on("message", (request: ThreadRequest) => {
  if (APART.has(request.kind)) {
    void serve(request);
    return;
  }
  waiting.push(request);
  void work();
});
await start();
