/** A list that grows at its end without being copied: the last item, and the list before it. */
export interface GrowingList<Item> {
  readonly last: Item;
  readonly before: GrowingList<Item> | null;
  readonly length: number;
}

/** The chain with one more item. */
export function appended<Item>(before: GrowingList<Item> | null, last: Item): GrowingList<Item> {
  return { last, before, length: (before?.length ?? 0) + 1 };
}

/** The last `count` items of a chain, or all of them, in order. */
export function itemsOf<Item>(chain: GrowingList<Item> | null, count: number = chain?.length ?? 0): Item[] {
  const items = new Array<Item>(Math.min(count, chain?.length ?? 0));
  for (let link = chain, position = items.length; link !== null && position > 0; link = link.before)
    items[--position] = link.last;
  return items;
}

const lists = new WeakMap<GrowingList<unknown>, readonly unknown[]>();

/** All items as a frozen list. Asked again when the chain has grown, it costs no more than a copy of the list before. */
export function listOf<Item>(chain: GrowingList<Item> | null): readonly Item[] {
  if (chain === null) return [];
  const known = lists.get(chain) as readonly Item[] | undefined;
  if (known !== undefined) return known;
  const before = chain.before === null ? undefined : (lists.get(chain.before) as readonly Item[] | undefined);
  const list = Object.freeze(before === undefined ? itemsOf(chain) : [...before, chain.last]);
  // Only the last one is kept: all of them together would be as large as the square of the chain.
  if (chain.before !== null) lists.delete(chain.before);
  lists.set(chain, list);
  return list;
}
