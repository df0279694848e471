import { type DrawnEdge, type DrawnNode, type EdgeRole, stopsAt } from "./drawn-graph.ts";
import { findLoops } from "./find-loops.ts";
import type { Glyphs } from "./glyphs.ts";
import { shareText } from "./traffic.ts";

/** A line of a text drawing: who or where to on the left, what it asks or when on the right, how often in between. */
export interface TextRow {
  readonly left: string;
  readonly right: string;
  readonly count?: string;
  /** Of the visits of the node. */
  readonly share?: string;
}

const WORDS: Readonly<Record<Exclude<EdgeRole, "conditional">, string>> = {
  otherwise: "otherwise",
  only: "",
  never: "never taken",
};

/** The rows of every node: itself, then its edges, or that the conversation ends there. */
export function textRows(
  nodes: readonly DrawnNode[],
  glyphs: Glyphs,
  shortId: (id: string) => string,
): readonly (readonly TextRow[])[] {
  const positions = new Map(nodes.map((node, index) => [node, index]));
  const loopOf = findLoops(nodes);

  const arrow = (source: DrawnNode, target: DrawnNode | null): string => {
    if (target === null) return glyphs.forward;
    const isForward = (positions.get(target) ?? 0) > (positions.get(source) ?? 0);
    if (isForward) return glyphs.forward;
    return loopOf(source) === loopOf(target) ? glyphs.loop : glyphs.upward;
  };

  const counts = (count: number | undefined, visits?: number): Pick<TextRow, "count" | "share"> => {
    if (count === undefined) return {};
    if (count === 0) return { count: glyphs.none };
    return { count: `${count}`, share: visits === undefined ? "" : shareText(count, visits) };
  };

  const edgeRow = (source: DrawnNode, edge: DrawnEdge, branch: string): TextRow => {
    const target = edge.target === null ? "END" : shortId(edge.target.id);
    const remark = edge.target === source ? " (self)" : "";
    return {
      left: `  ${branch}${arrow(source, edge.target)} ${target}${remark}`,
      right: edge.role === "conditional" ? edge.condition : WORDS[edge.role],
      ...counts(edge.hops, source.visits),
    };
  };

  return nodes.map((node, index) => {
    const left = `${index === 0 ? glyphs.entry : " "} ${shortId(node.id)}`;
    const head = { left, right: node.question, ...counts(node.visits) };
    const last = node.edges.length - 1;
    if (last < 0) return [head, { left: `  ${glyphs.lastBranch} (ends here)`, right: "" }];
    const stops = stopsAt(node);
    const branches = node.edges.map((edge, position) =>
      edgeRow(node, edge, position === last && stops === 0 ? glyphs.lastBranch : glyphs.branch),
    );
    if (stops === 0) return [head, ...branches];
    const stopped = `  ${glyphs.lastBranch} (stopped here)`;
    return [head, ...branches, { left: stopped, right: "", ...counts(stops, node.visits) }];
  });
}
