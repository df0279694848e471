/** Aborts after a time, or with another signal. */
export class TimeLimit {
  /** True if it was the time that ran out. */
  reached = false;
  readonly signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number, other?: AbortSignal) {
    const controller = new AbortController();
    this.signal = other === undefined ? controller.signal : AbortSignal.any([controller.signal, other]);
    this.#timer = setTimeout(() => {
      this.reached = true;
      controller.abort();
    }, ms);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
