import { Graph } from "./graph.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";

/** A node that cannot be reached, with the nodes that can only be reached from it. */
export interface UnreachableNode {
  readonly node: string;
  readonly behind: readonly string[];
}

/**
 * Finds what cannot be reached from the entry. An id that no node has stands for the node that it was probably `meant`
 * to be: what is only cut off by a misspelt edge is no further issue. Of a whole unreachable part, only the nodes that
 * nothing leads to are given; the rest stands behind them.
 */
export function findUnreachable(
  { numbers, edges }: ScenarioDraft,
  entry: number,
  meant: ReadonlyMap<number, number>,
): UnreachableNode[] {
  const graph = new Graph(numbers.size);
  for (const { from, to } of edges) graph.connect(from, to);
  for (const [misspelt, node] of meant) {
    graph.connect(misspelt, node);
    graph.connect(node, misspelt);
  }
  const seen = new Array<boolean>(numbers.size).fill(false);
  graph.visit(entry, seen);

  const unreachable: number[] = [];
  for (let node = 0; node < numbers.nodeCount; node++) if (!seen[node]) unreachable.push(node);
  const ledTo = new Set<number>();
  for (const node of unreachable) graph.forEachTarget(node, (target) => target !== node && ledTo.add(target));
  // First the nodes that nothing leads to, then one node of each cycle that is left.
  const roots = [...unreachable.filter((node) => !ledTo.has(node)), ...unreachable];
  return roots.flatMap((root) => {
    if (seen[root]) return [];
    const [, ...behind] = graph.visit(root, seen).filter((node) => numbers.isNode(node));
    return [{ node: numbers.idOf(root), behind: behind.map((node) => numbers.idOf(node)) }];
  });
}
