/**
 * Events on their way to the one who iterates. Who produces them asks `room()` before starting something new, so that a slow
 * reader holds the run back instead of filling the memory.
 */
export class EventQueue<Event> implements AsyncIterator<Event> {
  readonly #onReturn: () => void;
  readonly #limit: number;
  #events: Event[] = [];
  #head = 0;
  #reader: PromiseWithResolvers<IteratorResult<Event>> | undefined;
  #waiting: (() => void)[] = [];
  #state: "open" | "ended" | { readonly error: unknown } = "open";

  constructor(options: { readonly limit: number; readonly onReturn: () => void }) {
    this.#limit = options.limit;
    this.#onReturn = options.onReturn;
  }

  push(event: Event): void {
    if (this.#state !== "open") return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#events.push(event);
    else reader.resolve({ done: false, value: event });
  }

  end(): void {
    if (this.#state === "open") this.#state = "ended";
    this.#reader?.resolve({ done: true, value: undefined });
    this.#reader = undefined;
  }

  fail(error: unknown): void {
    if (this.#state !== "open") return;
    // An error is told once: to a reader who waits, else to the next who asks.
    this.#state = this.#reader === undefined ? { error } : "ended";
    this.#reader?.reject(error);
    this.#reader = undefined;
  }

  /** Undefined if there is room, else a promise of it. */
  room(): Promise<void> | undefined {
    if (this.#state !== "open" || this.#events.length - this.#head < this.#limit) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  next(): Promise<IteratorResult<Event>> {
    if (this.#head < this.#events.length) {
      const value = this.#events[this.#head++] as Event;
      if (this.#head === this.#events.length) {
        this.#events = [];
        this.#head = 0;
        this.#wake();
      }
      return Promise.resolve({ done: false, value });
    }
    const state = this.#state;
    if (state === "ended") return Promise.resolve({ done: true, value: undefined });
    if (state !== "open") {
      this.#state = "ended";
      return Promise.reject(state.error);
    }
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }

  /** The reader has enough. */
  return(): Promise<IteratorResult<Event>> {
    const wasOpen = this.#state === "open";
    this.#state = "ended";
    this.#events = [];
    this.#head = 0;
    this.#wake();
    if (wasOpen) this.#onReturn();
    return Promise.resolve({ done: true, value: undefined });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
