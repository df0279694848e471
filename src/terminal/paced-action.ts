import type { Clock } from "../core/values/environment.ts";

/** How often an action may happen. */
export interface PaceOptions {
  readonly clock: Clock;
  /** The least time between two of them, in milliseconds. */
  readonly everyMs: number;
  /** After this long it happens even if nobody asks for it. */
  readonly idleMs?: number;
}

/** Does something soon after it is asked for, but never too often, however often that is. */
export class PacedAction {
  readonly #action: () => void;
  readonly #pace: PaceOptions;
  #last: number | undefined;
  #cancel: (() => void) | undefined;
  #due = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(action: () => void, pace: PaceOptions) {
    this.#action = action;
    this.#pace = pace;
  }

  /** At once if the last time was long enough ago: timers do not fire while a run keeps the process busy. */
  request(): void {
    if (this.#stopped) return;
    const now = this.#pace.clock.now();
    const due = this.#last === undefined ? now : this.#last + this.#pace.everyMs;
    if (now >= due) this.#act(now);
    else this.#schedule(due, now);
  }

  /** Whatever was asked for does not happen any more. */
  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #act(now: number): void {
    this.#last = now;
    this.#cancel?.();
    this.#due = Number.POSITIVE_INFINITY;
    const { idleMs } = this.#pace;
    if (idleMs !== undefined) this.#schedule(now + idleMs, now);
    this.#action();
  }

  #schedule(due: number, now: number): void {
    if (due >= this.#due) return;
    this.#cancel?.();
    this.#due = due;
    this.#cancel = this.#pace.clock.after(due - now, () => this.#act(this.#pace.clock.now()));
  }
}
