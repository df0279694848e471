import { hash32 } from "./hash.ts";

const BITS = 4;
const MASK = (1 << BITS) - 1;

interface Leaf<Value> {
  readonly key: string;
  readonly hash: number;
  readonly value: Value;
  /** Another key with the same hash. */
  readonly next: Leaf<Value> | null;
}

type Branch<Value> = readonly (Branch<Value> | Leaf<Value> | undefined)[];

/**
 * A map that never changes: setting a key gives another map, which shares with the first all but a few small arrays. A copy of
 * an object with thousands of keys for every turn of a conversation would cost the square of its turns.
 */
export class PersistentMap<Value> {
  readonly #root: Branch<Value>;

  private constructor(root: Branch<Value>) {
    this.#root = root;
  }

  /** The map without keys. */
  static empty<Value>(): PersistentMap<Value> {
    return new PersistentMap<Value>([]);
  }

  get(key: string): Value | undefined {
    const hash = hash32(key);
    let slot: Branch<Value> | Leaf<Value> | undefined = this.#root;
    for (let shift = 0; isBranch(slot); shift += BITS) slot = slot[(hash >>> shift) & MASK];
    let leaf: Leaf<Value> | null | undefined = slot;
    while (leaf && leaf.key !== key) leaf = leaf.next;
    return leaf?.value;
  }

  set(key: string, value: Value): PersistentMap<Value> {
    return new PersistentMap(withLeaf(this.#root, { key, hash: hash32(key), value, next: null }, 0));
  }

  /** All keys with their values, in an order of its own. */
  *entries(): Generator<readonly [string, Value]> {
    const pending: (Branch<Value> | Leaf<Value> | undefined)[] = [this.#root];
    for (let slot = pending.pop(); slot !== undefined || pending.length > 0; slot = pending.pop()) {
      if (isBranch(slot)) pending.push(...slot);
      else for (let leaf = slot ?? null; leaf !== null; leaf = leaf.next) yield [leaf.key, leaf.value];
    }
  }
}

function withLeaf<Value>(branch: Branch<Value>, leaf: Leaf<Value>, shift: number): Branch<Value> {
  const index = (leaf.hash >>> shift) & MASK;
  const copy = branch.slice();
  copy[index] = inSlot(branch[index], leaf, shift + BITS);
  return copy;
}

function inSlot<Value>(
  slot: Branch<Value> | Leaf<Value> | undefined,
  leaf: Leaf<Value>,
  shift: number,
): Branch<Value> | Leaf<Value> {
  if (slot === undefined) return leaf;
  if (isBranch(slot)) return withLeaf(slot, leaf, shift);
  if (slot.hash === leaf.hash) return { ...leaf, next: without(slot, leaf.key) };
  return withLeaf(withLeaf([], slot, shift), leaf, shift);
}

function without<Value>(leaf: Leaf<Value> | null, key: string): Leaf<Value> | null {
  if (leaf === null) return null;
  return leaf.key === key ? leaf.next : { ...leaf, next: without(leaf.next, key) };
}

function isBranch<Value>(slot: Branch<Value> | Leaf<Value> | undefined): slot is Branch<Value> {
  return Array.isArray(slot);
}
