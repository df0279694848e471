import type { ExploredState, Transition } from "./explored-graph.ts";
import { after, type FoundPath, type PathStep, pathOf, type Ways } from "./found-path.ts";

/** A graph whose paths are listed. */
export interface ListedGraph {
  readonly limit: number;
  /** So many paths at most. */
  readonly most: number;
  /** By the id of a state, where its replies lead, and the least number of turns to an end. */
  readonly ways: readonly Ways[];
  readonly toEnd: readonly number[];
  readonly transitions: (state: ExploredState) => readonly Transition[];
}

/** Lists the shortest paths from a state, without looking at those that lead nowhere. */
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

/** Says of a state whether a path from it ends in just so many turns. What it has found out it remembers. */
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
