import type { Readable } from "node:stream";
import { ModelError } from "../model-error.ts";
import {
  type Address,
  ByteStore,
  type HttpResponse,
  LARGEST_RESPONSE,
  openStream,
  sendRequest,
  tooLarge,
} from "./http-client.ts";

/** The type of the global `fetch`. */
export type Fetch = typeof globalThis.fetch;

/**
 * The same as a `fetch` for the libraries of the AI SDK. It makes none of the objects of a real `fetch`, which take more time
 * than the request: the response has what those libraries read.
 */
export function clientFetch(name: string): Fetch {
  // A model's calls almost always go to one URL.
  let lastUrl = "";
  let lastAddress: Address | undefined;
  return async (input, init = {}) => {
    const { method = "GET", headers = {}, body, signal } = init;
    if (input instanceof Request || (typeof body !== "string" && body != null))
      throw new ModelError("internal", `${name}: only text can be sent here.`);
    try {
      const text = String(input);
      if (lastAddress === undefined || text !== lastUrl) {
        const { origin, pathname, search } = new URL(text);
        [lastUrl, lastAddress] = [text, { origin, pathname, search }];
      }
      const response = await sendRequest(lastAddress, {
        method,
        headers: plainHeaders(headers),
        body: body ?? undefined,
        signal: signal ?? undefined,
        name,
      });
      // Has what the libraries read, and is not the class that the type names.
      return new WholeResponse(response) as unknown as Response;
    } catch (error) {
      throw signal?.aborted || error instanceof ModelError ? error : fetchFailed(error);
    }
  };
}

/** A `fetch` of one's own that hands over whole responses within the limit, and follows no redirects. */
export function limitedFetch(name: string, fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const store = new ByteStore();
    // Leaving the loop cancels the rest of the body.
    for await (const chunk of response.body) {
      store.add(Buffer.from(chunk));
      if (store.size > LARGEST_RESPONSE) throw tooLarge(name, status);
    }
    return new Response(new Uint8Array(store.bytes()), { status, statusText, headers });
  };
}

/** A `fetch` whose body can be read while it arrives, for streams of events. It follows no redirects. */
export const streamingFetch: Fetch = async (input, init = {}) => {
  const { method = "GET", headers = {}, body, signal } = init;
  const url = new URL(input instanceof Request ? input.url : input);
  try {
    const response = await openStream(url, {
      method,
      headers: plainHeaders(headers),
      ...(typeof body === "string" ? { body } : {}),
      signal: signal ?? undefined,
    });
    const { status } = response;
    const isEmpty = status === 204 || status === 205 || status === 304;
    if (isEmpty) response.body.resume();
    return new Response(isEmpty ? null : webStream(response.body), { status, headers: response.headers });
  } catch (error) {
    throw signal?.aborted ? error : fetchFailed(error);
  }
};

/** Not `Readable.toWeb`, whose streams throw outside of every promise when they are cancelled. */
function webStream(readable: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks: AsyncIterator<Uint8Array<ArrayBuffer>> = readable[Symbol.asyncIterator]();
  // Errors reach the reader; after a cancel there is none.
  readable.on("error", () => {});
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        readable.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

/** In the words of `fetch`, which the libraries of the AI SDK know. */
function fetchFailed(cause: unknown): TypeError {
  return new TypeError("fetch failed", { cause });
}

function plainHeaders(headers: NonNullable<RequestInit["headers"]>): Readonly<Record<string, string>> {
  if (headers instanceof Headers || Array.isArray(headers)) return Object.fromEntries(headers);
  return headers as Readonly<Record<string, string>>;
}

/** A response that has come as a whole: as much of `Response` as the libraries of the AI SDK use. */
class WholeResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: ReplyHeaders;
  readonly #bytes: Buffer;

  constructor({ status, statusText, headers, bytes }: HttpResponse) {
    this.status = status;
    this.statusText = statusText;
    this.headers = new ReplyHeaders(headers);
    this.#bytes = bytes;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  get body(): WholeBody {
    return new WholeBody(this.#bytes);
  }

  async text(): Promise<string> {
    return this.#bytes.toString("utf8");
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(this.#bytes).buffer;
  }
}

/** A stream of one piece, which is its own reader. */
class WholeBody {
  #bytes: Buffer | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  getReader(): this {
    return this;
  }

  async read(): Promise<{ readonly done: boolean; readonly value?: Buffer }> {
    const value = this.#bytes;
    this.#bytes = undefined;
    return value === undefined || value.length === 0 ? { done: true } : { done: false, value };
  }

  async cancel(): Promise<void> {
    this.#bytes = undefined;
  }

  releaseLock(): void {}
}

/** Headers whose names are in lower case already. */
class ReplyHeaders {
  readonly #values: Readonly<Record<string, string>>;
  /** The libraries list all headers twice for each response. */
  #entries: [string, string][] | undefined;

  constructor(values: Readonly<Record<string, string>>) {
    this.#values = values;
  }

  get(name: string): string | null {
    return this.#values[name.toLowerCase()] ?? null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  entries(): ArrayIterator<[string, string]> {
    this.#entries ??= Object.entries(this.#values);
    return this.#entries[Symbol.iterator]();
  }

  [Symbol.iterator](): ArrayIterator<[string, string]> {
    return this.entries();
  }

  forEach(action: (value: string, name: string) => void): void {
    for (const [name, value] of this.entries()) action(value, name);
  }
}
