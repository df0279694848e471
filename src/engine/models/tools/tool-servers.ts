import { DEFAULTS } from "../../../core/defaults.ts";
import type { Environment } from "../../../core/environment.ts";
import { errorMessage } from "../../../core/error-message.ts";
import type { ToolFilter } from "../../../core/scenario/definition.ts";
import { isRecord, type JsonObject, type JsonValue, typeName } from "../../../core/values/json.ts";
import { SecretMatcher } from "../../../system/secrets/known-secrets.ts";
import { maskSecretsIn, rememberSecrets } from "../../../system/secrets/mask-secrets.ts";
import { privateParts } from "../../../system/secrets/secret-data.ts";
import { ModelError } from "../model-error.ts";
import { abortedCall } from "../to-model-error.ts";
import { untilAborted } from "../until-aborted.ts";
import { connectToolServer } from "./connect-tool-server.ts";
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
  const {
    environment = process.env,
    startTimeoutMs = DEFAULTS.toolStartTimeoutMs,
    callTimeoutMs = DEFAULTS.toolCallTimeoutMs,
    restarts = DEFAULTS.toolRestarts,
    clock = machineTime,
  } = options;
  const shared = new Map(
    resolveToolServers(servers, environment).map((server) => {
      rememberSecrets(server.secrets.flatMap(privateParts));
      // With their words: of `Bearer …`, servers repeat the token alone.
      const matcher = new SecretMatcher(server.secrets.flatMap((secret) => [secret, ...secret.split(/\s+/)]));
      const hide = (text: string): string => matcher.mask(text);
      return [
        server.name,
        new SharedServer(server, { startTimeoutMs, callTimeoutMs, restarts, hide, clock }),
      ];
    }),
  );
  return new OpenToolServers(shared);
}

/** An offer, and the listings it was made from: as long as these are the same, so is the offer. */
interface KnownOffer {
  readonly listings: readonly ToolListing[];
  readonly offer: ToolOffer;
}

class OpenToolServers implements ToolServers {
  readonly #servers: ReadonlyMap<string, SharedServer>;
  readonly #names: readonly string[];
  /** By filter, of which there are as many as nodes. */
  readonly #offers = new Map<string, KnownOffer>();

  constructor(servers: ReadonlyMap<string, SharedServer>) {
    this.#servers = servers;
    this.#names = [...servers.keys()];
  }

  async offered(filter: ToolFilter | undefined, signal: AbortSignal): Promise<ToolOffer> {
    const names = neededServers(this.#names, filter);
    const listings = await unlessAborted(allInOrder(names.map((name) => this.#listing(name))), signal);
    const key = JSON.stringify(filter ?? null);
    const known = this.#offers.get(key);
    if (known?.listings.every((listing, position) => listing === listings[position])) return known.offer;
    // There is a listing for each name.
    const byName = new Map(names.map((name, position) => [name, listings[position] as ToolListing]));
    const offer = offerTools(this.#names, byName, filter);
    this.#offers.set(key, { listings, offer });
    return offer;
  }

  async call(tool: OfferedTool, input: JsonValue, signal: AbortSignal): Promise<ToolOutput> {
    const server = this.#server(tool.server);
    if (!isRecord(input)) {
      const output = `The input of the tool "${tool.name}" must be an object, not ${typeName(input)}.`;
      return { output, isError: true };
    }
    const connection = await unlessAborted(server.connection(), signal);
    try {
      // A JSON value that is a record is an object.
      return maskSecretsIn(await connection.call(tool.tool, input as JsonObject, signal));
    } catch (error) {
      server.noteFailure(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  async #listing(name: string): Promise<ToolListing> {
    const server = this.#server(name);
    try {
      return await (await server.connection()).listing();
    } catch (error) {
      server.noteFailure(error);
      throw error;
    }
  }

  #server(name: string): SharedServer {
    const server = this.#servers.get(name);
    if (server === undefined) throw new ModelError("tool", `The run has no tool server "${name}".`);
    return server;
  }
}

/** Stops waiting when the signal is aborted. The promise is shared: it continues for others. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return untilAborted(signal, promise, () => abortedCall(signal, "The tool servers"));
}

/** How a shared server is kept. */
export interface SharedServerOptions {
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** How often a process may be started again. */
  readonly restarts: number;
  readonly hide: (text: string) => string;
  readonly clock: ToolClock;
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

  /** Keeps why a call failed, for the error when the server cannot be started again. */
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
    // A server with a URL is not ours to start; connecting again costs nothing.
    if ("url" in server || this.#starts <= restarts) return undefined;
    const times = this.#starts === 1 ? "once" : `${this.#starts} times`;
    return `The tool server "${name}" stays down: it has been started ${times}. ${this.#lastFailure}`;
  }
}
