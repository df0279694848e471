import { memoize } from "../../../core/lazy.ts";
import {
  after,
  type End,
  type ExploredState,
  type FoundPath,
  isEnd,
  type PathStep,
  pathOf,
  type Transition,
  type Ways,
} from "./explored-graph.ts";

/** A graph whose paths are listed. */
export interface ListedGraph {
  readonly limit: number;
  /** The most paths that are listed. */
  readonly most: number;
  /** By the id of a state, where its replies lead, and the least number of turns to an end. */
  readonly ways: readonly Ways[];
  readonly toEnd: readonly number[];
  readonly transitions: (state: ExploredState) => readonly Transition[];
}

/** Lists the shortest paths from a state. Paths that never end are not followed. */
export function* shortestPaths(start: ExploredState, graph: ListedGraph): Generator<FoundPath> {
  const { limit, most } = graph;
  let listed = 0;
  const ends = endsIn(graph);
  const least = Math.min(graph.toEnd[start.id] ?? limit, limit);
  for (let length = least; length <= limit && listed < most; length++) {
    if (length < limit && !ends(start.id, length)) continue;
    for (const path of pathsOf(start, length, {
      graph,
      ends: length === limit ? null : ends,
      before: [],
    })) {
      yield path;
      if (++listed >= most) return;
    }
  }
}

type EndsIn = (state: number, turns: number) => boolean;

/** Says of a state whether a path from it ends in exactly so many turns; memoized. */
function endsIn({ ways, toEnd }: ListedGraph): EndsIn {
  const known: Map<number, boolean>[] = [];
  const answer = (id: number, turns: number): boolean | undefined => {
    const shortest = toEnd[id] as number;
    return turns <= shortest ? turns === shortest : known[id]?.get(turns);
  };
  return (first, length) => {
    const open = [{ id: first, turns: length, next: 0 }];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const { id, turns } = top;
      const { ended, to } = ways[id] as Ways;
      let ends: boolean | undefined = answer(id, turns) ?? (turns === 1 ? ended > 0 : undefined);
      for (; ends === undefined && top.next < to.length; top.next++) {
        const following = answer(to[top.next] as number, turns - 1);
        if (following === undefined) break;
        if (following) ends = true;
      }
      if (ends === undefined && top.next < to.length) {
        open.push({ id: to[top.next] as number, turns: turns - 1, next: 0 });
        continue;
      }
      known[id] ??= new Map();
      known[id].set(turns, ends ?? false);
      open.pop();
    }
    return answer(first, length) ?? false;
  };
}

interface BegunPath {
  readonly graph: ListedGraph;
  /** Null if the length is the limit, which every path reaches that has not ended before. */
  readonly ends: EndsIn | null;
  readonly before: readonly PathStep[];
}

function* pathsOf(state: ExploredState, length: number, begun: BegunPath): Generator<FoundPath> {
  const { graph, ends, before } = begun;
  for (const transition of graph.transitions(state)) {
    const { ended, onward, stopped } = after(transition, ends === null && length === 1);
    if (length === 1) {
      for (const branch of ended) yield pathOf([...before, { transition, branch }], false);
      if (stopped !== undefined) yield pathOf([...before, { transition, branch: stopped }], true);
      continue;
    }
    for (const branch of onward)
      if (ends === null || ends(branch.to.id, length - 1))
        yield* pathsOf(branch.to, length - 1, { ...begun, before: [...before, { transition, branch }] });
  }
}

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
export function countRoutes(
  start: ExploredState | End,
  transitions: ListedGraph["transitions"],
  limit: number,
): bigint | null {
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
      set.next ??= routesFrom(transitions, set.states, setOf);
      const { ends, endsAtLimit, sets: following } = set.next;
      total += count * BigInt(isLast ? endsAtLimit : ends);
      work += following.length + 1;
      if (!isLast) for (const one of following) next.set(one, (next.get(one) ?? 0n) + count);
    }
    if (work > MOST_ROUTE_WORK || sets.size > MOST_ROUTE_SETS) return null;
    counts = next;
  }
  return total;
}

function routesFrom(
  transitions: ListedGraph["transitions"],
  states: readonly ExploredState[],
  setOf: (states: readonly ExploredState[]) => RouteSet,
): NonNullable<RouteSet["next"]> {
  const byNode = new Map<string, Set<ExploredState>>();
  const [ends, endsAtLimit] = [new Set<string>(), new Set<string>()];
  for (const state of states)
    for (const transition of transitions(state)) {
      const following = after(transition, false);
      const atLimit = after(transition, true);
      for (const { to, arm = "" } of following.ended) ends.add(`${to.status} ${arm}`);
      for (const { to, arm = "" } of atLimit.ended) endsAtLimit.add(`${to.status} ${arm}`);
      if (atLimit.stopped !== undefined) endsAtLimit.add(`limit_reached ${transition.after.cell.arm ?? ""}`);
      for (const { to } of following.onward) byNode.set(to.node, (byNode.get(to.node) ?? new Set()).add(to));
    }
  const sets = [...byNode.values()].map((found) => setOf([...found]));
  return { ends: ends.size, endsAtLimit: endsAtLimit.size, sets };
}
