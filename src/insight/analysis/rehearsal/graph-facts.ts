import { memoize } from "../../../core/lazy.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { components } from "../../../core/scenario/numbered-graph.ts";
import { countRoutes } from "./count-routes.ts";
import {
  type End,
  type ExploredGraph,
  type ExploredState,
  type FoundPath,
  isEnd,
  type Transition,
} from "./explored-graph.ts";
import { GraphView, type TurnFrom } from "./graph-view.ts";
import type {
  EdgeOverlap,
  RehearsedFailure,
  RehearsedLoop,
  RehearsedPlace,
  RehearsedValue,
  Witness,
} from "./rehearsal.ts";

/** Everything that can happen in one view of an explored graph, each with a shortest conversation. */
export interface GraphFacts {
  /** By node: the least number of turns before it, and a conversation that asks it. */
  readonly nodes: ReadonlyMap<string, { readonly after: number; readonly witness: Witness }>;
  /** By the position of the edge. */
  readonly edges: ReadonlyMap<number, Witness>;
  /** The edges whose conditions hold in some state, and which edges are taken there instead. */
  readonly held: ReadonlyMap<number, ReadonlySet<number>>;
  /** The edges that are taken at a node. */
  readonly taken: ReadonlyMap<string, ReadonlySet<number>>;
  /** By outcome. */
  readonly values: ReadonlyMap<string, ReadonlyMap<RehearsedValue, Witness>>;
  readonly overlaps: readonly EdgeOverlap[];
  readonly loops: readonly RehearsedLoop[];
  readonly failures: readonly RehearsedFailure[];
  readonly shortest: Witness | null;
  readonly longest: Witness | null;
  readonly count: bigint | null;
  readonly limited: bigint | null;
  readonly routes: bigint | null;
  readonly listed: readonly Witness[];
  /** False if there were too many conversations up to the turn limit to examine. */
  readonly isWhole: boolean;
}

/** What facts are found with. */
export interface FactOptions {
  readonly definition: ScenarioDefinition;
  readonly place: RehearsedPlace;
  readonly turnLimit: number;
  /** How many paths are listed. */
  readonly list: number;
  /** False to look only at what needs no code that was not run. */
  readonly withAssumed: boolean;
}

/** Finds what can happen in an explored graph. */
export function graphFacts(graph: ExploredGraph, options: FactOptions): Promise<GraphFacts> {
  return new FactFinder(graph, options).find();
}

class FactFinder {
  readonly #graph: ExploredGraph;
  readonly #options: FactOptions;
  readonly #view: GraphView;
  readonly #nodes = new Map<string, { readonly after: number; readonly witness: Witness }>();
  readonly #edges = new Map<number, Witness>();
  readonly #held = new Map<number, Set<number>>();
  readonly #taken = new Map<string, Set<number>>();
  readonly #values = new Map<string, Map<RehearsedValue, Witness>>();
  readonly #overlaps = new Map<string, EdgeOverlap>();
  readonly #failures = new Map<string, RehearsedFailure>();
  readonly #limitEnds = new Map<object, End>();
  #shortest: Witness | null = null;

  constructor(graph: ExploredGraph, options: FactOptions) {
    this.#graph = graph;
    this.#options = options;
    this.#view = new GraphView(
      graph,
      options.turnLimit,
      ({ isAssumed }) => options.withAssumed || !isAssumed,
    );
  }

  async find(): Promise<GraphFacts> {
    const { start } = this.#graph;
    if (isEnd(start)) await this.#ended(start, { steps: [], isLimited: false });
    // States come nearest first, so that the first one found is the shortest.
    for (const state of this.#view.states) await this.#state(state);
    const layers = this.#view.layers();
    for (const turn of layers?.stopped ?? []) await this.#stopped(turn);
    const listed: Witness[] = [];
    for (const path of this.#view.shortest(this.#options.list)) listed.push(await this.#witness(path));
    const longest = layers?.longest ?? null;
    return {
      nodes: this.#nodes,
      edges: this.#edges,
      held: this.#held,
      taken: this.#taken,
      values: this.#values,
      overlaps: [...this.#overlaps.values()],
      loops: await this.#loops(layers?.stopped ?? []),
      failures: [...this.#failures.values()],
      shortest: this.#shortest ?? listed[0] ?? null,
      longest: longest === null ? null : await this.#witness(longest),
      count: this.#graph.isComplete ? (layers?.count ?? null) : null,
      limited: this.#graph.isComplete ? (layers?.limited ?? null) : null,
      routes: this.#graph.isComplete
        ? countRoutes(start, (state) => this.#view.transitions(state), this.#options.turnLimit)
        : null,
      listed,
      isWhole: layers !== null,
    };
  }

  async #state(state: ExploredState): Promise<void> {
    const { node, depth } = state;
    if (depth >= this.#options.turnLimit) return;
    if (!this.#nodes.has(node))
      this.#nodes.set(node, { after: depth, witness: await this.#witness(this.#view.to(state)) });
    for (const transition of this.#view.transitions(state)) {
      await this.#branches(state, transition);
      await this.#holding(state, transition);
    }
  }

  async #branches(state: ExploredState, transition: Transition): Promise<void> {
    const { turnLimit } = this.#options;
    // A fork that the limit stops takes no edge.
    if (transition.isFork && state.depth + 1 >= turnLimit) return;
    for (const branch of transition.branches) {
      const {
        to,
        turn: { edge },
      } = branch;
      const path = (): FoundPath => this.#view.through(state, { transition, branch });
      if (edge !== null) {
        if (!this.#edges.has(edge)) this.#edges.set(edge, await this.#witness(path()));
        setOf(this.#taken, state.node).add(edge);
      }
      if (isEnd(to) && this.#isNew(to)) await this.#ended(to, path());
    }
  }

  async #holding(state: ExploredState, transition: Transition): Promise<void> {
    const { holds, branches } = transition;
    const [taken] = holds;
    const [branch] = branches;
    if (taken === undefined || branch === undefined) return;
    for (const edge of holds) setOf(this.#held, edge).add(taken);
    for (const also of holds.slice(1)) {
      const key = `${taken} ${also}`;
      if (this.#overlaps.has(key)) continue;
      const witness = await this.#witness(this.#view.through(state, { transition, branch }));
      this.#overlaps.set(key, { node: state.node, taken, also, witness });
    }
  }

  /** True if an end has a value or a failure that no end before it had. */
  #isNew({ outcomes, failure }: End): boolean {
    if (failure !== undefined && !this.#failures.has(failure)) return true;
    return (
      this.#shortest === null ||
      Object.entries(outcomes).some(([name, value]) => this.#values.get(name)?.has(value) !== true)
    );
  }

  async #ended(end: End, path: FoundPath): Promise<void> {
    const witness = await this.#witness(path);
    this.#shortest ??= witness;
    for (const [name, value] of Object.entries(end.outcomes)) {
      const values = memoize(this.#values, name, () => new Map<RehearsedValue, Witness>());
      if (!values.has(value)) values.set(value, witness);
    }
    if (end.failure !== undefined && !this.#failures.has(end.failure))
      this.#failures.set(end.failure, { message: end.failure, witness });
  }

  async #stopped(turn: TurnFrom): Promise<void> {
    const end = await this.#limitEnd(turn.transition);
    if (this.#isNew(end)) await this.#ended(end, this.#view.stoppedAfter(turn));
  }

  async #limitEnd(transition: Transition): Promise<End> {
    // The end is the same for all transitions to one state.
    const [branch] = transition.branches;
    const key = transition.isFork || branch === undefined ? transition : branch.to;
    const known = this.#limitEnds.get(key);
    if (known !== undefined) return known;
    const end = await this.#graph.limitEnd(transition);
    this.#limitEnds.set(key, end);
    return end;
  }

  /** A path as a conversation that can be replayed. */
  async #witness({ steps, isLimited }: FoundPath): Promise<Witness> {
    const last = steps.at(-1);
    const to = last === undefined ? this.#graph.start : last.branch.to;
    const end: End =
      isLimited && last !== undefined
        ? await this.#limitEnd(last.transition)
        : isEnd(to)
          ? to
          : // The exploration stopped here: what follows is not known.
            { status: "cancelled", outcomes: {} };
    const arm = isLimited ? last?.transition.after.cell.arm : last?.branch.arm;
    return {
      place: this.#options.place,
      turns: steps.map(({ branch }) => branch.turn),
      status: end.status,
      ...(arm === undefined ? {} : { arm }),
      outcomes: end.outcomes,
      ...(this.#options.withAssumed && steps.some(({ transition }) => transition.isAssumed)
        ? { isAssumed: true }
        : {}),
    };
  }

  /** The loops of the graph. */
  async #loops(stopped: readonly TurnFrom[]): Promise<readonly RehearsedLoop[]> {
    const leads = new Map<string, Set<string>>();
    const trapped = new Map<string, ExploredState>();
    for (const state of this.#view.states) {
      if (!this.#view.canEnd(state) && !trapped.has(state.node)) trapped.set(state.node, state);
      for (const { branches } of this.#view.transitions(state))
        for (const { to } of branches) if (!isEnd(to)) setOf(leads, state.node).add(to.node);
    }
    const found = cycles(leads, this.#options.definition.nodeIds);
    const cycleOf = new Map(found.flatMap((nodes) => nodes.map((node) => [node, nodes])));
    const last = new Map<readonly string[], TurnFrom>();
    for (const turn of stopped) {
      const cycle = cycleOf.get(turn.from.node);
      const staysInside = turn.transition.branches.some(
        ({ to }) => !isEnd(to) && cycleOf.get(to.node) === cycle,
      );
      if (cycle !== undefined && staysInside && !last.has(cycle)) last.set(cycle, turn);
    }
    const loops: RehearsedLoop[] = [];
    for (const nodes of found) {
      const turn = last.get(nodes);
      const trap = nodes.map((node) => trapped.get(node)).find((state) => state !== undefined);
      loops.push({
        nodes,
        trap: trap === undefined ? null : await this.#witness(this.#view.to(trap)),
        untilLimit: turn === undefined ? null : await this.#witness(this.#view.stoppedAfter(turn)),
      });
    }
    return loops;
  }
}

function setOf<Key, Value>(sets: Map<Key, Set<Value>>, key: Key): Set<Value> {
  return memoize(sets, key, () => new Set<Value>());
}

/** The strongly connected parts of a graph that have a cycle, and their members, in the order of its nodes. */
export function cycles(
  leads: ReadonlyMap<string, ReadonlySet<string>>,
  nodes: readonly string[],
): readonly (readonly string[])[] {
  const numbers = new Map(nodes.map((node, index) => [node, index]));
  const targets = nodes.map((node) => [...(leads.get(node) ?? [])].flatMap((to) => numbers.get(to) ?? []));
  const component = components(targets);
  const parts = Map.groupBy(nodes, (_, index) => component[index]);
  return [...parts.values()].filter(
    ([first = "", ...others]) => others.length > 0 || leads.get(first)?.has(first) === true,
  );
}
