import fc from "fast-check";
import { expect, test } from "vitest";
import { DefinitionError } from "../schema/format-issue.ts";
import type { Issue } from "../schema/issue.ts";
import { END } from "./definition.ts";
import { Scenario } from "./scenario.ts";

/** Which nodes can be reached, in the plainest way: follow edges until nothing new turns up. */
function reachable(entry: number, edges: readonly (readonly [number, number])[]): ReadonlySet<number> {
  let found = new Set([entry]);
  for (;;) {
    const more = new Set([...found, ...edges.filter(([from]) => found.has(from)).map(([, to]) => to)]);
    if (more.size === found.size) return found;
    found = more;
  }
}

function issuesOf(
  count: number,
  entry: number,
  edges: readonly (readonly [number, number])[],
): readonly Issue[] {
  const scenario: Scenario = new Scenario("random");
  const id = (node: number): string => (node === count ? END : `n${node}`);
  for (let node = 0; node < count; node++)
    scenario.addNode(id(node), { question: { question: "Q", rawAnswer: "A" } });
  for (const [from, to] of edges) scenario.addEdge(id(from), id(to));
  scenario.setEntry(id(entry));
  try {
    scenario.validate();
    return [];
  } catch (error) {
    if (error instanceof DefinitionError) return error.issues;
    throw error;
  }
}

const graph = fc.integer({ min: 1, max: 8 }).chain((count) =>
  fc.record({
    count: fc.constant(count),
    entry: fc.nat(count - 1),
    // A target of `count` stands for the end.
    edges: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count)), { maxLength: 14 }),
  }),
);

test("exactly the nodes that cannot be reached are reported, each of them once", () => {
  fc.assert(
    fc.property(graph, ({ count, entry, edges }) => {
      const found = reachable(entry, edges);
      const expected = Array.from({ length: count }, (_, node) => node).filter((node) => !found.has(node));
      const issues = issuesOf(count, entry, edges);
      const reported = issues.flatMap((issue) =>
        issue.code === "unreachable_node" ? [issue.node, ...issue.behind] : ["?"],
      );
      expect(reported.sort()).toEqual(expected.map((node) => `n${node}`).sort());
    }),
    { numRuns: 500 },
  );
});

test("what stands behind a reported node can be reached from it", () => {
  fc.assert(
    fc.property(graph, ({ count, entry, edges }) => {
      for (const issue of issuesOf(count, entry, edges)) {
        if (issue.code !== "unreachable_node") continue;
        const from = reachable(Number(issue.node.slice(1)), edges);
        for (const node of issue.behind) expect(from.has(Number(node.slice(1)))).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
