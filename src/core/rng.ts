import { hash32, mixBits } from "./values/hash.ts";

/** A random number generator with a seed: the same key gives the same numbers. */
export class Rng {
  #state: number;

  constructor(key: string) {
    this.#state = hash32(key);
  }

  /** From 0, and below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    return mixBits(this.#state) / 4_294_967_296;
  }

  /** True with this probability: never for 0, always for 1. */
  happens(probability: number): boolean {
    return this.next() < probability;
  }

  /** A word of sixteen letters and digits. */
  word(): string {
    return [0, 1]
      .map(() =>
        Math.floor(this.next() * 16 ** 8)
          .toString(16)
          .padStart(8, "0"),
      )
      .join("");
  }

  /** A whole number from 0, and below `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }
}
