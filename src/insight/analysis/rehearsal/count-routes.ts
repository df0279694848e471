import { memoize } from "../../../core/lazy.ts";
import { type End, type ExploredState, endsAtLimit, isEnd, stopsAtLimit } from "./explored-graph.ts";
import { branchesOf } from "./graph-paths.ts";

/** More take too long: then nothing is counted. */
const MOST_ROUTE_WORK = 20_000_000;
const MOST_ROUTE_SETS = 50_000;

/** States that conversations with the same nodes may be in. */
interface RouteSet {
  readonly states: readonly ExploredState[];
  next:
    | { readonly ends: number; readonly endsAtLimit: number; readonly sets: readonly RouteSet[] }
    | undefined;
}

/** How many different sequences of nodes a graph has, with how they end; null if that would take too long. */
export function countRoutes(start: ExploredState | End, limit: number): bigint | null {
  if (isEnd(start)) return 1n;
  // States that the same nodes lead to are one set: what follows a set is found once.
  const sets = new Map<string, RouteSet>();
  let work = 0;
  const setOf = (states: readonly ExploredState[]): RouteSet => {
    const ids = states.map(({ id }) => id).sort((left, right) => left - right);
    return memoize(sets, ids.join(), () => ({ states, next: undefined }));
  };
  let counts = new Map<RouteSet, bigint>([[setOf([start]), 1n]]);
  let total = 0n;
  for (let turns = 0; turns < limit && counts.size > 0; turns++) {
    const isLast = turns + 1 === limit;
    const next = new Map<RouteSet, bigint>();
    for (const [set, count] of counts) {
      set.next ??= routesFrom(set.states, setOf);
      const { ends, endsAtLimit: endsLast, sets: following } = set.next;
      total += count * BigInt(isLast ? endsLast : ends);
      work += following.length + 1;
      if (!isLast) for (const one of following) next.set(one, (next.get(one) ?? 0n) + count);
    }
    if (work > MOST_ROUTE_WORK || sets.size > MOST_ROUTE_SETS) return null;
    counts = next;
  }
  return total;
}

function routesFrom(
  states: readonly ExploredState[],
  setOf: (states: readonly ExploredState[]) => RouteSet,
): NonNullable<RouteSet["next"]> {
  const byNode = new Map<string, Set<ExploredState>>();
  const [ends, atLimit] = [new Set<string>(), new Set<string>()];
  for (const branch of states.flatMap(branchesOf)) {
    const { to, arm = "", after } = branch;
    if (isEnd(to)) ends.add(`${to.status} ${arm}`);
    else memoize(byNode, to.node, () => new Set<ExploredState>()).add(to);
    if (isEnd(to) && endsAtLimit(branch)) atLimit.add(`${to.status} ${arm}`);
    if (stopsAtLimit(branch)) atLimit.add(`limit_reached ${after.cell.arm ?? ""}`);
  }
  const sets = [...byNode.values()].map((found) => setOf([...found]));
  return { ends: ends.size, endsAtLimit: atLimit.size, sets };
}
