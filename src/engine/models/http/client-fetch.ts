import { ModelError } from "../model-error.ts";
import {
  type Address,
  ByteStore,
  type HttpResponse,
  hostHeader,
  LARGEST_RESPONSE,
  sendRequest,
  sharedDispatcher,
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
      return wholeResponse(response);
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
  if (Object.keys(plainHeaders(headers)).some((name) => /^host$/i.test(name))) throw hostHeader();
  const [{ fetch }, dispatcher] = await Promise.all([import("undici"), sharedDispatcher()]);
  const response = await fetch(String(input instanceof Request ? input.url : input), {
    method,
    headers: { ...plainHeaders(headers) },
    ...(typeof body === "string" ? { body } : {}),
    signal: signal ?? null,
    redirect: "manual",
    dispatcher,
  });
  // The class of Node is an older copy of the same class of undici.
  return response as unknown as Response;
};

/** In the words of `fetch`, which the libraries of the AI SDK know. */
function fetchFailed(cause: unknown): TypeError {
  return new TypeError("fetch failed", { cause });
}

function plainHeaders(headers: NonNullable<RequestInit["headers"]>): Readonly<Record<string, string>> {
  if (headers instanceof Headers || Array.isArray(headers)) return Object.fromEntries(headers);
  return headers as Readonly<Record<string, string>>;
}

/** A response that has come as a whole: as much of `Response` as the libraries of the AI SDK use. */
function wholeResponse({ status, statusText, headers, bytes }: HttpResponse): Response {
  let unread: Buffer | undefined = bytes.length === 0 ? undefined : bytes;
  const take = (): Buffer | undefined => {
    const value = unread;
    unread = undefined;
    return value;
  };
  const reader = {
    read: async () => {
      const value = take();
      return value === undefined ? { done: true } : { done: false, value };
    },
    cancel: async () => take(),
    releaseLock() {},
  };
  const text = async (): Promise<string> => bytes.toString("utf8");
  const response = {
    status,
    statusText,
    ok: status >= 200 && status <= 299,
    // Names are in lower case already, as the libraries ask for them.
    headers: new Map(Object.entries(headers)),
    body: { getReader: () => reader, cancel: reader.cancel },
    text,
    json: async (): Promise<unknown> => JSON.parse(await text()),
  };
  return response as unknown as Response;
}
