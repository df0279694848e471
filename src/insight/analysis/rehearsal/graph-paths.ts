import { memoize } from "../../../core/lazy.ts";
import {
  type Branch,
  type ExploredGraph,
  type ExploredState,
  endsAtLimit,
  isEnd,
  stopsAtLimit,
} from "./explored-graph.ts";

/** A whole path, and whether the turn limit stopped it. */
export interface FoundPath {
  readonly branches: readonly Branch[];
  readonly isLimited: boolean;
}

/** A state after a number of turns. */
interface Arrival {
  /** How many paths lead there. */
  count: bigint;
  /** The last turn of one of them, a certain one if there is one; null for the start. */
  by: Branch | null;
  isCertain: boolean;
}

/** A conversation that the turn limit stops after a branch. */
export interface Stopped {
  readonly branch: Branch;
  readonly isCertain: boolean;
}

/** What is found layer by layer; a layer is the states after the same number of turns. */
interface Layers {
  readonly count: bigint;
  readonly limited: bigint;
  /** A longest path. */
  readonly longest: FoundPath | null;
  readonly stopped: readonly Stopped[];
}

/** Where the replies at a state lead. */
interface Ways {
  /** How many end the conversation, before the last turn that the limit allows and on it. */
  readonly ended: number;
  readonly endedAtLimit: number;
  /** How many the limit stops on that turn. */
  readonly stopped: number;
  /** How many lead to each of the next states, and one of them. */
  readonly onward: ReadonlyMap<ExploredState, { readonly by: Branch; readonly times: number }>;
}

/** More take too long: then nothing is counted. */
const MOST_LAYER_WORK = 50_000_000;

/** The paths through an explored graph, up to the turn limit. What needs no code that was not run comes first. */
export class GraphPaths {
  readonly #start: ExploredGraph["start"];
  readonly #limit: number;
  /** How a state is first reached, and after how many turns. */
  readonly #first = new Map<ExploredState, { readonly by: Branch | null; readonly depth: number }>();
  readonly #certain = new Set<ExploredState>();
  /** The next turn on a shortest way to an end, and how many it takes. */
  readonly #toEnd = new Map<ExploredState, { readonly by: Branch; readonly turns: number }>();
  readonly #ways = new Map<ExploredState, Ways>();
  readonly #layers: ReadonlyMap<ExploredState, Arrival>[] = [];
  /** The states from which a path ends in exactly so many turns. */
  readonly #ending: ReadonlySet<ExploredState>[] = [new Set()];

  constructor({ start }: Pick<ExploredGraph, "start">, limit: number) {
    this.#start = start;
    this.#limit = limit;
    if (isEnd(start)) return;
    this.#first.set(start, { by: null, depth: 0 });
    this.#reach(({ isAssumed }) => !isAssumed);
    for (const state of this.#first.keys()) this.#certain.add(state);
    this.#reach(() => true);
    this.#findEnds();
  }

  /** The states whose questions are asked, the nearest first; certain ones before others. */
  *states(): Generator<{ readonly state: ExploredState; readonly depth: number }> {
    for (const [state, { depth }] of this.#first) if (depth < this.#limit) yield { state, depth };
  }

  /** True if nothing but code that was run decides whether the question of a state is asked. */
  isCertain(state: ExploredState): boolean {
    return this.#certain.has(state);
  }

  /** True if some reply leads to an end of the conversation sooner or later. */
  canEnd(state: ExploredState): boolean {
    return this.#toEnd.has(state);
  }

  /** A shortest whole conversation that asks the question of a state, and then takes a branch. */
  through(state: ExploredState, ...onward: readonly Branch[]): FoundPath {
    const branches: Branch[] = [];
    for (let at = this.#first.get(state)?.by; at != null; at = this.#first.get(at.from)?.by)
      branches.push(at);
    return this.#finished([...branches.reverse(), ...onward]);
  }

  /** A shortest conversation. */
  shortest(): FoundPath {
    return this.#finished([]);
  }

  /** Counts all paths up to the limit; null if that would take too long. */
  layers(): Layers | null {
    const start = this.#start;
    if (isEnd(start))
      return { count: 1n, limited: 0n, longest: { branches: [], isLimited: false }, stopped: [] };
    let [count, limited, lastEnd, work] = [0n, 0n, -1, 0];
    let open = new Map<ExploredState, Arrival>([[start, { count: 1n, by: null, isCertain: true }]]);
    for (let turns = 0; turns < this.#limit && open.size > 0; turns++) {
      const isLast = turns + 1 === this.#limit;
      const next = new Map<ExploredState, Arrival>();
      this.#layers[turns] = open;
      for (const [state, arrival] of open) {
        const { ended, endedAtLimit, stopped, onward } = this.#waysFrom(state);
        const ends = isLast ? endedAtLimit : ended;
        if (ends > 0 || (isLast && stopped > 0)) lastEnd = turns;
        count += arrival.count * BigInt(ends);
        if (isLast) limited += arrival.count * BigInt(stopped);
        else for (const [to, { by, times }] of onward) arrive(next, to, { arrival, by, times });
        work += 1 + onward.size;
      }
      if (work > MOST_LAYER_WORK) return null;
      open = next;
    }
    const stopped = [...(this.#layers[this.#limit - 1] ?? [])].flatMap(([from, arrival]) =>
      branchesOf(from)
        .filter(stopsAtLimit)
        .map((branch) => ({ branch, isCertain: arrival.isCertain && !branch.isAssumed })),
    );
    return { count: count + limited, limited, longest: this.#longest(lastEnd), stopped };
  }

  /** A path whose last turn comes after so many. */
  #longest(turns: number): FoundPath | null {
    const isLast = turns + 1 === this.#limit;
    for (const from of this.#layers[turns]?.keys() ?? [])
      for (const branch of branchesOf(from)) {
        const isLimited = isLast && stopsAtLimit(branch);
        if (isLimited || (isLast ? endsAtLimit(branch) : isEnd(branch.to)))
          return { branches: [...this.#pathOfLength(from, turns), branch], isLimited };
      }
    return null;
  }

  /** A conversation that the limit stops after a branch; `layers` comes first. */
  stoppedAfter(branch: Branch): FoundPath {
    return { branches: [...this.#pathOfLength(branch.from, this.#limit - 1), branch], isLimited: true };
  }

  /** A path to a state with exactly this number of turns. `layers` has found that there is one. */
  #pathOfLength(state: ExploredState, turns: number): readonly Branch[] {
    const branches: Branch[] = [];
    let by = this.#layers[turns]?.get(state)?.by;
    for (let layer = turns - 1; by != null; layer--) {
      branches.push(by);
      by = this.#layers[layer]?.get(by.from)?.by;
    }
    return branches.reverse();
  }

  /** The shortest paths, up to so many. Paths that never end are not followed. */
  *listed(most: number): Generator<FoundPath> {
    const start = this.#start;
    if (isEnd(start)) return;
    let listed = 0;
    for (let length = 1; length <= this.#limit && listed < most; length++)
      for (const path of this.#pathsOf(start, length, { isLast: length === this.#limit, before: [] })) {
        yield path;
        if (++listed >= most) return;
      }
  }

  /** The paths of this length from a state; if it is the limit, with those that it stops. */
  *#pathsOf(
    state: ExploredState,
    length: number,
    { isLast, before }: { readonly isLast: boolean; readonly before: readonly Branch[] },
  ): Generator<FoundPath> {
    if (!isLast && !this.#endsIn(length).has(state)) return;
    for (const branch of branchesOf(state)) {
      const { to } = branch;
      const branches = [...before, branch];
      if (length > 1) {
        if (!isEnd(to)) yield* this.#pathsOf(to, length - 1, { isLast, before: branches });
      } else if (isLast && stopsAtLimit(branch)) yield { branches, isLimited: true };
      else if (isLast ? endsAtLimit(branch) : isEnd(to)) yield { branches, isLimited: false };
    }
  }

  #endsIn(turns: number): ReadonlySet<ExploredState> {
    for (let length = this.#ending.length; length <= turns; length++) {
      const shorter = this.#ending[length - 1];
      const ending = [...this.#toEnd.keys()].filter((state) => {
        const { ended, onward } = this.#waysFrom(state);
        return length === 1 ? ended > 0 : [...onward.keys()].some((to) => shorter?.has(to) === true);
      });
      this.#ending[length] = new Set(ending);
    }
    return this.#ending[turns] as ReadonlySet<ExploredState>;
  }

  #waysFrom(state: ExploredState): Ways {
    return memoize(this.#ways, state, () => {
      const onward = new Map<ExploredState, { by: Branch; times: number }>();
      let [ended, endedAtLimit, stopped] = [0, 0, 0];
      for (const branch of branchesOf(state)) {
        const { to, isAssumed } = branch;
        endedAtLimit += Number(endsAtLimit(branch));
        stopped += Number(stopsAtLimit(branch));
        if (isEnd(to)) {
          ended++;
          continue;
        }
        const known = memoize(onward, to, () => ({ by: branch, times: 0 }));
        known.times++;
        if (known.by.isAssumed && !isAssumed) known.by = branch;
      }
      return { ended, endedAtLimit, stopped, onward };
    });
  }

  /** Finds the states that are reached by some branches, the nearest first. */
  #reach(allows: (branch: Branch) => boolean): void {
    // Iteration over a map includes what is added during it.
    for (const [from, { depth }] of this.#first) {
      if (depth >= this.#limit) continue;
      for (const by of branchesOf(from))
        if (!isEnd(by.to) && allows(by) && !this.#first.has(by.to))
          this.#first.set(by.to, { by, depth: depth + 1 });
    }
  }

  /** Finds the shortest ways to an end, from the last turns back. */
  #findEnds(): void {
    const arrivals = new Map<ExploredState, Branch[]>();
    for (const state of this.#first.keys())
      for (const branch of branchesOf(state)) {
        if (isEnd(branch.to)) {
          const known = this.#toEnd.get(state)?.by;
          if (known === undefined || (known.isAssumed && !branch.isAssumed))
            this.#toEnd.set(state, { by: branch, turns: 1 });
        } else memoize(arrivals, branch.to, (): Branch[] => []).push(branch);
      }
    for (const [state, { turns }] of this.#toEnd) {
      const into = arrivals.get(state) ?? [];
      for (const by of [...into.filter((one) => !one.isAssumed), ...into])
        if (!this.#toEnd.has(by.from)) this.#toEnd.set(by.from, { by, turns: turns + 1 });
    }
  }

  /** A path continued the shortest way to an end, or to the limit. */
  #finished(begun: readonly Branch[]): FoundPath {
    const branches = [...begun];
    for (;;) {
      const last = branches.at(-1);
      const to = last === undefined ? this.#start : last.to;
      const isAtLimit = branches.length >= this.#limit;
      if (isAtLimit && last !== undefined && !endsAtLimit(last)) return { branches, isLimited: true };
      if (isEnd(to)) return { branches, isLimited: false };
      // Without an end, the conversation goes on as far as it was explored.
      const next =
        this.#toEnd.get(to)?.by ??
        branchesOf(to).findLast((branch) => !isEnd(branch.to) && branch.to.branches !== null) ??
        branchesOf(to)[0];
      if (next === undefined) return { branches, isLimited: false };
      branches.push(next);
    }
  }
}

/** The branches of a state; none if it was not explored. */
export function branchesOf({ branches }: ExploredState): readonly Branch[] {
  return branches ?? [];
}

function arrive(
  layer: Map<ExploredState, Arrival>,
  to: ExploredState,
  { arrival, by, times }: { readonly arrival: Arrival; readonly by: Branch; readonly times: number },
): void {
  const isCertain = arrival.isCertain && !by.isAssumed;
  const known = memoize(layer, to, () => ({ count: 0n, by, isCertain }));
  known.count += arrival.count * BigInt(times);
  if (known.isCertain || !isCertain) return;
  known.by = by;
  known.isCertain = true;
}
