import type { JSONRPCMessage, MCPTransport } from "@ai-sdk/mcp";
import { errorMessage } from "../../../core/error-message.ts";
import { isRecord, type UnknownRecord } from "../../../core/values/json.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import type { ToolProcess } from "./resolve-tool-servers.ts";
import { OutputTail, ServerProcess, type ToolClock } from "./server-process.ts";
import type { ServerLink } from "./tool-connection.ts";

const PING_MS = 2_000;

/** What a stdio link needs besides the server. */
interface StdioLinkOptions extends StdioTransportOptions {
  /** Takes secrets out of what the server wrote. */
  readonly hide: (text: string) => string;
  readonly callTimeoutMs: number;
}

/** The link to a server that is a process of ours. */
export function stdioLink(server: ToolProcess, options: StdioLinkOptions): ServerLink {
  const { hide, callTimeoutMs } = options;
  const transport = new StdioTransport(server, options);
  const lastOutput = (): string => {
    const lines = transport.process.errors.show(hide) || transport.strayOutput.show(hide);
    return lines === "" ? "" : ` Its last output: ${lines}`;
  };
  return {
    transport,
    startsProcess: true,
    explain(error, doing) {
      const { end } = transport.process;
      if (transport.failure !== undefined) return `${transport.failure} while ${doing}.${lastOutput()}`;
      if (end?.byItself === true)
        return `ended while ${doing} (${end.signal === null ? `exit code ${end.code}` : `signal ${end.signal}`}).${lastOutput()}`;
      const code = isRecord(error) ? error.code : undefined;
      if (typeof code === "string") return spawnProblem(server, code);
      return `failed while ${doing}: ${redactSecrets(hide(errorMessage(error))).slice(0, 1_000)}.${lastOutput()}`;
    },
    silence: () =>
      `Check that its \`command\` starts an MCP server that speaks over stdio, and writes nothing else there.${lastOutput()}`,
    isBroken: () => transport.failure !== undefined || transport.process.end !== undefined,
    note() {},
    responds: () => transport.responds(Math.min(PING_MS, callTimeoutMs)),
    close: () => transport.close(),
  };
}

function spawnProblem({ command, cwd }: ToolProcess, code: string): string {
  const { existsSync } = process.getBuiltinModule("node:fs");
  if (cwd !== undefined && !existsSync(cwd))
    return `could not be started: its folder "${cwd}" does not exist. Check its \`cwd\`.`;
  if (code === "ENOENT")
    return `could not be started: there is no command "${command}". Check its \`command\`, and that it is installed and on the PATH.`;
  if (code === "EACCES")
    return `could not be started: "${command}" may not be executed. Check its \`command\` and the file's permissions.`;
  return `could not be started (${code}). Check its \`command\`, \`args\` and \`env\`.`;
}

type SendOptions = Parameters<MCPTransport["send"]>[1];

/** What a stdio transport needs besides the server. */
interface StdioTransportOptions {
  /** Throws at what is not a message of JSON-RPC. */
  readonly validate: (message: unknown) => JSONRPCMessage;
  /** True to begin with the newest protocol version, which has no handshake. */
  readonly discovery: boolean;
  readonly clock: ToolClock;
}

const LINE_LIMIT = 16_000_000;
/** How much a server may write between two answers: notifications, logs, lines that are no messages. */
const SILENCE_LIMIT = 32_000_000;

/**
 * MCP over the standard streams of a process: one JSON message a line. Unlike the library's transport, it knows why a server
 * ended, limits what it reads, and leaves no process behind (docs/decisions/014-mcp-stdio.md).
 */
class StdioTransport implements MCPTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly supportsProtocolVersionDiscovery: boolean;
  readonly waitsForProtocolVersionDiscovery: boolean;
  /** How the server broke the protocol, if it did; the process is then ended. */
  failure: string | undefined;
  readonly process: ServerProcess;
  /** Lines on standard output that are no messages. */
  readonly strayOutput: OutputTail = new OutputTail();
  readonly #validate: (message: unknown) => JSONRPCMessage;
  readonly #clock: ToolClock;
  readonly #unanswered = new Set<number>();
  #heard: (() => void) | undefined;
  #pings = 0;
  #silence = 0;

  constructor(server: ToolProcess, { validate, discovery, clock }: StdioTransportOptions) {
    this.#validate = validate;
    this.#clock = clock;
    this.supportsProtocolVersionDiscovery = discovery;
    this.waitsForProtocolVersionDiscovery = discovery;
    const read = lineReader({
      limit: LINE_LIMIT,
      onLine: (line) => this.#read(line),
      onOverflow: () => this.#break("wrote a line of more than 16 MB"),
    });
    const listener = {
      output: (chunk: Buffer): void => {
        this.#silence += chunk.length;
        if (this.#silence > SILENCE_LIMIT) this.#break("wrote more than 32 MB without an answer");
        else if (this.failure === undefined) read(chunk);
      },
      ended: () => this.onclose?.(),
    };
    this.process = new ServerProcess(server, listener, clock);
  }

  start(): Promise<void> {
    return this.process.start();
  }

  async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    this.#write(message);
    if (!("id" in message) || !("method" in message)) return;
    const id = Number(message.id);
    this.#unanswered.add(id);
    options?.signal?.addEventListener("abort", () => this.#cancel(id), { once: true });
  }

  close(): Promise<void> {
    return this.process.stop();
  }

  /** True if the server writes any message within a time. Any answer to a ping counts, also "method not found". */
  async responds(withinMs: number): Promise<boolean> {
    if (this.process.end !== undefined) return false;
    const heard = Promise.withResolvers<boolean>();
    this.#heard = () => heard.resolve(true);
    const cancel = this.#clock.after(withinMs, () => heard.resolve(false));
    this.#write({ jsonrpc: "2.0", id: `ping-${++this.#pings}`, method: "ping" });
    const answer = await heard.promise;
    cancel();
    return answer;
  }

  #write(message: JSONRPCMessage): void {
    // The process has ended: `onclose` has failed the calls in flight.
    if (this.process.end !== undefined) return;
    if (!this.process.write(`${JSON.stringify(message)}\n`)) this.#break("does not read what it is sent");
  }

  /** Lets the server stop working on a call that was cancelled. */
  #cancel(id: number): void {
    if (!this.#unanswered.delete(id)) return;
    this.#write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
  }

  #read(line: string): void {
    if (line.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.strayOutput.add(`${line}\n`);
      return;
    }
    // Older versions of the protocol have lists of messages.
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!messages.every(isMessage)) this.strayOutput.add(`${line}\n`);
    for (const message of messages.filter(isMessage)) this.#take(message);
  }

  #take(message: UnknownRecord): void {
    this.#heard?.();
    const { id } = message;
    // Notifications are not used. They are dropped here, so that a flood of them costs little.
    if (id === undefined || id === null) return;
    if (!("method" in message)) {
      // An answer to a ping, or to what has been cancelled.
      if (!this.#unanswered.delete(Number(id))) return;
      this.#silence = 0;
    }
    this.#deliver(message);
  }

  #deliver(message: UnknownRecord): void {
    try {
      this.onmessage?.(this.#valid(message));
    } catch {
      // The client throws if it does not expect a message; a server must not crash the run with one.
    }
  }

  /** A broken answer becomes an error, so that its call does not wait until the time limit. */
  #valid(message: UnknownRecord): JSONRPCMessage {
    try {
      return this.#validate(message);
    } catch {
      const error = { code: -32700, message: "its answer is not a JSON-RPC response" };
      return { jsonrpc: "2.0", id: Number(message.id), error };
    }
  }

  #break(failure: string): void {
    this.failure ??= failure;
    this.process.kill();
  }
}

function isMessage(value: unknown): value is UnknownRecord {
  return isRecord(value) && value.jsonrpc === "2.0";
}

const LINE_FEED = 10;

/** What is done with lines, and where one is longer than the limit. */
interface LineListener {
  readonly limit: number;
  readonly onLine: (line: string) => void;
  readonly onOverflow: () => void;
}

/** Splits a stream of bytes into lines. After a line that is too long, all input is ignored. */
export function lineReader({ limit, onLine, onOverflow }: LineListener): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let length = 0;
  return (chunk) => {
    let start = 0;
    while (length <= limit) {
      const end = chunk.indexOf(LINE_FEED, start);
      const piece = chunk.subarray(start, end === -1 ? undefined : end);
      length += piece.length;
      pieces.push(piece);
      if (length > limit) {
        pieces = [];
        onOverflow();
      } else if (end === -1) return;
      else {
        onLine(Buffer.concat(pieces).toString("utf8"));
        [pieces, length, start] = [[], 0, end + 1];
      }
    }
  };
}
