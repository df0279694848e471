import { sha256 } from "../../core/values/hash.ts";
import { canonicalJson } from "../../core/values/json.ts";
import { itemKey } from "../journal/cell.ts";
import type { Cell } from "../journal/run-event.ts";
import { cellGroups, type Factors } from "./cell-source.ts";
import type { Shard } from "./shard.ts";

/** The conversations of a shard. */
interface ShardCells {
  /** How many there are, without arms. */
  readonly size: number;
  /** The hash of all conversations of the run: the same in all its shards. */
  readonly whole: string;
  has(cell: Cell): boolean;
}

interface Group {
  readonly item: number;
  readonly key: number;
}

/**
 * The conversations of one shard. Which they are follows from what identifies them (scenario, row, variant, subject, replicate), not
 * from where they stand: a new row moves few of the others. Conversations that differ only in the judge stay together, because they
 * share replies. The conversations of an item go to different shards, and no shard has two groups more than another.
 */
export async function shardCells(factors: Factors, { index, of }: Shard): Promise<ShardCells> {
  const groups: Group[] = [];
  for await (const { cells } of cellGroups(factors)) {
    // A group has a cell for each judge, and there is at least one.
    const cell = cells[0] as Cell;
    groups.push({ item: numberOf(itemKey(cell)), key: keyOf(cell) });
  }
  groups.sort((one, other) => one.item - other.item || one.key - other.key);
  const shards = assign(groups, of);
  const own = new Set(groups.filter((_, position) => shards[position] === index - 1).map(({ key }) => key));
  return {
    size: own.size * factors.judges.length,
    whole: sha256(groups.map(({ key }) => key).join(" ")).slice(0, 16),
    has: (cell) => own.has(keyOf(cell)),
  };
}

/** The shard of each group, from 0: the one that its item and its rank in the item prefer, or the next that has room. */
function assign(groups: readonly Group[], of: number): readonly number[] {
  const least = Math.floor(groups.length / of);
  const sizes = new Array<number>(of).fill(0);
  /** How many shards may still have one group more than the others. */
  let larger = groups.length % of;
  const hasRoom = (shard: number): boolean => {
    const size = sizes[shard] ?? 0;
    return size < least || (size === least && larger > 0);
  };
  let rank = 0;
  return groups.map(({ item }, position) => {
    rank = position > 0 && groups[position - 1]?.item === item ? rank + 1 : 0;
    let shard = (item + rank) % of;
    while (!hasRoom(shard)) shard = (shard + 1) % of;
    if (sizes[shard] === least) larger--;
    sizes[shard] = (sizes[shard] ?? 0) + 1;
    return shard;
  });
}

function keyOf({ scenario, row, variant, subject, replicate }: Cell): number {
  return numberOf(canonicalJson([scenario, row ?? null, variant ?? null, subject, replicate]));
}

/** 52 bits of the hash of a text. */
function numberOf(text: string): number {
  return Number.parseInt(sha256(text).slice(0, 13), 16);
}
