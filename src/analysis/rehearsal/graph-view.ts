import {
  type Branch,
  type End,
  type ExploredGraph,
  type ExploredState,
  isEnd,
  type Transition,
} from "./explore.ts";

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
  /** The transitions after which the turn limit stops a conversation. */
  readonly stopped: readonly Transition[];
}

interface Arrival extends PathStep {
  readonly from: ExploredState;
}

/** The last turn of a longest path, and how many come before it. */
interface Last {
  readonly turns: number;
  readonly from: ExploredState;
  readonly step: PathStep;
}

/** More would take longer than anyone waits. */
const MOST_LAYER_WORK = 20_000_000;
const MOST_REMEMBERED = 200_000_000;
const MOST_ROUTE_WORK = 3_000_000;

/** Answers questions about an explored graph, as far as its transitions are allowed. */
export class GraphView {
  readonly #graph: ExploredGraph;
  readonly #limit: number;
  readonly #allows: (transition: Transition) => boolean;
  /** How a state is first reached; null for the start. */
  readonly #first = new Map<ExploredState, Arrival | null>();
  /** All ways into a state. */
  readonly #arrivals = new Map<ExploredState, Arrival[]>();
  /** The least number of turns to an end. */
  readonly #toEnd = new Map<ExploredState, number>();
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
  transitions({ transitions }: ExploredState): readonly Transition[] {
    return transitions === null ? [] : transitions.filter(this.#allows);
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
    const { states, start } = this.#graph;
    if (isEnd(start))
      return { count: 1n, limited: 0n, longest: { steps: [], isLimited: false }, stopped: [] };
    const branches = states.reduce((sum, state) => sum + this.transitions(state).length, 0);
    if (branches * this.#limit > MOST_LAYER_WORK || states.length * this.#limit > MOST_REMEMBERED)
      return null;
    let counts = new Map<ExploredState, bigint>([[start, 1n]]);
    let [count, limited] = [0n, 0n];
    let last: Last | null = null;
    const note = (found: Last): void => {
      if (last?.turns !== found.turns) last = found;
    };
    const stopped: Transition[] = [];
    this.#reached = [];
    for (let turns = 0; turns < this.#limit && counts.size > 0; turns++) {
      const reached = new Uint8Array(states.length);
      const next = new Map<ExploredState, bigint>();
      const isLast = turns + 1 === this.#limit;
      for (const [from, paths] of counts) {
        reached[from.id] = 1;
        for (const transition of this.transitions(from)) {
          const { ended, onward, stopped: isStopped } = after(transition, isLast);
          for (const branch of ended) {
            count += paths;
            note({ turns, from, step: { transition, branch } });
          }
          for (const { to } of onward) next.set(to, (next.get(to) ?? 0n) + paths);
          if (isStopped === undefined) continue;
          count += paths;
          limited += paths;
          stopped.push(transition);
          note({ turns, from, step: { transition, branch: isStopped } });
        }
      }
      this.#reached.push(reached);
      counts = next;
    }
    return { count, limited, longest: this.#longest(last), stopped };
  }

  #longest(last: Last | null): FoundPath | null {
    if (last === null) return null;
    const { from, turns, step } = last;
    return {
      steps: [...this.#pathOfLength(from, turns), step],
      isLimited: after(step.transition, turns + 1 === this.#limit).stopped === step.branch,
    };
  }

  /** A conversation that the limit stops after a transition; `layers` comes first. */
  stoppedAfter(transition: Transition): FoundPath | null {
    const from = this.#graph.states.find(
      (state) =>
        this.#reached[this.#limit - 1]?.[state.id] === 1 && state.transitions?.includes(transition) === true,
    );
    const { stopped } = after(transition, true);
    if (from === undefined || stopped === undefined) return null;
    const branch = stopped;
    return { steps: [...this.#pathOfLength(from, this.#limit - 1), { transition, branch }], isLimited: true };
  }

  /** How many different sequences of nodes there are, with how they end; null if that would take too long. */
  routes(): bigint | null {
    const { start } = this.#graph;
    if (isEnd(start)) return 1n;
    let sets = new Map<string, { readonly states: readonly ExploredState[]; readonly count: bigint }>([
      ["", { states: [start], count: 1n }],
    ]);
    let [total, work] = [0n, 0];
    for (let turns = 0; turns < this.#limit && sets.size > 0; turns++) {
      const next: typeof sets = new Map();
      for (const { states, count } of sets.values()) {
        const byNode = new Map<string, Set<ExploredState>>();
        const ends = new Set<string>();
        for (const state of states)
          for (const transition of this.transitions(state)) {
            work += transition.branches.length;
            const { ended, onward, stopped } = after(transition, turns + 1 === this.#limit);
            for (const { to, arm = "" } of ended) ends.add(`${to.status} ${arm}`);
            for (const { to } of onward) byNode.set(to.node, (byNode.get(to.node) ?? new Set()).add(to));
            if (stopped !== undefined) ends.add(`limit_reached ${transition.after.cell.arm ?? ""}`);
          }
        total += count * BigInt(ends.size);
        for (const found of byNode.values()) {
          const list = [...found].sort((left, right) => left.id - right.id);
          const key = list.map(({ id }) => id).join();
          next.set(key, { states: list, count: (next.get(key)?.count ?? 0n) + count });
        }
      }
      if (work > MOST_ROUTE_WORK) return null;
      sets = next;
    }
    return total;
  }

  /** The shortest paths, up to so many. */
  *shortest(most: number): Generator<FoundPath> {
    const { start } = this.#graph;
    if (isEnd(start)) return;
    let listed = 0;
    // For each number of turns, the states that can end in just so many; computed as lengths grow.
    const endIn: ReadonlySet<ExploredState>[] = [new Set()];
    const endsIn = (turns: number): ReadonlySet<ExploredState> => {
      for (let length = endIn.length; length <= turns; length++)
        endIn.push(this.#endingIn(length, endIn[length - 1]));
      return endIn[turns] as ReadonlySet<ExploredState>;
    };
    for (let length = 1; length <= this.#limit && listed < most; length++) {
      if (length < this.#limit && !endsIn(length).has(start)) continue;
      const ends = length === this.#limit ? null : endsIn;
      for (const path of this.#pathsOf(start, length, ends)) {
        yield path;
        if (++listed >= most) return;
      }
    }
  }

  #endingIn(turns: number, shorter: ReadonlySet<ExploredState> | undefined): ReadonlySet<ExploredState> {
    const found = new Set<ExploredState>();
    for (const state of this.#first.keys()) {
      const leads = this.transitions(state).some(({ branches }) =>
        branches.some(({ to }) => (isEnd(to) ? turns === 1 : shorter?.has(to) === true)),
      );
      if (leads) found.add(state);
    }
    return found;
  }

  /** The paths of one length. Without `endsIn` it is the limit, which every path reaches that has not ended before. */
  *#pathsOf(
    state: ExploredState,
    length: number,
    endsIn: ((turns: number) => ReadonlySet<ExploredState>) | null,
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
        if (endsIn === null || endsIn(length - 1).has(branch.to))
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

  #pathTo(state: ExploredState): readonly PathStep[] {
    const steps: PathStep[] = [];
    for (let at = this.#first.get(state); at != null; at = this.#first.get(at.from))
      steps.push({ transition: at.transition, branch: at.branch });
    return steps.reverse();
  }

  /** A path to a state that has exactly so many turns: `layers` knows that there is one. */
  #pathOfLength(state: ExploredState, turns: number): readonly PathStep[] {
    const steps: PathStep[] = [];
    let at = state;
    for (let layer = turns - 1; layer >= 0; layer--) {
      const arrival = this.#arrivals.get(at)?.find(({ from }) => this.#reached[layer]?.[from.id] === 1);
      if (arrival === undefined) return [];
      steps.push({ transition: arrival.transition, branch: arrival.branch });
      at = arrival.from;
    }
    return steps.reverse();
  }

  /** A path that goes on to an end by the shortest way, or until the limit. */
  #finished(begun: readonly PathStep[]): FoundPath {
    const steps = [...begun];
    for (;;) {
      const last = steps.at(-1);
      const to = last === undefined ? this.#graph.start : last.branch.to;
      if (steps.length >= this.#limit && last?.transition.isFork === true) return { steps, isLimited: true };
      if (isEnd(to)) return { steps, isLimited: false };
      if (steps.length >= this.#limit) return { steps, isLimited: true };
      const step = this.#onward(to);
      if (step === undefined) return { steps, isLimited: false };
      steps.push(step);
    }
  }

  #onward(state: ExploredState): PathStep | undefined {
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
