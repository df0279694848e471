import { Connection, type Waiting } from "./http-connection.ts";
import type { HttpResponse } from "./http-message.ts";
import { type HttpRequest, requestBytes } from "./http-request.ts";
import { ConnectionPool } from "./http-sockets.ts";

export type { HttpResponse } from "./http-message.ts";
export type { HttpRequest } from "./http-request.ts";

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
