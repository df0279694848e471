const SLOTS = 20;

/** What was accepted in a time that ends now. */
export interface RecentSuccesses {
  readonly count: number;
  /** The time that was looked at. */
  readonly horizonMs: number;
  /** How long ago the first of them came. */
  readonly spanMs: number;
}

/** Counts the successes of a time, in slots, so that each costs the same however many there are. */
export class SuccessMeter {
  readonly #slotMs: number;
  readonly #counts: number[] = new Array<number>(SLOTS).fill(0);
  #slot = 0;

  constructor(horizonMs: number) {
    this.#slotMs = horizonMs / SLOTS;
  }

  add(now: number): void {
    this.#moveTo(now);
    const place = this.#slot % SLOTS;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
  }

  recent(now: number): RecentSuccesses {
    this.#moveTo(now);
    let count = 0;
    let spanMs = 0;
    for (let age = 0; age < SLOTS && age <= this.#slot; age++) {
      const found = this.#counts[(this.#slot - age) % SLOTS] ?? 0;
      count += found;
      if (found > 0) spanMs = now - (this.#slot - age) * this.#slotMs;
    }
    return { count, horizonMs: this.#slotMs * SLOTS, spanMs };
  }

  /** Empties the slots that time has passed over. */
  #moveTo(now: number): void {
    const slot = Math.floor(now / this.#slotMs);
    const passed = Math.min(slot - this.#slot, SLOTS);
    for (let step = 0; step < passed; step++) this.#counts[(slot - step) % SLOTS] = 0;
    this.#slot = Math.max(slot, this.#slot);
  }
}
