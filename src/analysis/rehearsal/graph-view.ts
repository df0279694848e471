import { memoize } from "../../core/lazy.ts";
import {
  type Branch,
  type End,
  type ExploredGraph,
  type ExploredState,
  isEnd,
  type Transition,
} from "./explored-graph.ts";

/** One turn of a path: the transition, and which of its branches was taken. */
export interface PathStep {
  readonly transition: Transition;
  readonly branch: Branch;
}

/** A whole path: its turns, and whether the turn limit stopped it. */
export interface FoundPath {
  readonly steps: readonly PathStep[];
  readonly isLimited: boolean;
}

/** What the turns of all lengths have in common, layer by layer. */
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

/** Where the replies at a state lead. */
interface Ways {
  /** How many end the conversation, by themselves and on the last turn that the limit allows. */
  readonly ended: number;
  readonly endedAtLimit: number;
  /** How many the limit stops on that turn. */
  readonly stopped: number;
  /** The states that others lead to, and how many to each. */
  readonly to: readonly number[];
  readonly times: readonly bigint[];
}

type EndsIn = (state: number, turns: number) => boolean;

/** The last turn of a longest path, and how many come before it. */
interface Last extends TurnFrom {
  readonly turns: number;
}

/** More would take longer than anyone waits. */
const MOST_LAYER_WORK = 50_000_000;
const MOST_REMEMBERED = 200_000_000;

/** Answers questions about an explored graph, as far as its transitions are allowed. */
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

  has(state: ExploredState): boolean {
    return this.#first.has(state);
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
    const steps = this.#pathTo(from);
    steps.push(step);
    return this.#finished(steps);
  }

  /** A shortest whole conversation that asks the question of a state. */
  to(state: ExploredState): FoundPath {
    return this.#finished(this.#pathTo(state));
  }

  /** Counts all paths up to the limit; null if that would take too long. */
  layers(): Layers | null {
    const { states, start } = this.#graph;
    if (isEnd(start))
      return { count: 1n, limited: 0n, longest: { steps: [], isLimited: false }, stopped: [] };
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
    return {
      steps: [...this.#pathOfLength(from, turns), step],
      isLimited: after(step.transition, turns + 1 === this.#limit).stopped === step.branch,
    };
  }

  /** A conversation that the limit stops after a turn; `layers` comes first. */
  stoppedAfter({ from, ...step }: TurnFrom): FoundPath {
    const steps = this.#pathOfLength(from, this.#limit - 1);
    steps.push(step);
    return { steps, isLimited: true };
  }

  /** The shortest paths, up to so many. */
  *shortest(most: number): Generator<FoundPath> {
    const { start } = this.#graph;
    if (isEnd(start)) return;
    let listed = 0;
    const ways = this.#ways();
    const endsIn = this.#endsIn(ways);
    const least = this.#toEnd.get(start) ?? this.#limit;
    for (let length = Math.min(least, this.#limit); length <= this.#limit && listed < most; length++) {
      if (length < this.#limit && !endsIn(start.id, length)) continue;
      const ends = length === this.#limit ? null : endsIn;
      for (const path of this.#pathsOf(start, length, ends)) {
        yield path;
        if (++listed >= most) return;
      }
    }
  }

  /** Says of a state whether a path from it ends in just so many turns. What it has found out it remembers. */
  #endsIn(ways: readonly Ways[]): EndsIn {
    const least = this.#graph.states.map((state) => this.#toEnd.get(state) ?? Number.POSITIVE_INFINITY);
    const known: Map<number, boolean>[] = [];
    const answer = (id: number, turns: number): boolean | undefined => {
      const shortest = least[id] as number;
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

  /** The paths of one length. Without `endsIn` it is the limit, which every path reaches that has not ended before. */
  *#pathsOf(
    state: ExploredState,
    length: number,
    endsIn: EndsIn | null,
    before: readonly PathStep[] = [],
  ): Generator<FoundPath> {
    for (const transition of this.transitions(state)) {
      const { ended, onward, stopped } = after(transition, endsIn === null && length === 1);
      if (length === 1) {
        for (const branch of ended) yield { steps: [...before, { transition, branch }], isLimited: false };
        if (stopped !== undefined)
          yield { steps: [...before, { transition, branch: stopped }], isLimited: true };
        continue;
      }
      for (const branch of onward)
        if (endsIn === null || endsIn(branch.to.id, length - 1))
          yield* this.#pathsOf(branch.to, length - 1, endsIn, [...before, { transition, branch }]);
    }
  }

  #findStates(): void {
    const { start } = this.#graph;
    if (isEnd(start)) return;
    this.#first.set(start, null);
    // A map goes through what is added on the way.
    for (const from of this.#first.keys())
      for (const transition of this.transitions(from))
        for (const branch of transition.branches) {
          const { to } = branch;
          if (isEnd(to)) continue;
          const arrival = { from, transition, branch };
          const known = this.#arrivals.get(to);
          if (known === undefined) this.#arrivals.set(to, [arrival]);
          else known.push(arrival);
          if (!this.#first.has(to)) this.#first.set(to, arrival);
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

  /** A path to a state that has exactly so many turns: `layers` knows that there is one. */
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

  /** A path that goes on to an end by the shortest way, or until the limit. Long ones are not copied. */
  #finished(steps: PathStep[]): FoundPath {
    for (;;) {
      const last = steps.at(-1);
      const to = last === undefined ? this.#graph.start : last.branch.to;
      if (steps.length >= this.#limit && last?.transition.isFork === true) return { steps, isLimited: true };
      if (isEnd(to)) return { steps, isLimited: false };
      if (steps.length >= this.#limit) return { steps, isLimited: true };
      let step = this.#onward[to.id];
      if (step === undefined) {
        step = this.#findOnward(to);
        if (step === undefined) return { steps, isLimited: false };
        this.#onward[to.id] = step;
      }
      steps.push(step);
    }
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

interface Following {
  readonly ended: readonly (Branch & { readonly to: End })[];
  readonly onward: readonly (Branch & { readonly to: ExploredState })[];
  /** The branch that the turn limit stops; a fork has no arms then, so that it is one conversation. */
  readonly stopped: Branch | undefined;
}

/** What follows a transition. `isLast` is true of the last turn that the limit allows. */
export function after({ branches, isFork }: Transition, isLast: boolean): Following {
  const ended = branches.filter((branch): branch is Following["ended"][number] => isEnd(branch.to));
  const onward = branches.filter((branch): branch is Following["onward"][number] => !isEnd(branch.to));
  if (!isLast) return { ended, onward, stopped: undefined };
  return isFork ? { ended: [], onward: [], stopped: branches[0] } : { ended, onward: [], stopped: onward[0] };
}
