import type { DrawnEdge, DrawnNode } from "./drawn-graph.ts";

interface Visit {
  readonly node: DrawnNode;
  /** When the walk came here. */
  readonly arrival: number;
  /** The earliest arrival among the nodes known to lie on a loop with this one. */
  earliest: number;
  nextEdge: number;
  loop: DrawnNode | null;
}

/**
 * Names, for every node, the loop it lies on: two nodes can reach each other exactly if they get the same answer.
 * Edges that are never taken make no loop. Tarjan's algorithm, on a stack of its own so that a long chain of nodes
 * cannot exhaust the engine's.
 */
export function findLoops(nodes: readonly DrawnNode[]): (node: DrawnNode) => DrawnNode | null {
  const visits = new Map<DrawnNode, Visit>();
  const undecided: Visit[] = [];
  const path: Visit[] = [];

  const arrive = (node: DrawnNode): void => {
    const visit = { node, arrival: visits.size, earliest: visits.size, nextEdge: 0, loop: null };
    visits.set(node, visit);
    undecided.push(visit);
    path.push(visit);
  };

  const follow = (from: Visit, { target, role }: DrawnEdge): void => {
    if (target === null || role === "never") return;
    const known = visits.get(target);
    if (known === undefined) arrive(target);
    else if (known.loop === null) from.earliest = Math.min(from.earliest, known.arrival);
  };

  const leave = (visit: Visit): void => {
    path.pop();
    const parent = path.at(-1);
    if (parent !== undefined) parent.earliest = Math.min(parent.earliest, visit.earliest);
    if (visit.earliest < visit.arrival) return;
    // Nothing above leads back here, so whatever is still undecided since the arrival is one loop.
    while (visit.loop === null) {
      const member = undecided.pop();
      if (member !== undefined) member.loop = visit.node;
    }
  };

  for (const node of nodes) {
    if (visits.has(node)) continue;
    arrive(node);
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const edge = visit.node.edges[visit.nextEdge++];
      if (edge === undefined) leave(visit);
      else follow(visit, edge);
    }
  }
  return (node) => visits.get(node)?.loop ?? null;
}
