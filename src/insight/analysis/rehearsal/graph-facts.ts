import { lazy, memoize } from "../../../core/lazy.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { components } from "../../../core/scenario/numbered-graph.ts";
import { countRoutes } from "./count-routes.ts";
import { type Branch, type End, type ExploredGraph, type ExploredState, isEnd } from "./explored-graph.ts";
import { branchesOf, type FoundPath, GraphPaths, type Stopped } from "./graph-paths.ts";
import type { RehearsedLoop, RehearsedPlace, RehearsedValue, Witness } from "./rehearsal.ts";

/** Something that can happen, and a shortest conversation in which it does. */
export interface Found {
  readonly witness: Witness;
  /** False if it depends on code that was not run. */
  readonly isCertain: boolean;
}

/** Everything that can happen in an explored graph. */
export interface GraphFacts {
  /** By node: with the least number of turns before it. */
  readonly nodes: ReadonlyMap<string, Found & { readonly after: number }>;
  /** By the position of the edge. */
  readonly edges: ReadonlyMap<number, Found>;
  /** By outcome. */
  readonly values: ReadonlyMap<string, ReadonlyMap<RehearsedValue, Found>>;
  /** By message. */
  readonly failures: ReadonlyMap<string, Found>;
  readonly loops: readonly RehearsedLoop[];
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
interface FactOptions {
  readonly definition: ScenarioDefinition;
  readonly place: RehearsedPlace;
  readonly turnLimit: number;
  /** How many paths are listed. */
  readonly list: number;
}

/** Finds what can happen in an explored graph. */
export function graphFacts(graph: ExploredGraph, options: FactOptions): Promise<GraphFacts> {
  return new FactFinder(graph, options).find();
}

class FactFinder {
  readonly #graph: ExploredGraph;
  readonly #options: FactOptions;
  readonly #paths: GraphPaths;
  readonly #nodes = new Map<string, Found & { readonly after: number }>();
  readonly #edges = new Map<number, Found>();
  readonly #values = new Map<string, Map<RehearsedValue, Found>>();
  readonly #failures = new Map<string, Found>();
  readonly #limitEnds = new Map<object, End>();

  constructor(graph: ExploredGraph, options: FactOptions) {
    this.#graph = graph;
    this.#options = options;
    this.#paths = new GraphPaths(graph, options.turnLimit);
  }

  async find(): Promise<GraphFacts> {
    const { start, isComplete } = this.#graph;
    if (isEnd(start)) await this.#ended(start, true, () => this.#paths.shortest());
    // States come nearest first, so that the first one found is the shortest.
    for (const { state, depth } of this.#paths.states()) await this.#state(state, depth);
    const layers = this.#paths.layers();
    for (const { branch, isCertain } of layers?.stopped ?? [])
      await this.#ended(await this.#limitEnd(branch), isCertain, () => this.#paths.stoppedAfter(branch));
    const listed: Witness[] = [];
    for (const path of this.#paths.listed(this.#options.list)) listed.push(await this.#witness(path));
    const longest = layers?.longest ?? null;
    return {
      nodes: this.#nodes,
      edges: this.#edges,
      values: this.#values,
      failures: this.#failures,
      loops: await this.#loops(layers?.stopped ?? []),
      shortest: await this.#witness(this.#paths.shortest()),
      longest: longest === null ? null : await this.#witness(longest),
      count: isComplete ? (layers?.count ?? null) : null,
      limited: isComplete ? (layers?.limited ?? null) : null,
      routes: isComplete ? countRoutes(start, this.#options.turnLimit) : null,
      listed,
      isWhole: layers !== null,
    };
  }

  async #state(state: ExploredState, depth: number): Promise<void> {
    const { node } = state;
    const isCertain = this.#paths.isCertain(state);
    if (isNew(this.#nodes, node, isCertain))
      this.#nodes.set(node, {
        after: depth,
        isCertain,
        witness: await this.#witness(this.#paths.through(state)),
      });
    const isLast = depth + 1 >= this.#options.turnLimit;
    for (const branch of branchesOf(state)) {
      // A fork that the limit stops takes no edge.
      if (isLast && branch.fork !== undefined) continue;
      await this.#branch(branch, isCertain && !branch.isAssumed);
    }
  }

  async #branch(branch: Branch, isCertain: boolean): Promise<void> {
    const { to, turn, from } = branch;
    const path = (): FoundPath => this.#paths.through(from, branch);
    if (turn.edge !== null && isNew(this.#edges, turn.edge, isCertain))
      this.#edges.set(turn.edge, { isCertain, witness: await this.#witness(path()) });
    if (isEnd(to)) await this.#ended(to, isCertain, path);
  }

  async #ended({ outcomes, failure }: End, isCertain: boolean, path: () => FoundPath): Promise<void> {
    const found = lazy(async (): Promise<Found> => ({ isCertain, witness: await this.#witness(path()) }));
    for (const [name, value] of Object.entries(outcomes)) {
      const values = memoize(this.#values, name, () => new Map<RehearsedValue, Found>());
      if (isNew(values, value, isCertain)) values.set(value, await found());
    }
    if (failure !== undefined && isNew(this.#failures, failure, isCertain))
      this.#failures.set(failure, await found());
  }

  async #limitEnd(branch: Branch): Promise<End> {
    // The end is the same for all branches to one state.
    const key = branch.fork === undefined ? branch.to : branch;
    const known = this.#limitEnds.get(key);
    if (known !== undefined) return known;
    const end = await this.#graph.limitEnd(branch);
    this.#limitEnds.set(key, end);
    return end;
  }

  /** A path as a conversation that can be replayed. */
  async #witness({ branches, isLimited }: FoundPath): Promise<Witness> {
    const last = branches.at(-1);
    const to = last === undefined ? this.#graph.start : last.to;
    const end: End =
      isLimited && last !== undefined
        ? await this.#limitEnd(last)
        : isEnd(to)
          ? to
          : // The exploration stopped here: what follows is not known.
            { status: "cancelled", outcomes: {} };
    const arm = isLimited ? last?.after.cell.arm : last?.arm;
    return {
      place: this.#options.place,
      turns: branches.map(({ turn }) => turn),
      status: end.status,
      ...(arm === undefined ? {} : { arm }),
      outcomes: end.outcomes,
      ...(branches.some(({ isAssumed }) => isAssumed) ? { isAssumed: true } : {}),
    };
  }

  async #loops(stopped: readonly Stopped[]): Promise<readonly RehearsedLoop[]> {
    const leads = new Map<string, Set<string>>();
    const trapped = new Map<string, ExploredState>();
    for (const { state } of this.#paths.states()) {
      const { node } = state;
      if (!this.#paths.canEnd(state) && !trapped.has(node)) trapped.set(node, state);
      for (const { to } of branchesOf(state))
        if (!isEnd(to)) memoize(leads, node, () => new Set<string>()).add(to.node);
    }
    const loops: RehearsedLoop[] = [];
    for (const nodes of cycles(leads, this.#options.definition.nodeIds)) {
      const inside = new Set(nodes);
      const last = stopped.find(
        ({ branch: { from, to } }) => inside.has(from.node) && !isEnd(to) && inside.has(to.node),
      );
      const trap = nodes.map((node) => trapped.get(node)).find((state) => state !== undefined);
      loops.push({
        nodes,
        trap: trap === undefined ? null : await this.#witness(this.#paths.through(trap)),
        untilLimit: last === undefined ? null : await this.#witness(this.#paths.stoppedAfter(last.branch)),
      });
    }
    return loops;
  }
}

/** True of what is not known yet, or only as something that code which was not run may not allow. */
function isNew<Key>(known: ReadonlyMap<Key, Found>, key: Key, isCertain: boolean): boolean {
  const found = known.get(key);
  return found === undefined || (isCertain && !found.isCertain);
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
