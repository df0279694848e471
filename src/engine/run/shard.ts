/** One of several parts of a run: the parts have all its conversations together, each of them once. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly of: number;
}

/** A run with more parts than this has nothing to do in most of them. */
export const MOST_SHARDS = 10_000;

/** What `2/5` means; a sentence if it means nothing. */
export function parseShard(text: string): Shard | string {
  const [, first, second] = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(text) ?? [];
  const shard = { index: Number(first), of: Number(second) };
  return isShard(shard)
    ? shard
    : `"${text}" is no shard. Write which one of how many: 2/5 is the second of five. There are at most ${MOST_SHARDS}.`;
}

/** True of a shard that can be. */
export function isShard({ index, of }: Shard): boolean {
  const isWhole = Number.isSafeInteger(index) && Number.isSafeInteger(of);
  return isWhole && index >= 1 && index <= of && of <= MOST_SHARDS;
}
