import { ModelError } from "../model/model-error.ts";
import { errorMessage } from "../value/error-message.ts";
import { connectToolServer } from "./connect-tool-server.ts";
import type { ResolvedServer } from "./resolve-tool-servers.ts";
import type { ToolConnection } from "./tool-connection.ts";

/** How a shared server is kept. */
export interface SharedServerOptions {
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** How often a process may be started again. */
  readonly restarts: number;
  readonly hide: (text: string) => string;
}

/** A server that all conversations share: started on first use, once, and again if it has died. */
export class SharedServer {
  readonly #server: ResolvedServer;
  readonly #options: SharedServerOptions;
  readonly #closing = new AbortController();
  readonly #leaving = new Set<Promise<void>>();
  #current: Promise<ToolConnection> | undefined;
  #starts = 0;
  #lastFailure = "It ended by itself.";

  constructor(server: ResolvedServer, options: SharedServerOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** A connection that works as far as is known; who stops waiting for it does not stop it for others. */
  async connection(): Promise<ToolConnection> {
    for (;;) {
      this.#current ??= this.#start();
      const current = this.#current;
      const connection = await current;
      if (!connection.broken) return connection;
      if (this.#current === current) this.#current = undefined;
      const leaving = connection.retire().finally(() => this.#leaving.delete(leaving));
      this.#leaving.add(leaving);
    }
  }

  /** Remembers why a call failed, to be told if the server cannot be started again. */
  noteFailure(error: unknown): void {
    if (error instanceof ModelError && error.category === "tool") this.#lastFailure = errorMessage(error);
  }

  /** Ends the server, even while it is being started. */
  async close(): Promise<void> {
    this.#closing.abort();
    const connection = await this.#current?.catch(() => undefined);
    await Promise.all([connection?.close(), ...this.#leaving]);
  }

  #start(): Promise<ToolConnection> {
    const problem = this.#problem();
    if (problem !== undefined) return Promise.reject(new ModelError("tool", problem));
    this.#starts += 1;
    const { signal } = this.#closing;
    const started = connectToolServer(this.#server, { ...this.#options, signal });
    started.catch((error: unknown) => {
      this.noteFailure(error);
      if (this.#current === started) this.#current = undefined;
    });
    return started;
  }

  #problem(): string | undefined {
    const { name, server } = this.#server;
    const { restarts } = this.#options;
    if (this.#closing.signal.aborted) return `The tool server "${name}" is closed: the run is over.`;
    // To connect again to a server that somebody else runs costs nothing.
    if ("url" in server || this.#starts <= restarts) return undefined;
    const times = this.#starts === 1 ? "once" : `${this.#starts} times`;
    return `The tool server "${name}" stays down: it has been started ${times}. ${this.#lastFailure}`;
  }
}
