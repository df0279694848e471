import type { Clock } from "../../core/environment.ts";
import { sleepBy } from "./clock.ts";

/** How long real input and output may take when nobody sleeps. */
const PATIENCE_MS = 2_000;

interface Alarm {
  readonly time: number;
  readonly order: number;
  action: (() => void) | null;
}

/** A clock for tests: its time stands still until it is told to go on. */
export class VirtualClock implements Clock {
  #now: number;
  #made = 0;
  /** A heap: the next alarm comes first. */
  readonly #alarms: Alarm[] = [];

  constructor(now = 0) {
    this.#now = now;
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

  /** Goes on by a time; whoever is due wakes in order, and what they do is done before the next one wakes. */
  async advance(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    await settled();
    while (this.#alarms[0] !== undefined && this.#alarms[0].time <= until) await this.#wakeNext();
    this.#now = until;
  }

  /**
   * Goes on until a promise has settled. When nobody sleeps, only real input and output can settle it (a file that is
   * being written), which gets some seconds; then it is an error.
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
      if (this.#alarms.length > 0) {
        givenUpAt = null;
        await this.#wakeNext();
        continue;
      }
      givenUpAt ??= performance.now() + PATIENCE_MS;
      if (performance.now() > givenUpAt) throw new Error("Nobody sleeps, and the promise is still pending.");
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
