import { ModelError } from "../model-error.ts";
import { Connection, type Waiting } from "./http-connection.ts";
import { isFieldText, isToken } from "./http-head.ts";
import type { HttpResponse } from "./http-message.ts";
import { ConnectionPool } from "./http-sockets.ts";

export type { HttpResponse } from "./http-message.ts";

const shared = new ConnectionPool();

/**
 * Sends a request and reads the whole response. It follows no redirection, which could take keys elsewhere, and reads no more
 * than may be. Not `fetch` or `node:http`, which take Node several times as long: with hundreds of conversations that is the
 * whole cost.
 */
export function exchange(
  url: URL,
  request: HttpRequest,
  pool: ConnectionPool = shared,
): Promise<HttpResponse> {
  // What is thrown in here is a rejection.
  return new Promise((resolve, reject) => {
    request.signal.throwIfAborted();
    new Call(url, request, { pool, resolve, reject }).start();
  });
}

interface Surroundings {
  readonly pool: ConnectionPool;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** One request until its response; also the listener on the signal, so that nothing else need be made for that. */
class Call implements Waiting {
  readonly name: string;
  readonly #url: URL;
  readonly #signal: AbortSignal;
  readonly #bytes: string | Buffer;
  readonly #surroundings: Surroundings;
  #connection: Connection | undefined;

  constructor(url: URL, request: HttpRequest, surroundings: Surroundings) {
    this.name = request.name;
    this.#url = url;
    this.#signal = request.signal;
    this.#bytes = requestBytes(url, request);
    this.#surroundings = surroundings;
  }

  start(): void {
    this.#sendOn(this.#surroundings.pool.take(this.#url));
    this.#signal.addEventListener("abort", this);
  }

  handleEvent(): void {
    this.#signal.removeEventListener("abort", this);
    this.#connection?.abandon();
    this.#surroundings.reject(this.#signal.reason);
  }

  answered(response: HttpResponse): void {
    this.#signal.removeEventListener("abort", this);
    this.#surroundings.resolve(response);
  }

  failed(error: unknown, stale: boolean): void {
    if (stale) {
      // A server may close an idle connection at any time, also now. A new one is never stale: this happens once at most.
      this.#sendOn(new Connection(this.#url, this.#surroundings.pool));
      return;
    }
    this.#signal.removeEventListener("abort", this);
    this.#surroundings.reject(error);
  }

  #sendOn(connection: Connection): void {
    this.#connection = connection;
    connection.send(this.#bytes, this);
  }
}

/** What is sent. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** The name of the model, for errors. */
  readonly name: string;
}

/** How the message is framed is not for the caller to say: two opinions on that would be two messages. */
const OURS: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "accept-encoding"]);

/** A request as it goes over the wire, head and body together; a string is to be written as Latin-1. */
export function requestBytes(url: URL, request: HttpRequest): string | Buffer {
  const { method, headers, body, name } = request;
  if (!isToken(method)) throw new ModelError("bad_request", `${name}: the method is not one of HTTP.`);
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n`;
  let hasHost = false;
  let hasConnection = false;
  for (const key of Object.keys(headers)) {
    const value = headers[key] as unknown;
    if (!isToken(key) || typeof value !== "string" || !isFieldText(value)) throw badHeader(key, name);
    const lower = key.toLowerCase();
    if (OURS.has(lower)) continue;
    if (lower === "host") hasHost = true;
    if (lower === "connection") hasConnection = true;
    head += `${key}: ${value}\r\n`;
  }
  if (!hasHost) head += `Host: ${url.host}\r\n`;
  if (!hasConnection) head += "Connection: keep-alive\r\n";
  const length = Buffer.byteLength(body);
  head += `Accept-Encoding: identity\r\nContent-Length: ${length}\r\n\r\n`;
  // As many bytes as characters: ASCII, which is the same in both encodings, and one text is written fastest.
  return length === body.length
    ? head + body
    : Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body, "utf8")]);
}

/** Without the value, which may be a key. */
function badHeader(key: string, name: string): ModelError {
  return new ModelError(
    "bad_request",
    `${name}: the header ${JSON.stringify(key)} cannot be sent. Header names are words; values are text of one line, without characters beyond Latin-1.`,
  );
}
