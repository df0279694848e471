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
