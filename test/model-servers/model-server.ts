import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { SeenRequest } from "../../src/apps/contracts/model-contract-calls.ts";

/** Tokens that a server says a call took. */
export interface ServedUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** What a model behind the server says. */
export interface Served {
  /** Default: `Reply to: ` and the last thing the user said. */
  readonly text?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  /** Thinking, with the signature that must come back. */
  readonly reasoning?: { readonly text: string; readonly signature: string };
  readonly usage?: ServedUsage;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What goes wrong instead. */
export type Fault =
  /** A status with the protocol's own error message. */
  | {
      readonly status: number;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Words of our own instead of the protocol's, with status 200 unless given. */
  | { readonly raw: string; readonly type?: string; readonly rawStatus?: number }
  /** The connection is reset before anything is said. */
  | "reset"
  /** The connection is reset in the middle of the body. */
  | "cut off"
  /** No answer, for ever. */
  | "stall"
  /** Headers and half a body, and then nothing, for ever. */
  | "stalled body"
  /** Half a body that claims to be whole. */
  | "truncated"
  /** A body without end. */
  | "endless"
  /** The headers come, and the body some time after them, in pieces. */
  | "slow start";

/** How a provider talks. */
export interface Protocol {
  /** Undefined if there is nothing at the path. */
  answer(path: string, body: unknown, served: Served): unknown;
  error(status: number, message: string): unknown;
  /** What the request says, whatever the protocol. */
  read(body: unknown): SeenRequest & { readonly lastUser: string };
}

/** A request as it came. */
export interface ServedRequest extends SeenRequest {
  readonly path: string;
  /** What follows the path, from the question mark on. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON that was sent. */
  readonly body: unknown;
}

/** A provider on loopback: real HTTP, scripted answers, every request kept. */
export interface ModelServer {
  /** Without a path. */
  readonly url: string;
  readonly requests: readonly ServedRequest[];
  /** Resolves once that many requests have been answered, or left without an answer. */
  handled(count: number): Promise<void>;
  /** What the next requests get, one after the other; after that all get the default answer. */
  next(...script: readonly (Served | Fault)[]): void;
  close(): Promise<void>;
}

/** Starts a server that speaks a protocol. */
export async function startModelServer(protocol: Protocol): Promise<ModelServer> {
  const requests: ServedRequest[] = [];
  const script: (Served | Fault)[] = [];
  let handled = 0;
  const events = new EventEmitter();
  const server = createServer(async (request, response) => {
    try {
      const body = JSON.parse(await textOf(request)) as unknown;
      const { pathname: path, search: query } = new URL(request.url ?? "/", "http://localhost");
      const read = protocol.read(body);
      requests.push({
        instructions: read.instructions,
        first: read.first,
        texts: read.texts,
        path,
        query,
        headers: request.headers,
        body,
      } as ServedRequest);
      const step = script.shift() ?? {};
      const served = typeof step === "string" || "status" in step || "raw" in step ? {} : step;
      const json = protocol.answer(path, body, { text: `Reply to: ${read.lastUser}`, ...served });
      if (json === undefined) send(response, 404, protocol.error(404, `nothing at ${path}`));
      else if (step === served) send(response, 200, json, served.headers);
      else await fail(step as Fault, response, { json, protocol });
      handled++;
      events.emit("handled");
    } catch {
      // The other side has hung up, or sent what is not JSON.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async handled(count) {
      while (handled < count) await once(events, "handled");
    },
    next: (...steps) => script.push(...steps),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function fail(
  fault: Fault,
  response: ServerResponse,
  { json, protocol }: { readonly json: unknown; readonly protocol: Protocol },
): Promise<void> {
  if (typeof fault === "object") {
    if ("raw" in fault) {
      response.writeHead(fault.rawStatus ?? 200, { "content-type": fault.type ?? "application/json" });
      response.end(fault.raw);
      return;
    }
    const { status, message = `status ${status}`, headers } = fault;
    send(response, status, protocol.error(status, message), headers);
    return;
  }
  const text = JSON.stringify(json);
  const half = text.slice(0, text.length / 2);
  const type = { "content-type": "application/json" };
  switch (fault) {
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "stall":
      return;
    case "cut off":
      response.writeHead(200, { ...type, "content-length": Buffer.byteLength(text) });
      response.write(half, () => response.socket?.resetAndDestroy());
      return;
    case "stalled body":
      response.writeHead(200, type);
      await new Promise<void>((resolve) => {
        response.write(half, () => resolve());
      });
      return;
    case "truncated":
      response.writeHead(200, type);
      response.end(half);
      return;
    case "endless":
      response.writeHead(200, type);
      await pipeline(Readable.from(spaces()), response);
      return;
    case "slow start":
      response.writeHead(200, type);
      response.flushHeaders();
      // Each piece is sent by itself: the body must be waited for.
      await turnOfLoop();
      response.write(half);
      await turnOfLoop();
      response.end(text.slice(half.length));
  }
}

/** Long enough for what was written to be sent. */
function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

function* spaces(): Generator<string> {
  for (;;) yield " ".repeat(1024 * 1024);
}

function send(
  response: ServerResponse,
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(json));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** The text of a content that may be a string or a list of parts, whatever the protocol calls them. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { readonly text?: unknown }) => (typeof part.text === "string" ? part.text : ""))
    .join("");
}
