const LINE_FEED = 10;

/** Puts the pieces of a stream of bytes together to lines, no longer than a limit. */
export class LineReader {
  readonly #limit: number;
  readonly #onLine: (line: string) => void;
  readonly #onOverflow: () => void;
  #pieces: Buffer[] = [];
  #length = 0;
  #overflowed = false;

  constructor(limit: number, onLine: (line: string) => void, onOverflow: () => void) {
    this.#limit = limit;
    this.#onLine = onLine;
    this.#onOverflow = onOverflow;
  }

  /** After a line that is too long, nothing is read any more. */
  push(chunk: Buffer): void {
    let start = 0;
    while (!this.#overflowed) {
      const end = chunk.indexOf(LINE_FEED, start);
      this.#keep(chunk.subarray(start, end === -1 ? undefined : end));
      if (end === -1) return;
      this.#finishLine();
      start = end + 1;
    }
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.#limit) {
      this.#overflowed = true;
      this.#pieces = [];
      this.#onOverflow();
    } else if (piece.length > 0) this.#pieces.push(piece);
  }

  #finishLine(): void {
    if (this.#overflowed) return;
    const line = Buffer.concat(this.#pieces).toString("utf8");
    this.#pieces = [];
    this.#length = 0;
    this.#onLine(line);
  }
}
