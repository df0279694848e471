import { canonicalJson } from "../value/canonical-json.ts";

/** A set of JSON values by content: `{a: 1}` is in it however often it is written anew, and `1` is not `"1"`. */
export class ValueSet {
  /** Scalars stand for themselves; only arrays and objects are written out, which keeps big lists fast. */
  readonly #scalars = new Set<unknown>();
  readonly #structures = new Set<string>();

  constructor(values: Iterable<unknown>) {
    for (const value of values) {
      if (isScalar(value)) this.#scalars.add(value ?? null);
      else this.#structures.add(canonicalJson(value));
    }
  }

  get size(): number {
    return this.#scalars.size + this.#structures.size;
  }

  isSubsetOf(other: ValueSet): boolean {
    return this.overlap(other) === this.size;
  }

  /** How many values are in both. */
  overlap(other: ValueSet): number {
    return countCommon(this.#scalars, other.#scalars) + countCommon(this.#structures, other.#structures);
  }
}

function countCommon(left: ReadonlySet<unknown>, right: ReadonlySet<unknown>): number {
  let count = 0;
  for (const value of left) if (right.has(value)) count++;
  return count;
}

function isScalar(value: unknown): boolean {
  return value === null || (typeof value !== "object" && typeof value !== "function");
}
