/** A map that keeps what was added last, up to a weight in all: two that are given the same items keep the same ones. */
export class BoundedMap<Value> {
  readonly #items = new Map<string, { readonly value: Value; readonly weight: number }>();
  readonly #limit: number;
  #weight = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(key: string): boolean {
    return this.#items.has(key);
  }

  get(key: string): Value | undefined {
    return this.#items.get(key)?.value;
  }

  /** Adds an item; the last one stays, however heavy it is. */
  add(key: string, value: Value, weight = 1): void {
    this.#remove(key);
    this.#items.set(key, { value, weight });
    this.#weight += weight;
    for (const [oldest] of this.#items) {
      if (this.#weight <= this.#limit || oldest === key) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#weight -= this.#items.get(key)?.weight ?? 0;
    this.#items.delete(key);
  }
}
