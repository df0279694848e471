import type { RealmLimits } from "./realm.ts";

/** The two ends of a channel. */
export type ChannelEnd = "caller" | "answerer";

const HEADER_BYTES = 16;
const CHUNK_CHARACTERS = 1 << 17;

// To wake a thread that sleeps takes about 50 µs; most answers, and in a burst the next question, are there sooner.
const SPINS = 8_000;

/** The memory that both ends of a channel share. */
export function channelMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + 2 * CHUNK_CHARACTERS);
}

/**
 * Passes texts of any length between two threads that take turns, so that one can wait synchronously for the other's answer.
 */
export class TextChannel {
  /** Whose turn it is, how many characters there are, and whether more follow. */
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #bytes: Buffer<SharedArrayBuffer>;
  readonly #self: 0 | 1;
  readonly #other: 0 | 1;

  constructor(memory: SharedArrayBuffer, end: ChannelEnd) {
    this.#words = new Int32Array(memory, 0, 3);
    this.#bytes = Buffer.from(memory, HEADER_BYTES);
    this.#self = end === "caller" ? 0 : 1;
    this.#other = end === "caller" ? 1 : 0;
  }

  /** Sends a text; false if the other end did not take it in time. It must be this end's turn to speak. */
  send(text: string, milliseconds: number = Number.POSITIVE_INFINITY): boolean {
    for (let start = 0; ; start += CHUNK_CHARACTERS) {
      const chunk = text.slice(start, start + CHUNK_CHARACTERS);
      if (start > 0 && !this.#awaitTurn(milliseconds)) return false;
      this.#bytes.write(chunk, "utf16le");
      const isLast = start + CHUNK_CHARACTERS >= text.length;
      Atomics.store(this.#words, 1, chunk.length);
      Atomics.store(this.#words, 2, isLast ? 0 : 1);
      this.#yieldTurn();
      if (isLast) return true;
    }
  }

  /** The next text from the other end, or null if it did not come in time. */
  receive(milliseconds: number = Number.POSITIVE_INFINITY): string | null {
    for (let text = ""; ; this.#yieldTurn()) {
      if (!this.#awaitTurn(milliseconds)) return null;
      text += this.#bytes.toString("utf16le", 0, 2 * Atomics.load(this.#words, 1));
      if (Atomics.load(this.#words, 2) === 0) return text;
    }
  }

  #yieldTurn(): void {
    Atomics.store(this.#words, 0, this.#other);
    Atomics.notify(this.#words, 0);
  }

  #awaitTurn(milliseconds: number): boolean {
    for (let spin = 0; spin < SPINS; spin++) {
      if (Atomics.load(this.#words, 0) === this.#self) return true;
    }
    // A wake-up may be late and belong to an earlier turn, so that only the word itself counts.
    const end = performance.now() + milliseconds;
    while (Atomics.load(this.#words, 0) !== this.#self) {
      const remaining = end - performance.now();
      if (remaining <= 0) return false;
      Atomics.wait(this.#words, 0, this.#other, remaining);
    }
    return true;
  }
}

/** What can be asked of the thread, as JSON; a call, which must be quick, is `<realm> <function> <arguments>` instead. */
export type SandboxRequest =
  | { readonly type: "open"; readonly realm: number; readonly limits: RealmLimits }
  | { readonly type: "compile"; readonly realm: number; readonly fn: number; readonly source: string }
  | { readonly type: "close"; readonly realm: number };

/** The answer if the thread does not know the realm or the function, because the thread was restarted. */
export const UNKNOWN = "?";

/** Starts the answer if the engine crashed. The realm is gone then. */
export const BROKEN = "x";
