import { ModelError } from "../model/model-error.ts";
import { abortedCall } from "../model/to-model-error.ts";
import { untilAborted } from "../model/until-aborted.ts";
import type { ToolFilter } from "../scenario/scenario-node.ts";
import { isRecord, type JsonObject, type JsonValue, typeName } from "../value/json.ts";
import { allAtRest } from "./all-at-rest.ts";
import { hideSecrets } from "./hide-secrets.ts";
import type { ToolListing } from "./listed-tools.ts";
import { neededServers, type OfferedTool, offerTools, type ToolOffer } from "./offered-tools.ts";
import { resolveToolServers } from "./resolve-tool-servers.ts";
import { SharedServer } from "./shared-server.ts";
import type { ToolOutput } from "./tool-output.ts";
import type { Environment, ToolServer } from "./tool-server.ts";

/** How tool servers are used. */
export interface ToolServersOptions {
  /** Where references are looked up, and from which processes get the few variables they need; default `process.env`. */
  readonly environment?: Environment;
  readonly startTimeoutMs?: number;
  readonly callTimeoutMs?: number;
  /** How often a process that ended may be started again. */
  readonly restarts?: number;
  /** Takes secrets out of whatever is quoted. */
  readonly redact?: (text: string) => string;
}

/** The tool servers of a run, shared by all its conversations. */
export interface ToolServers {
  /** The tools of a turn. Starts the servers that it needs; throws `ModelError` if one cannot be used. */
  offered(filter: ToolFilter | undefined, signal: AbortSignal): Promise<ToolOffer>;
  /** Calls a tool that was offered. A tool's own failure is a result; `ModelError` means that there is none. */
  call(tool: OfferedTool, input: JsonValue, signal: AbortSignal): Promise<ToolOutput>;
  /** Ends all servers; nothing of them is left when it resolves. */
  close(): Promise<void>;
}

/** Makes the tool servers of a configuration usable. None is started yet; a wrong configuration throws `ModelError`. */
export function openToolServers(
  servers: Readonly<Record<string, ToolServer>>,
  options: ToolServersOptions = {},
): ToolServers {
  const {
    environment = process.env,
    startTimeoutMs = 30_000,
    callTimeoutMs = 60_000,
    restarts = 3,
  } = options;
  const redact = options.redact ?? ((text: string) => text);
  const shared = new Map(
    resolveToolServers(servers, environment).map((server) => {
      const hide = hideSecrets(server.secrets, redact);
      return [server.name, new SharedServer(server, { startTimeoutMs, callTimeoutMs, restarts, hide })];
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
    const listings = await unlessAborted(allAtRest(names.map((name) => this.#listing(name))), signal);
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
      return await connection.call(tool.tool, input as JsonObject, signal);
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

/** Waits no longer than the signal allows; what is waited for is shared, and goes on for others. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return untilAborted(signal, promise, () => abortedCall(signal, "The tool servers"));
}
