import type { Clock } from "../src/core/environment.ts";
import { sleepBy } from "../src/engine/run/calls/clock.ts";

/** Settings of a virtual clock. */
interface VirtualClockOptions {
  /** True while real input or output is in flight: the clock stands still then. */
  readonly isBusy?: () => boolean;
  /** How long `runUntil` waits for real input and output when no timer is set (default 20,000). */
  readonly patienceMs?: number;
}

interface Alarm {
  readonly time: number;
  readonly order: number;
  action: (() => void) | null;
}

/** A clock for tests: its time stands still until `advance` or `runUntil` moves it. */
export class VirtualClock implements Clock {
  readonly #isBusy: () => boolean;
  readonly #patienceMs: number;
  #now: number;
  #made = 0;
  /** A heap: the next alarm comes first. */
  readonly #alarms: Alarm[] = [];

  constructor(now = 0, { isBusy = () => false, patienceMs = 20_000 }: VirtualClockOptions = {}) {
    this.#now = now;
    this.#isBusy = isBusy;
    this.#patienceMs = patienceMs;
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#alarms.filter(({ action }) => action !== null).length;
  }

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, milliseconds, signal);
  }

  after(milliseconds: number, action: () => void): () => void {
    const alarm: Alarm = { time: this.#now + Math.max(milliseconds, 0), order: this.#made++, action };
    this.#add(alarm);
    return () => {
      alarm.action = null;
    };
  }

  /** Moves on by a time. Timers fire in order, and what one sets off is done before the next one fires. */
  async advance(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    await settled();
    while (this.#alarms[0] !== undefined && this.#alarms[0].time <= until) await this.#wakeNext();
    this.#now = until;
  }

  /**
   * Moves on until a promise has settled. If no timer is set, only real input and output can settle it (a file that is being
   * written): it gets some time for that, then it is an error.
   */
  async runUntil<Value>(promise: Promise<Value>): Promise<Value> {
    let pending = true;
    const done = (): void => {
      pending = false;
    };
    promise.then(done, done);
    await settled();
    let givenUpAt: number | null = null;
    while (pending) {
      if (this.#isBusy()) {
        givenUpAt = null;
        await settled();
        continue;
      }
      if (this.#alarms.length > 0) {
        givenUpAt = null;
        await this.#wakeNext();
        continue;
      }
      givenUpAt ??= performance.now() + this.#patienceMs;
      if (performance.now() > givenUpAt)
        throw new Error("No timer is set, and the promise is still pending.");
      await settled();
    }
    return promise;
  }

  async #wakeNext(): Promise<void> {
    const alarm = this.#removeFirst();
    if (alarm?.action === null || alarm === undefined) return;
    this.#now = alarm.time;
    alarm.action();
    await settled();
  }

  #add(alarm: Alarm): void {
    const heap = this.#alarms;
    let place = heap.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = heap[above] as Alarm;
      if (!isBefore(alarm, other)) break;
      heap[place] = other;
      place = above;
    }
    heap[place] = alarm;
  }

  #removeFirst(): Alarm | undefined {
    const heap = this.#alarms;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      const [left, right] = [heap[below], heap[below + 1]];
      if (left === undefined) break;
      if (right !== undefined && isBefore(right, left)) below++;
      const other = heap[below] as Alarm;
      if (!isBefore(other, last)) break;
      heap[place] = other;
      place = below;
    }
    heap[place] = last;
    return first;
  }
}

function isBefore(a: Alarm, b: Alarm): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}

/** All promises that can settle without the clock have settled: their reactions run before the next task. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
