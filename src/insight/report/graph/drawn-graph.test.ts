import fc from "fast-check";
import { expect, test } from "vitest";
import { type DrawnEdge, type DrawnNode, findLoops } from "./drawn-graph.ts";

interface DraftNode extends DrawnNode {
  readonly edges: DrawnEdge[];
}

function reachable(from: DrawnNode): ReadonlySet<DrawnNode> {
  const seen = new Set([from]);
  for (const node of seen) for (const { target } of node.edges) if (target !== null) seen.add(target);
  return seen;
}

test("two nodes are on the same loop exactly if each can be reached from the other", () => {
  const graphs = fc
    .array(fc.array(fc.nat(9), { maxLength: 3 }), { minLength: 1, maxLength: 10 })
    .map((targets) => {
      const nodes = targets.map((_, index): DraftNode => ({ id: `${index}`, question: "", edges: [] }));
      nodes.forEach((node, index) => {
        for (const target of targets[index] ?? []) {
          node.edges.push({ target: nodes[target] ?? null, role: "conditional", condition: "" });
        }
      });
      return nodes;
    });
  fc.assert(
    fc.property(graphs, (nodes) => {
      const loopOf = findLoops(nodes);
      for (const a of nodes) {
        for (const b of nodes) {
          expect(loopOf(a) === loopOf(b)).toBe(reachable(a).has(b) && reachable(b).has(a));
        }
      }
    }),
  );
});

test("an edge that is never taken makes no loop", () => {
  const back: DrawnEdge[] = [];
  const second: DrawnNode = { id: "second", question: "", edges: back };
  const first: DrawnNode = {
    id: "first",
    question: "",
    edges: [{ target: second, role: "only", condition: "" }],
  };
  back.push({ target: null, role: "only", condition: "" }, { target: first, role: "never", condition: "" });
  const loopOf = findLoops([first, second]);
  expect(loopOf(first)).not.toBe(loopOf(second));
});
