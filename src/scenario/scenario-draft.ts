import type { Issue, IssuePath } from "../issue/issue.ts";
import { NearestName } from "../issue/nearest-name.ts";
import type { Outcome } from "../outcome/outcome-check.ts";
import { type Condition, compileWhen } from "../state/condition.ts";
import { isRecord, type UnknownRecord } from "../value/json.ts";
import { NodeNumbers } from "./node-numbers.ts";
import type { ScenarioEdge } from "./scenario-edge.ts";
import type { ScenarioNode } from "./scenario-node.ts";

/** An edge whose ends are texts; its condition is only there if it has the right shape. */
export interface DraftEdge {
  readonly index: number;
  /** Numbers of the nodes at its ends. */
  readonly from: number;
  readonly to: number;
  readonly conditional: boolean;
  readonly condition: Condition | null;
  readonly edge: ScenarioEdge;
}

/** An outcome of the right shape. */
export interface DraftOutcome {
  readonly index: number;
  readonly outcome: Outcome;
}

/**
 * A scenario on its way to a definition: the parts that have the right shape, whatever is wrong with the others,
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
  nodeIds: readonly string[],
  issues: readonly Issue[],
): ScenarioDraft {
  const broken = new BrokenParts(issues);
  const numbers = new NodeNumbers(nodeIds);
  const nodes = isRecord(data.nodes) ? data.nodes : {};
  return {
    numbers,
    // Casts here and below: a part without issues has been found to have the shape of its type.
    nodes: nodeIds.map((id) => (broken.has("nodes", id) ? null : (nodes[id] as ScenarioNode))),
    edges: readEdges(data.edges, numbers, broken),
    outcomes: listOf(data.outcomes).flatMap((outcome, index) =>
      broken.has("outcomes", index) ? [] : [{ index, outcome: outcome as Outcome }],
    ),
    entry: typeof data.entry === "string" ? data.entry : null,
    nearestNode: new NearestName(() => nodeIds),
  };
}

function readEdges(list: unknown, numbers: NodeNumbers, broken: BrokenParts): DraftEdge[] {
  const edges: DraftEdge[] = [];
  for (const [index, data] of listOf(list).entries()) {
    if (!isRecord(data) || typeof data.source !== "string" || typeof data.target !== "string") continue;
    const edge = data as UnknownRecord & ScenarioEdge;
    const conditional = (edge.when ?? null) !== null;
    const condition = conditional && !broken.has("edges", index) ? compileWhen(edge.when) : null;
    edges.push({
      index,
      from: numbers.of(edge.source),
      to: numbers.of(edge.target),
      conditional,
      condition,
      edge,
    });
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
