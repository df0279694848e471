import {
  addHeader,
  BrokenResponse,
  framingOf,
  NOT_HTTP,
  readStatusLine,
  type StatusLine,
  staysOpen,
  TOO_LARGE,
} from "./http-head.ts";
import { LARGEST_RESPONSE } from "./response-body.ts";

/** What came back. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What is read next. */
type Stage = "status" | "headers" | "body" | "chunk size" | "chunk" | "chunk end" | "trailers" | "whole";

/** Of everything around the body: headers, also of interim responses, trailers, extensions of chunks. */
const LARGEST_HEAD = 64 * 1024;
const START = "HTTP/1.";
/** Longer ones would be too large in any case. */
const CHUNK_SIZE = /^0*([\dA-Fa-f]{1,8})(?![\dA-Fa-f])[\t ]*(?:;|$)/;

/**
 * Reads one response from bytes that come in pieces of any size, in time linear in their number. The server is not trusted:
 * what is not HTTP is a `BrokenResponse` as soon as that is clear, and nothing grows without limit.
 */
export class ResponseParser {
  /** True once any byte has come. */
  begun = false;
  /** True if the connection may be used again once the response is whole. */
  reusable = false;
  #stage: Stage = "status";
  /** The start of a line whose end has not come. */
  #line = "";
  #allowance = LARGEST_HEAD;
  #top: StatusLine = { minor: 1, status: 0 };
  // Without a prototype: a server may name a header as it likes.
  #headers: Record<string, string> = Object.create(null);
  /** How many bytes of the body, or of its chunk, are to come. */
  #left = 0;
  #body: ByteStore | undefined;
  #text = "";

  /** The status, 0 before it has come. */
  get status(): number {
    return this.#top.status;
  }

  /** Reads on; true once the response is whole. Nothing may be given after that. */
  push(bytes: Buffer): boolean {
    if (bytes.length > 0) this.begun = true;
    let at = 0;
    while (at < bytes.length && this.#stage !== "whole") {
      at =
        this.#stage === "body" || this.#stage === "chunk"
          ? this.#readBody(bytes, at)
          : this.#readLine(bytes, at);
    }
    if (this.#stage !== "whole") return false;
    // Bytes that nobody asked for would be taken for the next response.
    if (at < bytes.length) this.reusable = false;
    return true;
  }

  /** The connection has ended; true if the response is whole by that. */
  end(): boolean {
    if (this.#stage === "body" && this.#left === Number.POSITIVE_INFINITY) this.#finish();
    return this.#stage === "whole";
  }

  /** The response, once it is whole. */
  response(): HttpResponse {
    return { status: this.#top.status, headers: this.#headers, text: this.#text };
  }

  #readLine(bytes: Buffer, at: number): number {
    const feed = bytes.indexOf(10, at);
    const end = feed === -1 ? bytes.length : feed;
    const known = this.#line.length;
    this.#line += bytes.toString("latin1", at, end);
    // At once: a server of another protocol may wait for us to speak.
    if (
      this.#stage === "status" &&
      known < START.length &&
      !START.startsWith(this.#line.slice(0, START.length))
    ) {
      throw new BrokenResponse(NOT_HTTP);
    }
    if (this.#line.length > this.#allowance) {
      throw new BrokenResponse(`sent more than ${LARGEST_HEAD / 1024} kB of headers`);
    }
    if (feed === -1) return end;
    const line = this.#line.endsWith("\r") ? this.#line.slice(0, -1) : this.#line;
    this.#line = "";
    this.#take(line);
    return feed + 1;
  }

  #take(line: string): void {
    switch (this.#stage) {
      case "status":
        this.#spend(line.length);
        this.#top = readStatusLine(line);
        this.#stage = "headers";
        return;
      case "headers":
        if (line === "") return this.#endHead();
        this.#spend(line.length);
        return addHeader(line, this.#headers);
      case "chunk size":
        return this.#startChunk(line);
      case "chunk end":
        if (line !== "") throw new BrokenResponse("sent a chunk that is longer than it says");
        this.#stage = "chunk size";
        return;
      default:
        // A trailer: nothing that we need comes this late.
        if (line === "") this.#finish();
        else this.#spend(line.length);
    }
  }

  /** Lines without text cost something too, or there could be any number of them. */
  #spend(length: number): void {
    this.#allowance -= length + 2;
  }

  #endHead(): void {
    const { status } = this.#top;
    if (status === 101) throw new BrokenResponse("left HTTP for another protocol");
    if (status < 200) {
      this.#headers = Object.create(null);
      this.#stage = "status";
      return;
    }
    const framing = framingOf(status, this.#headers);
    this.reusable = framing !== "close" && staysOpen(this.#top, this.#headers);
    if (framing === "chunks") {
      this.#stage = "chunk size";
      return;
    }
    this.#stage = "body";
    this.#left = framing === "close" ? Number.POSITIVE_INFINITY : framing;
    if (this.#left === 0) this.#finish();
  }

  #startChunk(line: string): void {
    const digits = CHUNK_SIZE.exec(line)?.[1];
    if (digits === undefined) throw new BrokenResponse("sent a chunk without its size");
    // Only what need not be there is counted: a body may have any number of chunks.
    if (line.length > 8) this.#spend(line.length);
    this.#left = Number.parseInt(digits, 16);
    if ((this.#body?.size ?? 0) + this.#left > LARGEST_RESPONSE) throw new BrokenResponse(TOO_LARGE);
    this.#stage = this.#left === 0 ? "trailers" : "chunk";
  }

  #readBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    if (this.#stage === "body" && this.#left === 0 && this.#body === undefined) {
      // All in one piece, as almost always: nothing to put together.
      this.#text = bytes.toString("utf8", at, end);
      this.#stage = "whole";
      return end;
    }
    this.#body ??= new ByteStore();
    this.#body.add(bytes, at, end);
    if (this.#body.size > LARGEST_RESPONSE) throw new BrokenResponse(TOO_LARGE);
    if (this.#left > 0) return end;
    if (this.#stage === "chunk") this.#stage = "chunk end";
    else this.#finish();
    return end;
  }

  #finish(): void {
    this.#text = this.#body?.text() ?? "";
    this.#body = undefined;
    this.#stage = "whole";
  }
}

/** Bytes put together in one buffer. A list of pieces would let a server make us keep far more than it sends. */
export class ByteStore {
  size = 0;
  #buffer: Buffer = Buffer.alloc(0);

  /** Copies a part of some bytes. */
  add(bytes: Buffer, start: number, end: number): void {
    const size = this.size + end - start;
    if (size > this.#buffer.length) {
      // Twice as large, so that what is copied again stays linear.
      const larger = Buffer.allocUnsafe(Math.max(size * 2, 4096));
      this.#buffer.copy(larger, 0, 0, this.size);
      this.#buffer = larger;
    }
    bytes.copy(this.#buffer, this.size, start, end);
    this.size = size;
  }

  /** All of them as UTF-8; what is not is replaced. */
  text(): string {
    return this.#buffer.toString("utf8", 0, this.size);
  }
}
