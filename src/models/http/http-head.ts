import { LARGEST_RESPONSE } from "./response-body.ts";

/** What the first line of a response says. */
export interface StatusLine {
  /** Of HTTP/1. */
  readonly minor: 0 | 1;
  readonly status: number;
}

/** Where the body of a response ends: after so many bytes, after its last chunk, or with the connection. */
export type Framing = number | "chunks" | "close";

/** Something that is wrong with a response, as the end of a sentence that begins with the name of the model. */
export class BrokenResponse extends Error {
  override readonly name = "BrokenResponse";
}

export const NOT_HTTP = "did not answer in HTTP. Check its URL";
export const TOO_LARGE: string = `sent more than ${LARGEST_RESPONSE / 1024 / 1024} MB`;

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
const FIELD_TEXT = /^[\t -~\x80-\xff]*$/;

/** True if a text may be the name of a header, or a method. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** True if a text may be the value of a header: no line break could add another. */
export function isFieldText(text: string): boolean {
  return FIELD_TEXT.test(text);
}

/** Reads the first line. */
export function readStatusLine(line: string): StatusLine {
  const match = STATUS_LINE.exec(line);
  if (match === null) throw new BrokenResponse(NOT_HTTP);
  return { minor: match[1] === "0" ? 0 : 1, status: Number(match[2]) };
}

/** Adds the header of a line; of one that comes several times, all values. */
export function addHeader(line: string, headers: Record<string, string>): void {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
  if (!isToken(name) || !isFieldText(line)) throw new BrokenResponse("sent headers that are not HTTP");
  const value = withoutBlanks(line, colon + 1);
  const known = headers[name];
  headers[name] = known === undefined ? value : `${known}, ${value}`;
}

/** By hand: a regular expression would be quadratic in the blanks, which the server chooses. */
function withoutBlanks(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (start < end && isBlank(line.charCodeAt(start))) start++;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--;
  return line.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** Where the body ends. What could be read in two ways is refused. */
export function framingOf(status: number, headers: Readonly<Record<string, string>>): Framing {
  if (status === 204 || status === 304) return 0;
  const length = headers["content-length"];
  const encoding = headers["transfer-encoding"]?.toLowerCase();
  if (encoding !== undefined && encoding !== "identity") {
    if (encoding !== "chunked")
      throw new BrokenResponse("sent its answer in a transfer encoding unknown here");
    if (length !== undefined) throw new BrokenResponse("sent both chunks and a length for its answer");
    return "chunks";
  }
  return length === undefined ? "close" : readLength(length);
}

/** A length may come several times if it is the same. */
function readLength(text: string): number {
  const length = text.includes(",") ? commonValue(text) : text;
  if (!/^\d+$/.test(length)) throw new BrokenResponse("sent a length of its answer that is no number");
  const size = Number(length);
  if (size > LARGEST_RESPONSE) throw new BrokenResponse(TOO_LARGE);
  return size;
}

function commonValue(text: string): string {
  const [first = "", ...others] = text.split(",").map((value) => value.trim());
  if (others.every((other) => other === first)) return first;
  throw new BrokenResponse("sent two different lengths of its answer");
}

/** True if the server keeps the connection open after this response. */
export function staysOpen({ minor }: StatusLine, headers: Readonly<Record<string, string>>): boolean {
  const connection = headers.connection;
  if (connection === undefined) return minor === 1;
  const wishes = connection
    .toLowerCase()
    .split(",")
    .map((wish) => wish.trim());
  return !wishes.includes("close") && (minor === 1 || wishes.includes("keep-alive"));
}
