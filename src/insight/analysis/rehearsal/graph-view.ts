import { memoize } from "../../../core/lazy.ts";
import {
  after,
  type ExploredGraph,
  type ExploredState,
  type FoundPath,
  isEnd,
  type PathStep,
  type Transition,
} from "./explored-graph.ts";

/** Totals over all paths, computed layer by layer: a layer is the states after the same number of turns. */
interface Layers {
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
  /** How many end the conversation, before the last turn that the limit allows and on it. */
  readonly ended: number;
  readonly endedAtLimit: number;
  /** How many the limit stops on that turn. */
  readonly stopped: number;
  /** How many lead to each of the next states. */
  readonly onward: ReadonlyMap<ExploredState, number>;
}

/** More take too long: then nothing is counted. */
const MOST_LAYER_WORK = 50_000_000;

/** An explored graph, reduced to the transitions that are allowed. */
export class GraphView {
  readonly #start: ExploredGraph["start"];
  readonly #limit: number;
  readonly #allows: (transition: Transition) => boolean;
  readonly #allowed = new Map<ExploredState, readonly Transition[]>();
  readonly #ways = new Map<ExploredState, Ways>();
  /** How a state is first reached; null for the start. */
  readonly #first = new Map<ExploredState, TurnFrom | null>();
  /** All ways into a state. */
  readonly #arrivals = new Map<ExploredState, TurnFrom[]>();
  /** The least number of turns to an end. */
  readonly #toEnd = new Map<ExploredState, number>();
  /** The states that can be asked after so many turns. */
  readonly #reached: ReadonlySet<ExploredState>[] = [];
  /** The states from which a path ends in exactly so many turns. */
  readonly #ending: ReadonlySet<ExploredState>[] = [];

  constructor({ start }: ExploredGraph, limit: number, allows: (transition: Transition) => boolean) {
    this.#start = start;
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
    return this.#finished([...this.#pathTo(from), step]);
  }

  /** A shortest whole conversation that asks the question of a state. */
  to(state: ExploredState): FoundPath {
    return this.#finished(this.#pathTo(state));
  }

  /** Counts all paths up to the limit; null if that would take too long. */
  layers(): Layers | null {
    const start = this.#start;
    if (isEnd(start))
      return { count: 1n, limited: 0n, longest: { steps: [], isLimited: false }, stopped: [] };
    let [count, limited, lastEnd, work] = [0n, 0n, -1, 0];
    let open = new Map([[start, 1n]]);
    for (let turns = 0; turns < this.#limit && open.size > 0; turns++) {
      const isLast = turns + 1 === this.#limit;
      const next = new Map<ExploredState, bigint>();
      this.#reached[turns] = new Set(open.keys());
      for (const [state, paths] of open) {
        const { ended, endedAtLimit, stopped, onward } = this.#waysFrom(state);
        const ends = isLast ? endedAtLimit : ended;
        if (ends > 0 || (isLast && stopped > 0)) lastEnd = turns;
        count += paths * BigInt(ends);
        if (isLast) limited += paths * BigInt(stopped);
        else for (const [to, times] of onward) next.set(to, (next.get(to) ?? 0n) + paths * BigInt(times));
        work += 1 + onward.size;
      }
      if (work > MOST_LAYER_WORK) return null;
      open = next;
    }
    const stopped = [...(this.#reached[this.#limit - 1] ?? [])].flatMap((from) =>
      this.transitions(from).flatMap((transition): TurnFrom | [] => {
        const branch = after(transition, true).stopped;
        return branch === undefined ? [] : { from, transition, branch };
      }),
    );
    return { count: count + limited, limited, longest: this.#longest(lastEnd), stopped };
  }

  /** A path whose last turn comes after so many. */
  #longest(turns: number): FoundPath | null {
    for (const from of this.#reached[turns] ?? [])
      for (const transition of this.transitions(from)) {
        const { ended, stopped } = after(transition, turns + 1 === this.#limit);
        const branch = stopped ?? ended[0];
        if (branch !== undefined)
          return {
            steps: [...this.#pathOfLength(from, turns), { transition, branch }],
            isLimited: stopped !== undefined,
          };
      }
    return null;
  }

  /** A conversation that the limit stops after a turn; `layers` comes first. */
  stoppedAfter({ from, ...step }: TurnFrom): FoundPath {
    return { steps: [...this.#pathOfLength(from, this.#limit - 1), step], isLimited: true };
  }

  /** The shortest paths, up to so many. Paths that never end are not followed. */
  *shortest(most: number): Generator<FoundPath> {
    const start = this.#start;
    if (isEnd(start)) return;
    let listed = 0;
    for (let length = 1; length <= this.#limit && listed < most; length++) {
      if (length < this.#limit && !this.#endsIn(length).has(start)) continue;
      for (const path of this.#pathsOf(start, length, { isLast: length === this.#limit, before: [] })) {
        yield path;
        if (++listed >= most) return;
      }
    }
  }

  /** The paths of this length from a state; if it is the limit, with those that it stops. */
  *#pathsOf(
    state: ExploredState,
    length: number,
    { isLast, before }: { readonly isLast: boolean; readonly before: readonly PathStep[] },
  ): Generator<FoundPath> {
    for (const transition of this.transitions(state)) {
      const { ended, onward, stopped } = after(transition, isLast && length === 1);
      if (length === 1) {
        for (const branch of ended) yield { steps: [...before, { transition, branch }], isLimited: false };
        if (stopped !== undefined)
          yield { steps: [...before, { transition, branch: stopped }], isLimited: true };
        continue;
      }
      for (const branch of onward)
        if (isLast || this.#endsIn(length - 1).has(branch.to))
          yield* this.#pathsOf(branch.to, length - 1, {
            isLast,
            before: [...before, { transition, branch }],
          });
    }
  }

  #endsIn(turns: number): ReadonlySet<ExploredState> {
    for (let length = this.#ending.length; length <= turns; length++) {
      const shorter = this.#ending[length - 1];
      const ending = [...this.#toEnd.keys()].filter((state) => {
        const { ended, onward } = this.#waysFrom(state);
        return length === 1 ? ended > 0 : [...onward.keys()].some((to) => shorter?.has(to) === true);
      });
      this.#ending[length] = new Set(length === 0 ? [] : ending);
    }
    return this.#ending[turns] as ReadonlySet<ExploredState>;
  }

  #waysFrom(state: ExploredState): Ways {
    return memoize(this.#ways, state, () => {
      const onward = new Map<ExploredState, number>();
      let [ended, endedAtLimit, stopped] = [0, 0, 0];
      for (const transition of this.transitions(state)) {
        const following = after(transition, false);
        const atLimit = after(transition, true);
        ended += following.ended.length;
        endedAtLimit += atLimit.ended.length;
        stopped += Number(atLimit.stopped !== undefined);
        for (const { to } of following.onward) onward.set(to, (onward.get(to) ?? 0) + 1);
      }
      return { ended, endedAtLimit, stopped, onward };
    });
  }

  #findStates(): void {
    const start = this.#start;
    if (isEnd(start)) return;
    this.#first.set(start, null);
    // Iteration over a map includes what is added during it.
    for (const from of this.#first.keys())
      for (const transition of this.transitions(from))
        for (const branch of transition.branches) {
          const { to } = branch;
          if (isEnd(to)) continue;
          const arrival = { from, transition, branch };
          memoize(this.#arrivals, to, (): TurnFrom[] => []).push(arrival);
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

  /** A path to a state with exactly this number of turns. `layers` has found that there is one. */
  #pathOfLength(state: ExploredState, turns: number): PathStep[] {
    const steps: PathStep[] = [];
    let at = state;
    for (let layer = turns - 1; layer >= 0; layer--) {
      const arrival = this.#arrivals.get(at)?.find(({ from }) => this.#reached[layer]?.has(from));
      if (arrival === undefined) return [];
      steps.push(arrival);
      at = arrival.from;
    }
    return steps.reverse();
  }

  /** A path continued the shortest way to an end, or to the limit. */
  #finished(begun: readonly PathStep[]): FoundPath {
    const steps = [...begun];
    for (;;) {
      const last = steps.at(-1);
      const to = last === undefined ? this.#start : last.branch.to;
      const isAtLimit = steps.length >= this.#limit;
      if (isAtLimit && last?.transition.isFork === true) return { steps, isLimited: true };
      if (isEnd(to)) return { steps, isLimited: false };
      if (isAtLimit) return { steps, isLimited: true };
      const step = this.#onwardFrom(to);
      if (step === undefined) return { steps, isLimited: false };
      steps.push(step);
    }
  }

  #onwardFrom(state: ExploredState): PathStep | undefined {
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
