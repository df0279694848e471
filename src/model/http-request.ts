import { isFieldText, isToken } from "./http-head.ts";
import { ModelError } from "./model-error.ts";

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
