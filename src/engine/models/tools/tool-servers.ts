import { DEFAULTS } from "../../../core/defaults.ts";
import type { Environment } from "../../../core/environment.ts";
import { errorMessage } from "../../../core/error-message.ts";
import type { ToolFilter } from "../../../core/scenario/definition.ts";
import { isRecord, type JsonObject, type JsonValue, typeName } from "../../../core/values/json.ts";
import { SecretMatcher } from "../../../system/secrets/known-secrets.ts";
import { maskSecretsIn, rememberSecrets } from "../../../system/secrets/mask-secrets.ts";
import { privateParts } from "../../../system/secrets/secret-data.ts";
import { ModelError } from "../model-error.ts";
import { abortedCall, untilAborted } from "../to-model-error.ts";
import { type ConnectOptions, connectToolServer } from "./connect-tool-server.ts";
import {
  neededServers,
  type OfferedTool,
  offerTools,
  type ToolListing,
  type ToolOffer,
} from "./offered-tools.ts";
import { type ResolvedServer, resolveToolServers, type ToolServer } from "./resolve-tool-servers.ts";
import { allInOrder } from "./run-tool-loop.ts";
import type { ToolClock } from "./server-process.ts";
import type { ToolConnection } from "./tool-connection.ts";
import type { ToolOutput } from "./tool-output.ts";

/** How tool servers are used. */
export interface ToolServersOptions {
  /** Where references are looked up, and where processes get their minimal environment from; default `process.env`. */
  readonly environment?: Environment;
  readonly startTimeoutMs?: number;
  readonly callTimeoutMs?: number;
  /** How often a process that ended may be started again. */
  readonly restarts?: number;
  /** For the time limits; default: the time of the machine. */
  readonly clock?: ToolClock;
}

const machineTime: ToolClock = {
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** The tool servers of a run, shared by all its conversations. */
export interface ToolServers {
  /** The tools of a turn. Starts the servers that it needs; throws `ModelError` if one cannot be used. */
  offered(filter: ToolFilter | undefined, signal: AbortSignal): Promise<ToolOffer>;
  /** Calls a tool that was offered. A tool's own failure is a result; `ModelError` means that there is none. */
  call(tool: OfferedTool, input: JsonValue, signal: AbortSignal): Promise<ToolOutput>;
  /** Ends all servers; nothing of them is left when it resolves. */
  close(): Promise<void>;
}

/** Prepares the tool servers of a configuration. None is started yet; a wrong configuration throws `ModelError`. */
export function openToolServers(
  servers: Readonly<Record<string, ToolServer>>,
  options: ToolServersOptions = {},
): ToolServers {
  const shared = new Map(
    resolveToolServers(servers, options.environment ?? process.env).map((server) => {
      rememberSecrets(server.secrets.flatMap(privateParts));
      return [server.name, new SharedServer(server, options)];
    }),
  );
  const names = [...shared.keys()];
  /** By filter, of which there are as many as nodes: as long as the listings are the same, so is the offer. */
  const offers = new Map<
    string,
    { readonly listings: ReadonlyMap<string, ToolListing>; readonly offer: ToolOffer }
  >();
  const serverNamed = (name: string): SharedServer => {
    const server = shared.get(name);
    if (server === undefined) throw new ModelError("tool", `The run has no tool server "${name}".`);
    return server;
  };
  return {
    async offered(filter, signal) {
      const needed = neededServers(names, filter);
      const reading = needed.map(
        async (name) => [name, await serverNamed(name).use((connection) => connection.listing())] as const,
      );
      const listings = new Map(await unlessAborted(allInOrder(reading), signal));
      const key = JSON.stringify(filter ?? null);
      const known = offers.get(key);
      const isKnown =
        known !== undefined && needed.every((name) => known.listings.get(name) === listings.get(name));
      if (isKnown) return known.offer;
      const offer = offerTools(names, listings, filter);
      offers.set(key, { listings, offer });
      return offer;
    },
    async call(tool, input, signal) {
      const server = serverNamed(tool.server);
      if (!isRecord(input)) {
        const output = `The input of the tool "${tool.name}" must be an object, not ${typeName(input)}.`;
        return { output, isError: true };
      }
      await unlessAborted(server.connection(), signal);
      // A JSON value that is a record is an object.
      return server.use(async (connection) =>
        maskSecretsIn(await connection.call(tool.tool, input as JsonObject, signal)),
      );
    },
    async close() {
      await Promise.all([...shared.values()].map((server) => server.close()));
    },
  };
}

/** Stops waiting when the signal is aborted. The promise is shared: it continues for others. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return untilAborted(signal, promise, () => abortedCall(signal, "The tool servers"));
}

/** A server that all conversations share: started on first use, once, and again if it has died. */
class SharedServer {
  readonly #server: ResolvedServer;
  readonly #restarts: number;
  readonly #connect: ConnectOptions;
  readonly #closing = new AbortController();
  readonly #leaving = new Set<Promise<void>>();
  #current: Promise<ToolConnection> | undefined;
  #starts = 0;
  #lastFailure = "It ended by itself.";

  constructor(server: ResolvedServer, options: ToolServersOptions) {
    this.#server = server;
    this.#restarts = options.restarts ?? DEFAULTS.toolRestarts;
    // With their words: of `Bearer …`, servers repeat the token alone.
    const secrets = new SecretMatcher(server.secrets.flatMap((secret) => [secret, ...secret.split(/\s+/)]));
    this.#connect = {
      startTimeoutMs: options.startTimeoutMs ?? DEFAULTS.toolStartTimeoutMs,
      callTimeoutMs: options.callTimeoutMs ?? DEFAULTS.toolCallTimeoutMs,
      clock: options.clock ?? machineTime,
      hide: (text) => secrets.mask(text),
      signal: this.#closing.signal,
    };
  }

  /** A connection that is not known to be broken. A caller that stops waiting for it does not stop it for others. */
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

  /** Does something with a connection; why it failed is said when the server cannot be started again. */
  async use<Result>(work: (connection: ToolConnection) => Promise<Result>): Promise<Result> {
    try {
      return await work(await this.connection());
    } catch (error) {
      this.#noteFailure(error);
      throw error;
    }
  }

  #noteFailure(error: unknown): void {
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
    const started = connectToolServer(this.#server, this.#connect);
    started.catch((error: unknown) => {
      this.#noteFailure(error);
      if (this.#current === started) this.#current = undefined;
    });
    return started;
  }

  #problem(): string | undefined {
    const { name, server } = this.#server;
    if (this.#closing.signal.aborted) return `The tool server "${name}" is closed: the run is over.`;
    // A server with a URL is not ours to start; connecting again costs nothing.
    if ("url" in server || this.#starts <= this.#restarts) return undefined;
    const times = this.#starts === 1 ? "once" : `${this.#starts} times`;
    return `The tool server "${name}" stays down: it has been started ${times}. ${this.#lastFailure}`;
  }
}
