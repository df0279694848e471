/** A list that grows at its end without being copied: the last item, and the list before it. */
export interface Chain<Item> {
  readonly last: Item;
  readonly before: Chain<Item> | null;
  readonly length: number;
}

/** The chain with one more item. */
export function chained<Item>(before: Chain<Item> | null, last: Item): Chain<Item> {
  return { last, before, length: (before?.length ?? 0) + 1 };
}

/** The last `count` items of a chain, or all of them, in order. */
export function itemsOf<Item>(chain: Chain<Item> | null, count: number = chain?.length ?? 0): Item[] {
  const items = new Array<Item>(Math.min(count, chain?.length ?? 0));
  for (let link = chain, position = items.length; link !== null && position > 0; link = link.before)
    items[--position] = link.last;
  return items;
}
