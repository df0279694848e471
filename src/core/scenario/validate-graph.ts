import { lazyPattern } from "../lazy.ts";
import type { Issue, NodeRole, ReportIssue } from "../schema/issue.ts";
import { asNearest } from "../schema/nearest-name.ts";
import { isReservedKey } from "../values/json.ts";
import { END, END_IN_FILES } from "./definition.ts";
import { components, neighbours } from "./numbered-graph.ts";
import type { DraftEdge, ScenarioDraft } from "./scenario-draft.ts";

/** Checks ids, the ends of edges, the entry, fallbacks and reachability; linear in nodes and edges. */
export function validateGraph(draft: ScenarioDraft, report: ReportIssue, warn: ReportIssue): void {
  const { numbers, entry } = draft;
  // Without nodes every id is unknown, which is no further issue.
  if (numbers.nodeCount === 0) return;
  for (let node = 0; node < numbers.nodeCount; node++) validateId(numbers.idOf(node), report);
  const meant = validateEnds(draft, report);
  validateFallbacks(draft, report, warn);
  validateForks(draft, report);
  if (entry === null) return;
  const start = numbers.ofNode(entry);
  if (start === undefined) return report(unknownNode(draft, entry, "entry", ["entry"]));
  for (const { node, behind } of findUnreachable(draft, start, meant)) {
    report({ code: "unreachable_node", path: ["nodes", node], node, entry, behind });
  }
}

/** An issue for an id that no node has. */
export function unknownNode(
  draft: ScenarioDraft,
  node: string,
  role: NodeRole,
  path: Issue["path"],
): Extract<Issue, { code: "unknown_node" }> {
  return { code: "unknown_node", path, node, role, ...asNearest(draft.nearestNode.find(node)) };
}

function validateId(id: string, report: ReportIssue): void {
  if (id === END || id === END_IN_FILES || isReservedKey(id)) {
    return report({ code: "reserved_id", path: ["nodes", id], id });
  }
  const message = idProblem(id);
  if (message !== null) report({ code: "invalid_id", path: ["nodes", id], id, message });
}

function idProblem(id: string): string | null {
  if (id === "") return "it is empty";
  if (id.includes(".")) return "a dot would make paths to it ambiguous";
  if (id.trim() !== id) return "white space around it would be hard to see";
  return controlCharacter().test(id) ? "it has control characters" : null;
}

const controlCharacter = lazyPattern(String.raw`\p{Cc}`, "u");

/** Reports edges to or from nowhere, and returns which node each misspelt id was probably meant to be. */
function validateEnds(draft: ScenarioDraft, report: ReportIssue): ReadonlyMap<number, number> {
  const { numbers } = draft;
  const meant = new Map<number, number>();
  const validateEnd = (end: number, role: "source" | "target", { index, arm }: DraftEdge): void => {
    if (numbers.isNode(end)) return;
    const id = numbers.idOf(end);
    if (role === "target" && id === END) return;
    const place = role === "target" && arm !== undefined ? ["fork", arm] : [role];
    const issue = unknownNode(draft, id, role, ["edges", index, ...place]);
    if (issue.nearest !== undefined) meant.set(end, numbers.of(issue.nearest));
    const isEnd = role === "target" && id.toUpperCase() === END_IN_FILES;
    report(isEnd ? { ...issue, nearest: END_IN_FILES } : issue);
  };
  for (const edge of draft.edges) {
    if ((edge.arm ?? 0) === 0) validateEnd(edge.from, "source", edge);
    validateEnd(edge.to, "target", edge);
  }
  return meant;
}

interface OutEdges {
  conditional?: DraftEdge;
  fallback?: DraftEdge;
  ignored?: DraftEdge[];
}

function validateFallbacks({ numbers, edges }: ScenarioDraft, report: ReportIssue, warn: ReportIssue): void {
  const outEdges: (OutEdges | undefined)[] = new Array(numbers.size).fill(undefined);
  for (const edge of edges) {
    const out = outEdges[edge.from] ?? {};
    outEdges[edge.from] = out;
    // A fork is one edge to all of its arms.
    if ((edge.arm ?? 0) > 0) continue;
    if (edge.conditional) out.conditional ??= edge;
    else if (out.fallback === undefined) out.fallback = edge;
    else {
      out.ignored ??= [];
      out.ignored.push(edge);
    }
  }
  for (let number = 0; number < numbers.nodeCount; number++) {
    const out = outEdges[number];
    if (out === undefined) continue;
    const { conditional, fallback, ignored } = out;
    const node = numbers.idOf(number);
    if (conditional && !fallback)
      report({ code: "missing_fallback", path: ["edges", conditional.index], node });
    if (fallback && ignored?.[0] !== undefined) {
      const path = ["edges", ignored[0].index];
      const targets = ignored.map(({ to }) => numbers.idOf(to));
      warn({ code: "several_fallbacks", path, node, used: numbers.idOf(fallback.to), ignored: targets });
    }
  }
}

/** A node that cannot be reached, with the nodes that can only be reached from it. */
interface UnreachableNode {
  readonly node: string;
  readonly behind: readonly string[];
}

/**
 * Finds the nodes that cannot be reached from the entry. A misspelt id counts as the node that was probably `meant`, so
 * that a misspelt edge does not make its target unreachable too. Of an unreachable part of the graph, only the nodes
 * without an edge to them are returned; the others are in their `behind`.
 */
function findUnreachable(
  { numbers, edges }: ScenarioDraft,
  entry: number,
  meant: ReadonlyMap<number, number>,
): readonly UnreachableNode[] {
  const targets = neighbours(numbers.size, edges, "from");
  for (const [misspelt, node] of meant) {
    targets[misspelt]?.push(node);
    targets[node]?.push(misspelt);
  }
  const seen = new Uint8Array(numbers.size);
  /** Marks everything that can be reached from a node, and returns what was new, the node itself first. */
  const visit = (start: number): readonly number[] => {
    const queue = [start];
    seen[start] = 1;
    // A list that grows while it is read.
    for (const node of queue)
      for (const target of targets[node] ?? []) {
        if (seen[target] === 1) continue;
        seen[target] = 1;
        queue.push(target);
      }
    return queue;
  };
  visit(entry);
  const unreachable = Array.from({ length: numbers.nodeCount }, (_, node) => node).filter(
    (node) => seen[node] === 0,
  );
  const ledTo = new Set(
    unreachable.flatMap((node) => (targets[node] ?? []).filter((target) => target !== node)),
  );
  // First the nodes that nothing leads to, then one node of each cycle that is left.
  const roots = [...unreachable.filter((node) => !ledTo.has(node)), ...unreachable];
  return roots.flatMap((root) => {
    if (seen[root] === 1) return [];
    const [, ...behind] = visit(root).filter((node) => numbers.isNode(node));
    return [{ node: numbers.idOf(root), behind: behind.map((node) => numbers.idOf(node)) }];
  });
}

/** Reports forks to END alone, and forks that come back to themselves with no condition on the way: they would never end. */
function validateForks({ numbers, edges }: ScenarioDraft, report: ReportIssue): void {
  const forks = edges.filter(({ arm }) => arm !== undefined);
  if (forks.length === 0) return;
  // Where a condition decides, the way may end.
  const decides = new Set(edges.filter(({ conditional }) => conditional).map(({ from }) => from));
  const certain = edges.filter(({ from }) => !decides.has(from));
  const component = components(neighbours(numbers.size, certain, "from"));
  const reported = new Set<number>();
  for (const { index, from, to } of forks) {
    if (decides.has(from) || reported.has(index) || component[from] !== component[to]) continue;
    reported.add(index);
    const [node, arm] = [numbers.idOf(from), numbers.idOf(to)];
    report({ code: "unbounded_fork", path: ["edges", index, "fork"], node, arm });
  }
}
