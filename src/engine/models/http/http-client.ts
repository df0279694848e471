import type { Agent, Dispatcher } from "undici";
import { rememberSecrets } from "../../../system/secrets/mask-secrets.ts";
import { secretQueryValues } from "../../../system/secrets/secret-data.ts";
import { ModelError } from "../model-error.ts";

/** How far a request is: it waits for a connection, or it has been handed to the network. */
type RequestStage = "waiting" | "sent";

const STAGE = Symbol("request stage");

/**
 * Libraries between a call and the network pass on its signal and nothing else, so the signal is what both ends know. Not a weak map: an
 * entry for each call would cost the garbage collector more than the call.
 */
type StagedSignal = AbortSignal & { [STAGE]?: RequestStage };

function setRequestStage(signal: AbortSignal | undefined, stage: RequestStage): void {
  if (signal !== undefined) (signal as StagedSignal)[STAGE] = stage;
}

/** How far the request of a signal is. Undefined if nobody says: a function, a request that another client sends. */
export function requestStage(signal: AbortSignal): RequestStage | undefined {
  return (signal as StagedSignal)[STAGE];
}

/** Larger answers are refused: no reply needs more, and all conversations share the memory. */
export const LARGEST_RESPONSE: number = 10 * 1024 * 1024;

/** Where a request goes: a `URL`, or as much of it as is needed. */
export type Address = Pick<URL, "origin" | "pathname" | "search">;

/** What is sent. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The name of the model, for errors. */
  readonly name: string;
}

/** What came back, decompressed. */
export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case; a header that came several times is joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/**
 * Sends a request and reads the whole response. It follows no redirects, which could send keys to another server, never
 * sends a request twice, and reads at most `LARGEST_RESPONSE` bytes.
 */
export async function sendRequest(url: Address, request: HttpRequest): Promise<HttpResponse> {
  const { method, headers, body, signal, name } = request;
  setRequestStage(signal, "waiting");
  const dispatcher = shared ?? (await sharedDispatcher());
  signal?.throwIfAborted();
  const raw = await new Promise<HttpResponse>((resolve, reject) => {
    const exchange = new Exchange({ name, signal, resolve, reject });
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        // Checked by undici, which knows more methods than its types.
        method: method as Dispatcher.HttpMethod,
        headers: sentHeaders(headers),
        body: body ?? null,
      },
      exchange,
    );
  });
  const encoding = raw.headers["content-encoding"];
  if (encoding === undefined || raw.bytes.length === 0) return raw;
  return { ...raw, bytes: await decompressed(raw, encoding, name) };
}

let shared: Dispatcher | undefined;
let loading: Promise<Dispatcher> | undefined;

/** The one pool of connections of the process; undici takes time to load, so only those who send something wait for it. */
export async function sharedDispatcher(): Promise<Dispatcher> {
  loading ??= newDispatcher(process.env);
  shared = await loading;
  return shared;
}

/**
 * No limit on connections: the run limits its calls. No limit on time either: the signal of the call is the only clock, since
 * models may think for many minutes. Idle connections are kept for 4 s (undici's default, longer where the server says so):
 * common servers close theirs after 5 s without saying so, and a request on a closed connection is lost.
 */
const OPTIONS: Agent.Options = {
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 64 * 1024,
};

/** With proxies if the environment names some: HTTP_PROXY, HTTPS_PROXY, NO_PROXY, also in lower case. */
async function newDispatcher(environment: Readonly<Record<string, string | undefined>>): Promise<Dispatcher> {
  const httpProxy = proxyOf("HTTP_PROXY", environment);
  const httpsProxy = proxyOf("HTTPS_PROXY", environment);
  const { Agent, EnvHttpProxyAgent } = await import("undici");
  if (httpProxy === "" && httpsProxy === "") return new Agent(OPTIONS);
  const noProxy = environment.no_proxy ?? environment.NO_PROXY ?? "";
  return new EnvHttpProxyAgent({ ...OPTIONS, httpProxy, httpsProxy, noProxy });
}

function proxyOf(name: string, environment: Readonly<Record<string, string | undefined>>): string {
  const value = (environment[name.toLowerCase()] ?? environment[name] ?? "").trim();
  if (value === "") return "";
  const url = value.includes("://") ? value : `http://${value}`;
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new ModelError("bad_request", `The proxy in ${name} is not an http or https URL.`);
  rememberSecrets(secretQueryValues(url));
  return url;
}

interface ExchangeOptions {
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One request until its whole response; also the listener on the signal, so that no other object is needed. Not undici's `request`, which
 * does not say when a request leaves: one that never found a connection has cost nothing, and must not count.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #body = new ByteStore();
  #controller: Dispatcher.DispatchController | undefined;
  #head: Omit<HttpResponse, "bytes"> | undefined;
  #isSettled = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    options.signal?.addEventListener("abort", this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while it waited for a connection: nothing has been sent.
    if (this.#isSettled) controller.abort(new Error("given up"));
    else setRequestStage(this.#options.signal, "sent");
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    statusText = "",
  ): void {
    if (status < 200) return;
    this.#head = { status, statusText, headers: joinedHeaders(headers) };
    if (Number(this.#head.headers["content-length"]) > LARGEST_RESPONSE) this.#refuse(status);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#body.add(chunk);
    if (this.#body.size > LARGEST_RESPONSE) this.#refuse(this.#head?.status);
  }

  onResponseEnd(): void {
    if (this.#isSettled || this.#head === undefined) return;
    this.#settle();
    const { status, statusText, headers } = this.#head;
    const response = { status, statusText, headers, bytes: this.#body.bytes() };
    // undici frees the connection in an immediate that it starts after this call. A request sent before that
    // would open another connection.
    process.nextTick(setImmediate, this.#options.resolve, response);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  handleEvent(): void {
    this.#fail(this.#options.signal?.reason);
    this.#controller?.abort(new Error("given up"));
  }

  #refuse(status: number | undefined): void {
    this.#fail(tooLarge(this.#options.name, status));
    this.#controller?.abort(new Error("too large"));
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#options.reject(error);
  }

  #settle(): void {
    this.#isSettled = true;
    // A run's signal outlives thousands of calls.
    this.#options.signal?.removeEventListener("abort", this);
  }
}

/** The answer is larger than it may be. */
export function tooLarge(name: string, status: number | undefined): ModelError {
  return new ModelError(
    "bad_response",
    `${name} sent more than ${LARGEST_RESPONSE / 1024 / 1024} MB.`,
    status === undefined ? {} : { statusCode: status },
  );
}

/** Each empty buffer would be another piece of memory outside of the heap, and most are replaced by the first chunk. */
const NO_BYTES: Buffer = Buffer.alloc(0);

/** Bytes put together in one buffer: a server that sends single bytes would fill the memory with a list of them. */
export class ByteStore {
  size = 0;
  #buffer: Buffer = NO_BYTES;

  add(bytes: Buffer): void {
    const size = this.size + bytes.length;
    // Most answers are one piece.
    if (this.size === 0) this.#buffer = bytes;
    else {
      if (size > this.#buffer.length) {
        // Twice as large, so that the total copied stays linear.
        const larger = Buffer.allocUnsafe(Math.max(size * 2, 4096));
        this.#buffer.copy(larger, 0, 0, this.size);
        this.#buffer = larger;
      }
      bytes.copy(this.#buffer, this.size);
    }
    this.size = size;
  }

  bytes(): Buffer {
    return this.size === this.#buffer.length ? this.#buffer : this.#buffer.subarray(0, this.size);
  }
}

/** The client says how a message is framed: two opinions on that would be two messages. */
const FRAMING: ReadonlySet<string> = new Set(["content-length", "transfer-encoding"]);

function sentHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const sent: Record<string, string> = {};
  let hasEncoding = false;
  for (const name of Object.keys(headers)) {
    const lower = name.toLowerCase();
    if (FRAMING.has(lower)) continue;
    if (lower === "host") throw hostHeader();
    if (lower === "accept-encoding") hasEncoding = true;
    sent[name] = headers[name] as string;
  }
  if (!hasEncoding) sent["accept-encoding"] = "gzip, br, deflate";
  return sent;
}

/** Where many servers share an address, this header chooses one, also in TLS: the key would go to another than the URL says. */
export function hostHeader(): ModelError {
  return new ModelError("bad_request", 'The header "host" cannot be set. Write the server into the URL.');
}

function joinedHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  // Without a prototype: a server chooses the names of headers.
  const all: Record<string, string> = Object.create(null);
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) all[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return all;
}

async function decompressed(
  { bytes, status }: HttpResponse,
  encoding: string,
  name: string,
): Promise<Buffer> {
  const zlib = process.getBuiltinModule("node:zlib");
  const { promisify } = process.getBuiltinModule("node:util");
  const methods = new Map([
    ["gzip", zlib.gunzip],
    ["br", zlib.brotliDecompress],
    ["deflate", zlib.inflate],
  ]);
  const coding = encoding.trim().toLowerCase();
  if (coding === "identity" || coding === "") return bytes;
  const method = methods.get(coding);
  if (method === undefined)
    throw new ModelError("bad_response", `${name} sent an answer in an encoding that was not asked for.`, {
      statusCode: status,
    });
  try {
    const decompress: (input: Buffer, options: { maxOutputLength: number }) => Promise<Buffer> =
      promisify(method);
    return await decompress(bytes, { maxOutputLength: LARGEST_RESPONSE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(name, status);
    throw new ModelError("bad_response", `${name} sent an answer whose ${encoding} compression is broken.`, {
      statusCode: status,
    });
  }
}
