import type { MCPClient, MCPClientConfig } from "@ai-sdk/mcp";
import { errorMessage } from "../../../core/error-message.ts";
import { isRecord, type JsonObject } from "../../../core/values/json.ts";
import { ModelError } from "../model-error.ts";
import { abortedCall } from "../to-model-error.ts";
import { NO_ANSWER } from "./http-fetch.ts";
import { readListing, type ToolListing } from "./offered-tools.ts";
import type { ToolClock } from "./server-process.ts";
import { cutText, type ToolOutput, toolOutput } from "./tool-output.ts";

/** What a connection to a server consists of. */
interface ConnectionParts {
  readonly name: string;
  readonly client: MCPClient;
  readonly link: ServerLink;
  readonly callTimeoutMs: number;
  readonly clock: ToolClock;
}

/** JSON-RPC errors about the protocol; all others come from the tool. */
const PROTOCOL_ERRORS: readonly unknown[] = [-32700, -32600, -32601, -32020, -32021, -32022, NO_ANSWER];

/** A server that has been started and has done the handshake, shared by all callers of its tools. */
export class ToolConnection {
  readonly #parts: ConnectionParts;
  #listing: Promise<ToolListing> | undefined;
  #discarded: string | undefined;
  #inFlight = 0;
  #onIdle: (() => void) | undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /** True if the next caller must connect again. */
  get broken(): boolean {
    return this.#discarded !== undefined || this.#parts.link.isBroken();
  }

  /** The tools of the server; requested once. */
  listing(): Promise<ToolListing> {
    this.#listing ??= this.#list();
    return this.#listing;
  }

  /** Calls a tool. A failure that the tool reports is a result; a missing answer is thrown. */
  async call(tool: string, input: JsonObject, signal: AbortSignal): Promise<ToolOutput> {
    const doing = `the tool "${tool.slice(0, 100)}" was called`;
    const limit = timeLimit(this.#parts, signal);
    this.#inFlight += 1;
    try {
      const options = { signal: limit.signal };
      return toolOutput(await this.#parts.client.callTool({ name: tool, arguments: { ...input }, options }));
    } catch (error) {
      if (signal.aborted) throw abortedCall(signal, `The tool "${tool}"`);
      if (limit.reached()) throw await this.#outOfTime(doing);
      const said = saidByTool(error);
      if (said !== undefined) return { output: cutText(said), isError: true };
      throw this.#failure(error, doing);
    } finally {
      limit.clear();
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#onIdle?.();
    }
  }

  /** Closes a broken connection when its last call has ended. */
  async retire(): Promise<void> {
    if (this.#inFlight > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await this.close();
  }

  /** No process is left when it resolves. */
  async close(): Promise<void> {
    this.#discarded ??= "was closed";
    await this.#parts.client.close().catch(() => {});
    await this.#parts.link.close();
  }

  async #list(): Promise<ToolListing> {
    const { name, client } = this.#parts;
    if (client.initializeResult.capabilities.tools === undefined)
      return { tools: [], warnings: [`The tool server "${name}" offers no tools.`] };
    const limit = timeLimit(this.#parts);
    try {
      return await readListing(name, async (cursor) =>
        client.listTools({
          params: cursor === undefined ? {} : { cursor },
          options: { signal: limit.signal },
        }),
      );
    } catch (error) {
      this.#listing = undefined;
      if (limit.reached()) throw await this.#outOfTime("its tools were listed");
      throw this.#failure(error, "its tools were listed");
    } finally {
      limit.clear();
    }
  }

  /** A slow tool must not end the server for others. A server that answers nothing at all is ended. */
  async #outOfTime(doing: string): Promise<ModelError> {
    const { name, link, callTimeoutMs } = this.#parts;
    const seconds = callTimeoutMs / 1_000;
    const hangs = !this.broken && !(await link.responds());
    if (hangs) {
      this.#discarded ??= `was ended because it hung while ${doing}`;
      // Other callers get the reason from the closed connection. The error does not wait for the process to end.
      void this.close();
    }
    const state = hangs
      ? " It does not react to anything any more, and will be started again when needed."
      : "";
    return new ModelError(
      "tool",
      `The tool server "${name}" did not answer within ${seconds} s while ${doing}.${state}`,
    );
  }

  #failure(error: unknown, doing: string): ModelError {
    const { name, link } = this.#parts;
    link.note(error);
    const words =
      this.#discarded !== undefined ? `${this.#discarded}.` : link.explain(withDetail(error), doing);
    return new ModelError("tool", `The tool server "${name}" ${words}`);
  }
}

function saidByTool(error: unknown): string | undefined {
  if (!isRecord(error) || typeof error.code !== "number" || error.statusCode !== undefined) return undefined;
  return PROTOCOL_ERRORS.includes(error.code) ? undefined : errorMessage(error);
}

/** The client only says that it cannot read an answer; the first thing that is wrong with it is in the cause. */
function withDetail(error: unknown): unknown {
  const cause = isRecord(error) ? error.cause : undefined;
  const issue: unknown = isRecord(cause) && Array.isArray(cause.issues) ? cause.issues[0] : undefined;
  if (!isRecord(issue)) return error;
  const path = Array.isArray(issue.path) ? issue.path.join(".") : "";
  return new Error(`its answer is not what the protocol says (${path}: ${errorMessage(issue.message)})`);
}

/** The time limit of a call: aborts after it, or with another signal. */
interface TimeLimit {
  readonly signal: AbortSignal;
  /** True if it was the time that ran out. */
  reached(): boolean;
  clear(): void;
}

function timeLimit({ callTimeoutMs, clock }: ConnectionParts, other?: AbortSignal): TimeLimit {
  const time = new AbortController();
  return {
    signal: other === undefined ? time.signal : AbortSignal.any([time.signal, other]),
    reached: () => time.signal.aborted,
    clear: clock.after(callTimeoutMs, () => time.abort()),
  };
}

/** The connection to a server, which can explain its failures. */
export interface ServerLink {
  readonly transport: MCPClientConfig["transport"];
  /** True if the run starts the server as a process; the number of restarts is limited. */
  readonly startsProcess: boolean;
  /** Why there is no answer, in words that go on from `The tool server "files" …`, with what to check. */
  explain(error: unknown, doing: string): string;
  /** What to check if the server does not answer the handshake. */
  silence(): string;
  /** True if the link cannot be used any more. */
  isBroken(): boolean;
  /** Looks at an error: some mean that the link is broken. */
  note(error: unknown): void;
  /** Called after a time-out: true if the server still answers anything. */
  responds(): Promise<boolean>;
  /** Frees everything; no process is left when it resolves. */
  close(): Promise<void>;
}
