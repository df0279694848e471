const SLOT_MS = 500;
const SLOTS = 20;

/** A time too short to tell anything from. */
const LEAST_MS = 1000;

interface Slot {
  /** Which half second since 1970. */
  number: number;
  count: number;
}

/** How often something happens per second, of late: over the last ten seconds, or since the beginning if that is less. */
export class RecentRate {
  readonly #slots: readonly Slot[] = Array.from({ length: SLOTS }, () => ({ number: -1, count: 0 }));
  readonly #start: number;

  /** From when on it counts, in milliseconds since 1970. */
  constructor(start: number) {
    this.#start = start;
  }

  /** It has happened. */
  add(at: number): void {
    const number = Math.floor(at / SLOT_MS);
    // There are as many slots as remainders.
    const slot = this.#slots[number % SLOTS] as Slot;
    if (slot.number > number) return;
    if (slot.number < number) {
      slot.number = number;
      slot.count = 0;
    }
    slot.count++;
  }

  /** How often it happened within the window that ends now. */
  count(now: number): number {
    const first = firstSlot(now);
    return this.#slots.reduce((sum, { number, count }) => (number >= first ? sum + count : sum), 0);
  }

  /** Undefined as long as there is nothing to tell from. */
  perSecond(now: number): number | undefined {
    const from = Math.max(this.#start, firstSlot(now) * SLOT_MS);
    return now - from < LEAST_MS ? undefined : this.count(now) / ((now - from) / 1000);
  }
}

function firstSlot(now: number): number {
  return Math.floor(now / SLOT_MS) - SLOTS + 1;
}
