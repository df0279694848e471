import { textsIn } from "../text-codec.ts";
import { isAlive, isLost, type PostgresConnection } from "./postgres-connection.ts";
import type { FoundReply } from "./thread-messages.ts";

const REPLY = "SELECT reply FROM call WHERE identity = $1";
const REPLY_OF_RUN = "SELECT reply FROM run_call WHERE run = $2 AND identity = $1";
const TEXTS = "SELECT hash, value FROM text WHERE hash = ANY($1)";

/** A claim of a process that is gone is taken over: it holds its lock no longer. So is that of one that may write nothing more. */
const CLAIM = `INSERT INTO claim (identity, writer) VALUES ($1, $2)
  ON CONFLICT (identity) DO UPDATE SET writer = excluded.writer, at = now()
  WHERE NOT ${isAlive("claim.writer")}
    OR EXISTS (SELECT 1 FROM writer WHERE writer.id = claim.writer AND writer.groups < 0)
  RETURNING writer`;

const RELEASE = "DELETE FROM claim WHERE identity = $1 AND writer = $2";

/** How often a call is asked for that another process makes; calls take seconds. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 300;

/** Finds answered calls, and claims those that are to be made, on a connection that does not wait for groups to be written. */
export class CallClaims {
  readonly #connection: PostgresConnection;
  /** The number of this process. */
  readonly #writer: () => number;
  /** Claims that are waited for. */
  readonly #waiting = new Set<string>();
  #isUsed = false;

  constructor(connection: PostgresConnection, writer: () => number) {
    this.#connection = connection;
    this.#writer = writer;
  }

  /** The answer to a call. */
  async find(identity: string, run: number | null): Promise<FoundReply | undefined> {
    const { rows } = await this.#query(
      run === null ? REPLY : REPLY_OF_RUN,
      run === null ? [identity] : [identity, run],
    );
    const json = rows[0]?.[0];
    if (typeof json !== "string") return undefined;
    const hashes = [...new Set(textsIn(json))];
    const texts = hashes.length === 0 ? [] : (await this.#query(TEXTS, [hashes])).rows;
    // Two texts each.
    return { json, texts: texts as [string, string][] };
  }

  /** The answer to a call, once there is one; undefined as soon as this process may make it. */
  async claim(identity: string): Promise<FoundReply | undefined> {
    this.#waiting.add(identity);
    this.#isUsed = true;
    try {
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
        const { rows } = await this.#query(CLAIM, [identity, this.#writer()]);
        // Looked for after the claim: another process that has just ended its own has kept the answer before.
        const found = await this.find(identity, null);
        if (found !== undefined && rows.length > 0) await this.release(identity);
        if (found !== undefined || rows.length > 0) return found;
        if (!this.#waiting.has(identity)) return undefined;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    } finally {
      this.#waiting.delete(identity);
    }
  }

  /** Lets others make the call; a claim that is waited for is not any more. */
  async release(identity: string): Promise<void> {
    this.#waiting.delete(identity);
    await this.#query(RELEASE, [identity, this.#writer()]);
  }

  /** Others need not wait for this process any more. */
  async close(): Promise<void> {
    if (this.#writer() !== 0 && this.#isUsed)
      await this.#connection.query("DELETE FROM claim WHERE writer = $1", [this.#writer()]).catch(() => {});
    await this.#connection.drop();
  }

  async #query(
    sql: string,
    values: readonly (string | number | readonly string[])[],
  ): ReturnType<PostgresConnection["query"]> {
    for (;;) {
      try {
        return await this.#connection.query(sql, values);
      } catch (error) {
        if (!isLost(error)) throw error;
        await this.#connection.reconnect();
      }
    }
  }
}
