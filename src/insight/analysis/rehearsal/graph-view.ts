import { memoize } from "../../../core/lazy.ts";
import {
  after,
  type End,
  type ExploredGraph,
  type ExploredState,
  type FoundPath,
  isEnd,
  NO_PATH,
  type PathStep,
  pathOf,
  type Transition,
  type Ways,
} from "./explored-graph.ts";
import { shortestPaths } from "./graph-paths.ts";

/** Totals over all paths, computed layer by layer: a layer is the states after the same number of turns. */
export interface Layers {
  readonly count: bigint;
  readonly limited: bigint;
  /** A longest path. */
  readonly longest: FoundPath | null;
  /** The last turns of conversations that the turn limit stops. */
  readonly stopped: readonly TurnFrom[];
}

/** One turn, and the state before it. */
export interface TurnFrom extends PathStep {
  readonly from: ExploredState;
}

/** The last turn of a longest path, and how many come before it. */
interface Last extends TurnFrom {
  readonly turns: number;
}

/** More take too long: then nothing is counted. */
const MOST_LAYER_WORK = 50_000_000;
const MOST_REMEMBERED = 200_000_000;

/** An explored graph, reduced to the transitions that are allowed. */
export class GraphView {
  readonly #graph: ExploredGraph;
  readonly #limit: number;
  readonly #allows: (transition: Transition) => boolean;
  readonly #allowed = new Map<ExploredState, readonly Transition[]>();
  /** How a state is first reached; null for the start. */
  readonly #first = new Map<ExploredState, TurnFrom | null>();
  /** All ways into a state. */
  readonly #arrivals = new Map<ExploredState, TurnFrom[]>();
  /** The least number of turns to an end. */
  readonly #toEnd = new Map<ExploredState, number>();
  /** The next turn of a shortest way to an end. */
  readonly #onward: PathStep[] = [];
  /** The last turn of that way. */
  readonly #last: PathStep[] = [];
  readonly #depths: number[] = [];
  #known: readonly Ways[] | undefined;
  /** For each number of finished turns, 1 for the states that can then be asked. */
  #reached: Uint8Array[] = [];

  constructor(graph: ExploredGraph, limit: number, allows: (transition: Transition) => boolean) {
    this.#graph = graph;
    this.#limit = limit;
    this.#allows = allows;
    this.#findStates();
    this.#findEnds();
  }

  /** The states that are reached, the nearest first. */
  get states(): Iterable<ExploredState> {
    return this.#first.keys();
  }

  /** The transitions of a state that are allowed. */
  transitions(state: ExploredState): readonly Transition[] {
    return memoize(this.#allowed, state, () => (state.transitions ?? []).filter(this.#allows));
  }

  /** True if some reply leads to an end of the conversation sooner or later. */
  canEnd(state: ExploredState): boolean {
    return this.#toEnd.has(state);
  }

  /** A shortest whole conversation that makes a transition. */
  through(from: ExploredState, step: PathStep): FoundPath {
    const steps = (): PathStep[] => [...this.#pathTo(from), step];
    return this.#ending(this.#depthOf(from) + 1, step, steps) ?? this.#finished(steps());
  }

  /** A shortest whole conversation that asks the question of a state. */
  to(state: ExploredState): FoundPath {
    const steps = (): PathStep[] => this.#pathTo(state);
    const last = this.#first.get(state) ?? undefined;
    return this.#ending(this.#depthOf(state), last, steps) ?? this.#finished(steps());
  }

  /** Counts all paths up to the limit; null if that would take too long. */
  layers(): Layers | null {
    const { states, start } = this.#graph;
    if (isEnd(start)) return { count: 1n, limited: 0n, longest: NO_PATH, stopped: [] };
    const ways = this.#ways();
    const work = ways.reduce((sum, { to }) => sum + to.length + 1, 0) * this.#limit;
    if (work > MOST_LAYER_WORK || states.length * this.#limit > MOST_REMEMBERED) return null;
    let [count, limited, lastEnd] = [0n, 0n, -1];
    let open = [start.id];
    let paths: bigint[] = [];
    paths[start.id] = 1n;
    this.#reached = [];
    for (let turns = 0; turns < this.#limit && open.length > 0; turns++) {
      const reached = new Uint8Array(states.length);
      const isLast = turns + 1 === this.#limit;
      const next: bigint[] = [];
      const opened: number[] = [];
      for (const id of open) {
        reached[id] = 1;
        const { ended, endedAtLimit, stopped, to, times } = ways[id] as Ways;
        const here = paths[id] as bigint;
        const ends = isLast ? endedAtLimit : ended;
        if (ends > 0 || (isLast && stopped > 0)) lastEnd = turns;
        count += here * BigInt(ends);
        if (isLast) limited += here * BigInt(stopped);
        else
          for (const [index, target] of to.entries()) {
            const known = next[target];
            const each = times[index] as bigint;
            // Large numbers are slow to multiply.
            const more = each === 1n ? here : here * each;
            next[target] = known === undefined ? more : known + more;
            if (known === undefined) opened.push(target);
          }
      }
      this.#reached.push(reached);
      paths = next;
      open = opened;
    }
    const stopped = this.#statesAt(this.#limit - 1).flatMap((from) =>
      this.transitions(from).flatMap((transition): TurnFrom | [] => {
        const branch = after(transition, true).stopped;
        return branch === undefined ? [] : { from, transition, branch };
      }),
    );
    return { count: count + limited, limited, longest: this.#longest(this.#lastTurn(lastEnd)), stopped };
  }

  #statesAt(turns: number): readonly ExploredState[] {
    const reached = this.#reached[turns];
    return reached === undefined ? [] : this.#graph.states.filter(({ id }) => reached[id] === 1);
  }

  /** A turn that ends a conversation after so many. */
  #lastTurn(turns: number): Last | null {
    for (const from of this.#statesAt(turns))
      for (const transition of this.transitions(from)) {
        const { ended, stopped } = after(transition, turns + 1 === this.#limit);
        const branch = stopped ?? ended[0];
        if (branch !== undefined) return { turns, from, transition, branch };
      }
    return null;
  }

  /** For each state, how many replies lead where. */
  #ways(): readonly Ways[] {
    this.#known ??= this.#graph.states.map((state) => {
      const times = new Map<number, number>();
      let [ended, endedAtLimit, stopped] = [0, 0, 0];
      for (const transition of this.transitions(state)) {
        const following = after(transition, false);
        const atLimit = after(transition, true);
        ended += following.ended.length;
        endedAtLimit += atLimit.ended.length;
        stopped += Number(atLimit.stopped !== undefined);
        for (const { to } of following.onward) times.set(to.id, (times.get(to.id) ?? 0) + 1);
      }
      return { ended, endedAtLimit, stopped, to: [...times.keys()], times: [...times.values()].map(BigInt) };
    });
    return this.#known;
  }

  #longest(last: Last | null): FoundPath | null {
    if (last === null) return null;
    const { from, turns, ...step } = last;
    const isLimited = after(step.transition, turns + 1 === this.#limit).stopped === step.branch;
    return { last: step, isLimited, steps: () => [...this.#pathOfLength(from, turns), step] };
  }

  /** A conversation that the limit stops after a turn; `layers` comes first. */
  stoppedAfter({ from, ...step }: TurnFrom): FoundPath {
    const steps = (): PathStep[] => [...this.#pathOfLength(from, this.#limit - 1), step];
    return { last: step, isLimited: true, steps };
  }

  /** The shortest paths, up to so many. */
  shortest(most: number): Iterable<FoundPath> {
    const { start, states } = this.#graph;
    if (isEnd(start)) return [];
    return shortestPaths(start, {
      limit: this.#limit,
      most,
      ways: this.#ways(),
      toEnd: states.map((state) => this.#toEnd.get(state) ?? Number.POSITIVE_INFINITY),
      transitions: (state) => this.transitions(state),
    });
  }

  #findStates(): void {
    const { start } = this.#graph;
    if (isEnd(start)) return;
    this.#first.set(start, null);
    this.#depths[start.id] = 0;
    // Iteration over a map includes what is added during it.
    for (const from of this.#first.keys())
      for (const transition of this.transitions(from))
        for (const branch of transition.branches) {
          const { to } = branch;
          if (isEnd(to)) continue;
          const arrival = { from, transition, branch };
          const known = this.#arrivals.get(to);
          if (known === undefined) this.#arrivals.set(to, [arrival]);
          else known.push(arrival);
          if (this.#first.has(to)) continue;
          this.#first.set(to, arrival);
          this.#depths[to.id] = this.#depthOf(from) + 1;
        }
  }

  #findEnds(): void {
    for (const state of this.#first.keys())
      if (this.transitions(state).some(({ branches }) => branches.some(({ to }) => isEnd(to))))
        this.#toEnd.set(state, 1);
    for (const [state, turns] of this.#toEnd)
      for (const { from } of this.#arrivals.get(state) ?? [])
        if (!this.#toEnd.has(from)) this.#toEnd.set(from, turns + 1);
  }

  #pathTo(state: ExploredState): PathStep[] {
    const steps: PathStep[] = [];
    for (let at = this.#first.get(state); at != null; at = this.#first.get(at.from)) steps.push(at);
    return steps.reverse();
  }

  /** A path to a state with exactly this number of turns. `layers` has found that there is one. */
  #pathOfLength(state: ExploredState, turns: number): PathStep[] {
    const steps: PathStep[] = [];
    let at = state;
    for (let layer = turns - 1; layer >= 0; layer--) {
      const arrival = this.#arrivals.get(at)?.find(({ from }) => this.#reached[layer]?.[from.id] === 1);
      if (arrival === undefined) return [];
      steps.push(arrival);
      at = arrival.from;
    }
    return steps.reverse();
  }

  /** The least number of turns before a state. */
  #depthOf({ id }: ExploredState): number {
    return this.#depths[id] ?? 0;
  }

  /** A path with a given beginning, continued the shortest way to an end; undefined if that exceeds the limit. */
  #ending(length: number, begun: PathStep | undefined, steps: () => PathStep[]): FoundPath | undefined {
    const to = begun === undefined ? this.#graph.start : begun.branch.to;
    const left = isEnd(to) ? 0 : this.#toEnd.get(to);
    if (left === undefined || length + left >= this.#limit) return undefined;
    const last = isEnd(to) ? begun : this.#lastFrom(to);
    return { last, isLimited: false, steps: () => this.#finished(steps()).steps() };
  }

  /** The last turn of the shortest way from a state to an end. */
  #lastFrom(state: ExploredState): PathStep | undefined {
    const passed: number[] = [];
    let at: ExploredState | End = state;
    let last: PathStep | undefined;
    while (!isEnd(at)) {
      const known = this.#last[at.id];
      if (known !== undefined) {
        last = known;
        break;
      }
      passed.push(at.id);
      last = this.#onwardFrom(at);
      if (last === undefined) return undefined;
      at = last.branch.to;
    }
    if (last !== undefined) for (const id of passed) this.#last[id] = last;
    return last;
  }

  /** A path continued the shortest way to an end, or to the limit. Changes its argument, because a copy may be long. */
  #finished(steps: PathStep[]): FoundPath {
    for (;;) {
      const last = steps.at(-1);
      const to = last === undefined ? this.#graph.start : last.branch.to;
      if (steps.length >= this.#limit && last?.transition.isFork === true) return pathOf(steps, true);
      if (isEnd(to)) return pathOf(steps, false);
      if (steps.length >= this.#limit) return pathOf(steps, true);
      const step = this.#onwardFrom(to);
      if (step === undefined) return pathOf(steps, false);
      steps.push(step);
    }
  }

  #onwardFrom(state: ExploredState): PathStep | undefined {
    const known = this.#onward[state.id];
    if (known !== undefined) return known;
    const step = this.#findOnward(state);
    if (step !== undefined) this.#onward[state.id] = step;
    return step;
  }

  #findOnward(state: ExploredState): PathStep | undefined {
    const turns = this.#toEnd.get(state) ?? 0;
    let any: PathStep | undefined;
    for (const transition of this.transitions(state))
      for (const branch of transition.branches) {
        const { to } = branch;
        if (isEnd(to) || this.#toEnd.get(to) === turns - 1) return { transition, branch };
        if (to.transitions !== null || any === undefined) any = { transition, branch };
      }
    return any;
  }
}
