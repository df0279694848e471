import type { Amounts } from "./amounts.ts";

/** Conversations that come to a state: how likely they are, how long, and what they took so far. */
export interface Arrival {
  readonly mass: number;
  /** By how many tokens their mean is longer than the one that represents them. */
  readonly longer: number;
  readonly least: Amounts;
  readonly most: Amounts;
}

/**
 * The states that conversations are in after the same number of turns, in the order in which they were reached. A long chain has
 * hundreds of thousands of them in all its layers, so their numbers stand in a few arrays, which the layer after the next uses again.
 */
export class ChainLayer<State extends { readonly number: number }> {
  readonly #width: number;
  readonly #states: State[] = [];
  readonly #masses: number[] = [];
  readonly #longer: number[] = [];
  /** For each state the least, then the most. */
  #amounts: Float64Array;
  /** By the number of a state; -1 for those that are not here. */
  readonly #positions: number[] = [];

  /** `width`: how many amounts there are. */
  constructor(width: number) {
    this.#width = width;
    this.#amounts = new Float64Array(16 * width);
  }

  get size(): number {
    return this.#states.length;
  }

  stateAt(position: number): State {
    return this.#states[position] as State;
  }

  massAt(position: number): number {
    return this.#masses[position] as number;
  }

  longerAt(position: number): number {
    return this.#longer[position] as number;
  }

  /** Copies what the conversations in a state took so far. */
  readAmounts(position: number, { least, most }: Pick<Arrival, "least" | "most">): void {
    const start = 2 * this.#width * position;
    for (let index = 0; index < this.#width; index++) {
      least[index] = this.#amounts[start + index] as number;
      most[index] = this.#amounts[start + this.#width + index] as number;
    }
  }

  /** Conversations in the same state become one. */
  add(state: State, { mass, longer, least, most }: Arrival): void {
    const known = this.#positions[state.number] ?? -1;
    const position = known === -1 ? this.#open(state) : known;
    const start = 2 * this.#width * position;
    const amounts = this.#amounts;
    if (known === -1) {
      this.#masses.push(mass);
      this.#longer.push(longer);
      amounts.set(least, start);
      amounts.set(most, start + this.#width);
      return;
    }
    const before = this.massAt(position);
    const sum = before + mass;
    if (sum > 0) this.#longer[position] = (before * this.longerAt(position) + mass * longer) / sum;
    this.#masses[position] = sum;
    for (let index = 0; index < this.#width; index++) {
      const [low, high] = [start + index, start + this.#width + index];
      amounts[low] = Math.min(amounts[low] as number, least[index] as number);
      amounts[high] = Math.max(amounts[high] as number, most[index] as number);
    }
  }

  #open(state: State): number {
    while (this.#positions.length <= state.number) this.#positions.push(-1);
    const position = this.#states.push(state) - 1;
    this.#positions[state.number] = position;
    if (2 * this.#width * this.#states.length > this.#amounts.length) {
      const larger = new Float64Array(2 * this.#amounts.length);
      larger.set(this.#amounts);
      this.#amounts = larger;
    }
    return position;
  }

  clear(): void {
    for (const { number } of this.#states) this.#positions[number] = -1;
    for (const list of [this.#states, this.#masses, this.#longer]) list.length = 0;
  }
}
