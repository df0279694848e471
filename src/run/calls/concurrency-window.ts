/** An account whose limits are unknown is first asked so much at once. */
const FIRST_LIMIT = 80;

/** How much of it is left after a refusal. */
const CUT = 0.7;

/**
 * How many calls may be under way: doubles with every clean round of calls that it held back, until the first refusal;
 * from then on it grows by a fixed step.
 */
export class ConcurrencyWindow {
  readonly #highest: number;
  #limit: number;
  #step: number | null = null;
  #clean = 0;
  #inUse = false;
  #untried = true;

  constructor(highest: number = Number.POSITIVE_INFINITY, first: number = FIRST_LIMIT) {
    this.#highest = highest;
    this.#limit = Math.min(first, highest);
  }

  get limit(): number {
    return this.#limit;
  }

  /** True while nothing is known of the account: there was no clean round yet, and no refusal. */
  get isUntried(): boolean {
    return this.#untried && this.#limit < this.#highest;
  }

  /** A call has to wait because so many are under way. */
  holdBack(): void {
    this.#inUse = true;
  }

  succeed(): void {
    this.#clean++;
    if (this.#clean < this.#limit) return;
    this.#clean = 0;
    this.#untried = false;
    if (this.#inUse) this.#limit = Math.min(this.#limit + (this.#step ?? this.#limit), this.#highest);
    this.#inUse = false;
  }

  /** The server has trouble that is not about limits: no growth before another clean round. */
  pauseGrowth(): void {
    this.#clean = 0;
  }

  /** The server refused; `full` if the call was started when no more were allowed. */
  cut(full: boolean): void {
    this.#untried = false;
    if (full) this.#limit = Math.max(1, Math.floor(this.#limit * CUT));
    if (full || this.#step === null) this.#step = Math.max(1, Math.floor(this.#limit / 8));
    this.#clean = 0;
    this.#inUse = false;
  }
}
