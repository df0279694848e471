import { Rng } from "../../core/rng.ts";
import type { Step } from "../../run/step/step.ts";
import { type AmountSpread, type Amounts, addAmounts, extend } from "./amounts.ts";

/** What a conversation will take from some point on, in all its arms. */
export interface ChainResult extends AmountSpread {
  /** False if there were too many states, and some of them stand for all. */
  readonly isExact: boolean;
}

/** Where a conversation stands, and what is ready to be done. */
export type Position = Pick<Step, "state" | "effects">;

/** So many states of one turn are followed; beyond that, some are drawn at random. */
const MOST_STATES = 2_000;

/** Conversations that nothing tells apart from here on. */
export interface Entry extends Position {
  /** How likely they are. */
  mass: number;
  /** What the one that stands for all has said so far, in tokens, and by how much the mean of all is more. */
  readonly spoken: number;
  offset: number;
  /** What they took so far. */
  readonly least: Amounts;
  readonly most: Amounts;
}

/** An entry whose bounds can be changed by others that come to the same state. */
export function withOwnBounds(entry: Entry): Entry {
  return { ...entry, least: Float64Array.from(entry.least), most: Float64Array.from(entry.most) };
}

/** Adds conversations to others that nothing tells from them. */
export function merge(known: Entry, entry: Entry): void {
  const mass = known.mass + entry.mass;
  const mean =
    mass === 0
      ? known.spoken + known.offset
      : (known.mass * (known.spoken + known.offset) + entry.mass * (entry.spoken + entry.offset)) / mass;
  known.offset = mean - known.spoken;
  known.mass = mass;
  extend(known.least, entry.least, Math.min);
  extend(known.most, entry.most, Math.max);
}

/** What a walk comes to. */
export class WalkTotal {
  isExact = true;
  readonly #expected: Amounts;
  #least: Amounts | undefined;
  #most: Amounts | undefined;

  constructor(zero: Amounts) {
    this.#expected = zero;
  }

  expect(amounts: Amounts, mass: number): void {
    addAmounts(this.#expected, amounts, mass);
  }

  end({ least, most }: Pick<Entry, "least" | "most">): void {
    if (this.#least === undefined) this.#least = Float64Array.from(least);
    else extend(this.#least, least, Math.min);
    if (this.#most === undefined) this.#most = Float64Array.from(most);
    else extend(this.#most, most, Math.max);
  }

  /** A layer of no more states than can be followed: those that are kept are drawn by their chances, and share the chances of all. */
  limited(layer: Map<string, Entry>): Map<string, Entry> {
    if (layer.size <= MOST_STATES) return layer;
    this.isExact = false;
    const entries = [...layer];
    const mass = entries.reduce((sum, [, entry]) => sum + entry.mass, 0);
    const stride = mass / MOST_STATES;
    const kept = new Map<string, Entry>();
    let next = stride * new Rng("plan").next();
    let reached = 0;
    for (const [key, entry] of entries) {
      reached += entry.mass;
      let drawn = 0;
      for (; next < reached; next += stride) drawn++;
      if (drawn > 0) kept.set(key, { ...entry, mass: drawn * stride });
    }
    return kept;
  }

  result(): ChainResult {
    const zero = new Float64Array(this.#expected.length);
    return {
      least: this.#least ?? zero,
      expected: this.#expected,
      most: this.#most ?? zero,
      isExact: this.isExact,
    };
  }
}
