import type { Clock } from "../../core/environment.ts";
import { type AccountCaps, AdmissionControl, type Start, type StartResult } from "./admission-control.ts";
import { cancelledError, onAbort } from "./clock.ts";

/** Starts the calls of one account, as many and as fast as its server accepts, first come, first served. */
export class AccountLimiter {
  readonly #clock: Clock;
  readonly #control: AdmissionControl;
  readonly #queue = new WaitQueue();
  #cancelTimer: (() => void) | null = null;

  /** An account with caps starts with all that they allow; others find out their limit, up to the `highest` concurrency. */
  constructor(clock: Clock, caps?: AccountCaps, highest?: number) {
    this.#clock = clock;
    this.#control = new AdmissionControl(caps, highest);
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get inFlight(): number {
    return this.#control.inFlight;
  }

  /** Starts a call at once, or returns null: then call `wait`. */
  tryStart(): Start | null {
    if (this.#queue.size > 0) return null;
    const now = this.#clock.now();
    return this.#control.delay(now) === 0 ? this.#control.start(now) : null;
  }

  /** Waits for the start of a call; a retry may go first. */
  wait(signal: AbortSignal, first = false): Promise<Start> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelledError(signal));
      const waiting = this.#queue.add(() => {
        forget();
        resolve(this.#control.start(this.#clock.now()));
      }, first);
      const forget = onAbort(signal, () => {
        this.#queue.remove(waiting);
        if (this.#queue.size === 0) this.#disarm();
        reject(cancelledError(signal));
      });
      // While a timer is set, no call may start before it fires.
      if (this.#cancelTimer === null) this.#startWaiting();
    });
  }

  /** Ends a call, and starts calls that wait. */
  finish(start: Start, result: StartResult): void {
    const now = this.#clock.now();
    this.#control.finish(start, result, now);
    if (this.#queue.size === 0) return;
    const wait = this.#control.burstWait(start, now);
    // Less than a timer can wait.
    if (wait < 1) this.#startWaiting();
    else if (this.#cancelTimer === null) this.#arm(wait);
  }

  #startWaiting(): void {
    this.#disarm();
    while (this.#queue.size > 0) {
      const delay = this.#control.delay(this.#clock.now());
      if (delay === Number.POSITIVE_INFINITY) return this.#control.holdBack();
      if (delay > 0) return this.#arm(delay);
      this.#queue.shift()?.wake();
    }
  }

  #arm(milliseconds: number): void {
    this.#cancelTimer = this.#clock.after(milliseconds, () => {
      this.#cancelTimer = null;
      this.#startWaiting();
    });
  }

  #disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }
}

/** An entry of a `WaitQueue`; it knows its neighbours, so that it can leave from the middle. */
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
