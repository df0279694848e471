import type { Outcome } from "../outcomes/outcome-check.ts";
import type { Issue, IssuePath } from "../schema/issue.ts";
import { NearestName } from "../schema/nearest-name.ts";
import { type Condition, compileWhen } from "../state/condition.ts";
import { isRecord, type UnknownRecord } from "../values/json.ts";
import type { ScenarioEdge, ScenarioNode } from "./definition.ts";

/** An edge whose ends are texts; its condition is only there if it has the right shape. */
export interface DraftEdge {
  readonly index: number;
  /** Numbers of the nodes at its ends. */
  readonly from: number;
  readonly to: number;
  readonly conditional: boolean;
  readonly condition: Condition | null;
  /** The position of the arm, of an edge that is part of a fork. */
  readonly arm?: number;
  readonly edge: ScenarioEdge;
}

/** An outcome of the right shape. */
interface DraftOutcome {
  readonly index: number;
  readonly outcome: Outcome;
}

/**
 * A scenario that is being validated: the parts that have the right shape, even if others do not,
 * so that one mistake does not hide the next.
 */
export interface ScenarioDraft {
  readonly numbers: NodeNumbers;
  /** By number; null for a node whose data has the wrong shape: it exists, but nothing is known of it. */
  readonly nodes: readonly (ScenarioNode | null)[];
  readonly edges: readonly DraftEdge[];
  readonly outcomes: readonly DraftOutcome[];
  readonly entry: string | null;
  readonly nearestNode: NearestName;
}

/** Reads the sound parts out of data; `issues` are those that checking its shape has found. */
export function readDraft(
  data: UnknownRecord,
  nodes: ReadonlyMap<string, unknown>,
  issues: readonly Issue[],
): ScenarioDraft {
  const broken = new BrokenParts(issues);
  const numbers = new NodeNumbers(nodes.keys());
  return {
    numbers,
    // Casts here and below: a part without issues has been found to have the shape of its type.
    nodes: Array.from(nodes, ([id, node]) => (broken.has("nodes", id) ? null : (node as ScenarioNode))),
    edges: readEdges(data.edges, numbers, broken),
    outcomes: listOf(data.outcomes).flatMap((outcome, index) =>
      broken.has("outcomes", index) ? [] : [{ index, outcome: outcome as Outcome }],
    ),
    entry: typeof data.entry === "string" ? data.entry : null,
    nearestNode: new NearestName(() => nodes.keys()),
  };
}

function readEdges(list: unknown, numbers: NodeNumbers, broken: BrokenParts): DraftEdge[] {
  const edges: DraftEdge[] = [];
  for (const [index, data] of listOf(list).entries()) {
    if (!isRecord(data) || typeof data.source !== "string") continue;
    const edge = data as UnknownRecord & ScenarioEdge;
    const conditional = (edge.when ?? null) !== null;
    const condition = conditional && !broken.has("edges", index) ? compileWhen(edge.when) : null;
    const from = numbers.of(edge.source);
    // Written out, because there may be very many edges: to spread an object takes several times as long.
    if (typeof data.target === "string")
      edges.push({ index, from, to: numbers.of(data.target), conditional, condition, edge });
    if (data.fork === undefined) continue;
    for (const [arm, target] of listOf(data.fork).entries())
      if (typeof target === "string")
        edges.push({ index, from, to: numbers.of(target), conditional, condition, arm, edge });
  }
  return edges;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The nodes, edges and outcomes that have an issue. */
class BrokenParts {
  readonly #keys: ReadonlySet<string>;

  constructor(issues: readonly Issue[]) {
    this.#keys = new Set(issues.map(({ path }) => partKey(path)));
  }

  has(list: "nodes" | "edges" | "outcomes", key: string | number): boolean {
    return this.#keys.size > 0 && this.#keys.has(partKey([list, key]));
  }
}

function partKey([list, key]: IssuePath): string {
  return `${list}/${key}`;
}

/**
 * Numbers for node ids, so that each is looked up once and the graph is walked over plain arrays. Nodes come first, in
 * order; an id that an edge names and no node has gets a number after them.
 */
class NodeNumbers {
  readonly nodeCount: number;
  readonly #numbers = new Map<string, number>();
  readonly #ids: string[] = [];

  constructor(nodeIds: Iterable<string>) {
    for (const id of nodeIds) this.of(id);
    this.nodeCount = this.#ids.length;
  }

  /** How many ids there are, those of nodes and others. */
  get size(): number {
    return this.#ids.length;
  }

  of(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    this.#numbers.set(id, this.#ids.length);
    return this.#ids.push(id) - 1;
  }

  idOf(number: number): string {
    return this.#ids[number] as string;
  }

  /** The number of a node, or undefined for an id that no node has. */
  ofNode(id: string): number | undefined {
    const number = this.#numbers.get(id);
    return number !== undefined && number < this.nodeCount ? number : undefined;
  }

  isNode(number: number): boolean {
    return number < this.nodeCount;
  }
}
