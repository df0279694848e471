/** Somebody who waits; knows its neighbours, so that it can leave from the middle. */
export interface Waiting {
  readonly wake: () => void;
  before: Waiting | null;
  after: Waiting | null;
  queued: boolean;
}

/** A queue in which joining at either end, leaving from anywhere and taking the first cost the same however long it is. */
export class WaitQueue {
  #first: Waiting | null = null;
  #last: Waiting | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Joins at the end, or before all others. */
  add(wake: () => void, first = false): Waiting {
    const waiting: Waiting = {
      wake,
      before: first ? null : this.#last,
      after: first ? this.#first : null,
      queued: true,
    };
    if (waiting.before === null) this.#first = waiting;
    else waiting.before.after = waiting;
    if (waiting.after === null) this.#last = waiting;
    else waiting.after.before = waiting;
    this.#size++;
    return waiting;
  }

  /** Leaves the queue; nothing happens if it has left already. */
  remove(waiting: Waiting): void {
    if (!waiting.queued) return;
    waiting.queued = false;
    if (waiting.before === null) this.#first = waiting.after;
    else waiting.before.after = waiting.after;
    if (waiting.after === null) this.#last = waiting.before;
    else waiting.after.before = waiting.before;
    this.#size--;
  }

  /** Takes the first out. */
  shift(): Waiting | undefined {
    const first = this.#first;
    if (first === null) return undefined;
    this.remove(first);
    return first;
  }
}
