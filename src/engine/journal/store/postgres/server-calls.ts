import type { ModelReply } from "../../../models/model.ts";
import { untilAborted } from "../../../models/to-model-error.ts";
import type { CallClaim } from "../store.ts";
import { isAlive, type PostgresConnection } from "./postgres-connection.ts";
import { callKey, type ServerLog } from "./server-log.ts";

const REPLY = "SELECT reply FROM call WHERE run = $1 AND identity = $2";

/** A claim of a process that is gone is taken over: it holds its lock no longer. So is that of one that may write nothing more. */
const CLAIM = `INSERT INTO claim (identity, writer) VALUES ($1, $2)
  ON CONFLICT (identity) DO UPDATE SET writer = excluded.writer
  WHERE NOT ${isAlive("claim.writer")}
    OR EXISTS (SELECT 1 FROM writer WHERE writer.id = claim.writer AND writer.groups < 0)
  RETURNING writer`;

const RELEASE = "DELETE FROM claim WHERE identity = $1 AND writer = $2";

/** How often to look for the answer to a call that another process makes; calls take seconds. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 300;

/** Finds answered calls, and claims those that are to be made. */
export class ServerCalls {
  readonly #connection: PostgresConnection;
  /** The process that has claimed calls; 0 if none was. */
  #writer = 0;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  /** The answer to a call of a run, or of the project (0). */
  async find(run: number, identity: string): Promise<ModelReply | undefined> {
    const [row] = await this.#connection.rows(REPLY, [run, callKey(identity)]);
    // Written from a reply.
    return row === undefined ? undefined : (JSON.parse(String(row[0])) as ModelReply);
  }

  /** The answer to a call as soon as there is one, or the permission to make it. */
  async claim(log: ServerLog, identity: string, signal: AbortSignal): Promise<CallClaim> {
    const key = callKey(identity);
    const { writer } = log;
    this.#writer = writer;
    const release = (): void => void this.#connection.rows(RELEASE, [key, writer]).catch(() => {});
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const isMine = (await this.#connection.rows(CLAIM, [key, writer])).length > 0;
      // Looked for after the claim: another process that has just ended its own has kept the answer before.
      const reply = await this.find(0, identity);
      if (isMine && (reply !== undefined || signal.aborted)) release();
      if (reply !== undefined) return { reply };
      if (signal.aborted) throw signal.reason;
      // The answer must be there for others before they may make the call.
      if (isMine) return { release: () => void (log.durable() ?? Promise.resolve()).then(release, release) };
      const paused = new Promise((resolve) => setTimeout(resolve, pause));
      await untilAborted(signal, paused, () => signal.reason);
    }
  }

  /** Lets others make the calls that this process has claimed. */
  async close(): Promise<void> {
    if (this.#writer !== 0)
      await this.#connection.query("DELETE FROM claim WHERE writer = $1", [this.#writer]).catch(() => {});
  }
}
