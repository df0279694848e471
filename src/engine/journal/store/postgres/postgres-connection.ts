import type { Client, ClientConfig, QueryResult } from "pg";
import { StoreError, storeError } from "../store-error.ts";
import type { PostgresAddress } from "./postgres-address.ts";

/** What a connection needs. */
interface ConnectionSettings extends PostgresAddress {
  /** Statements after each connecting. */
  readonly setUp?: (client: Client) => Promise<void>;
}

/** How long a server that is gone is waited for. */
const WAIT_MS = 300_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const CONNECT_MS = 10_000;

/** A server notices within a minute that a process is gone with its machine, and frees what it held. */
const SESSION = `SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;
SET idle_in_transaction_session_timeout = 15000`;

/**
 * The oid of the schema: stores of one database do not wait for each other. With the number of a process, it names the lock that
 * the process holds while it may write.
 */
export const SCHEMA_LOCK = "current_schema()::regnamespace::oid::bigint::int";

/** True if a process of this store, given by an expression of its number, holds its lock: it is alive. */
export function isAlive(writer: string): string {
  return `EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = current_schema()::regnamespace::oid
    AND objid = ${writer} AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
}

/** A connection to a server that is made again when it is lost. */
export class PostgresConnection {
  readonly #settings: ConnectionSettings;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  readonly #names = new Map<string, string>();
  #underWay = 0;
  #isClosed = false;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** Connects; throws if that is not possible now. */
  async connect(): Promise<Client> {
    if (this.#isClosed) throw new StoreError("closed", `The store ${this.#settings.shown} is closed.`);
    if (this.#client !== undefined) return this.#client;
    // One connection for all who ask meanwhile: on two, statements would not be done in order.
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #open(): Promise<Client> {
    const { connection, schema, setUp } = this.#settings;
    const pg = await driver();
    const config: ClientConfig = {
      connectionString: connection,
      application_name: "elenchus",
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 20_000,
      pipeline: true,
      // Sums and counts are numbers: none of them is near 2^53.
      types: { getTypeParser: (id: number) => (NUMBERS.has(id) ? Number : String) },
    };
    const client = new pg.Client(config);
    client.on("error", () => this.#lose(client));
    client.on("end", () => this.#lose(client));
    try {
      await client.connect();
      await client.query(SESSION);
      await client.query(`SET search_path = ${pg.escapeIdentifier(schema)}, pg_temp`);
      await setUp?.(client);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    keepAlive(client, false);
    this.#client = client;
    return client;
  }

  /** Connects, and waits for a server that was there before and is gone. */
  async reconnect(waitMs: number = WAIT_MS): Promise<void> {
    const start = performance.now();
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        await this.connect();
        return;
      } catch (error) {
        if (!isLost(error) || performance.now() - start + pause > waitMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  /** Runs a statement, prepared once. Several may be under way: the server does them in order. */
  async query(sql: string, values: readonly unknown[] = []): Promise<QueryResult<unknown[]>> {
    const client = await this.connect();
    let name = this.#names.get(sql);
    if (name === undefined) {
      name = `s${this.#names.size}`;
      this.#names.set(sql, name);
    }
    // Lists of values are what `rowMode` gives.
    const asked = { name, text: sql, values: values as unknown[], rowMode: "array" } as const;
    return this.#keepingAlive(client, () => client.query<unknown[]>(asked));
  }

  /** The rows of a statement that may be done again, once the server is there. Throws `StoreError`. */
  async rows(sql: string, values: readonly unknown[] = []): Promise<readonly (readonly unknown[])[]> {
    return (await this.repeated(sql, values)).rows;
  }

  /** The same with the names of the columns. `again` are the values where the statement was perhaps done already. */
  async repeated(
    sql: string,
    values: readonly unknown[],
    again: readonly unknown[] = values,
  ): Promise<QueryResult<unknown[]>> {
    try {
      for (let given = values; ; ) {
        try {
          return await this.query(sql, given);
        } catch (error) {
          if (isConflict(error)) continue;
          if (!isLost(error)) throw error;
          given = again;
          await this.reconnect();
        }
      }
    } catch (error) {
      throw storeError(error, this.#settings.shown);
    }
  }

  /** Statements without values and results. */
  async exec(sql: string): Promise<void> {
    const client = await this.connect();
    await this.#keepingAlive(client, () => client.query(sql));
  }

  /** A connection on which nothing is under way does not keep the program alive. */
  async #keepingAlive<Result>(client: Client, ask: () => Promise<Result>): Promise<Result> {
    if (this.#underWay++ === 0) keepAlive(client, true);
    try {
      return await ask();
    } finally {
      if (--this.#underWay === 0) keepAlive(client, false);
    }
  }

  /** Ends the connection for good: nothing is waited for any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.drop();
  }

  /** Cuts the connection: what was begun on it is rolled back. */
  async drop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    keepAlive(client, true);
    await client.end().catch(() => {});
  }

  #lose(client: Client): void {
    if (this.#client === client) this.#client = undefined;
  }
}

/** Its types do not have these methods of the driver. */
function keepAlive(client: Client, isNeeded: boolean): void {
  const socket = client as unknown as { ref(): void; unref(): void };
  if (isNeeded) socket.ref();
  else socket.unref();
}

/** The driver is installed by those who need it. */
async function driver(): Promise<typeof import("pg")["default"]> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new StoreError(
      "io",
      "A store on a PostgreSQL server needs the package pg. Install it: npm install pg",
    );
  }
}

/** bigint, smallint, integer, double precision and numeric. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 701, 1700]);

/** True if a connection was cut, or cannot be made for now. */
export function isLost(error: unknown): boolean {
  const { code = "", message = "" } = error as { readonly code?: string; readonly message?: string };
  return (
    LOST.test(code) ||
    (code === "" &&
      /^(?:Connection terminated|Client (?:was closed|has encountered)|timeout exp)/.test(message))
  );
}

const LOST =
  /^(?:08...|57P0[123]|25P03|53300|ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN)$/;

/** True if the transaction met another one, and may be tried again. */
export function isConflict(error: unknown): boolean {
  const { code } = error as { readonly code?: string };
  return code === "40P01" || code === "40001";
}
