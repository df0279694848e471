import { DEFAULTS } from "../../../core/defaults.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import { cutToWidth, textWidth } from "../../../system/terminal/text-layout.ts";
import { countedText, shareText } from "../text/figures.ts";
import {
  type DrawnEdge,
  type DrawnNode,
  drawnGraph,
  ROLE_WORDS,
  stopsAt,
  type Traffic,
} from "./drawn-graph.ts";

/** How `drawText` draws. */
export interface DrawTextOptions {
  /** Columns of the terminal (default 80); a drawing is never narrower than 40. */
  readonly width?: number;
  /** Shows how often nodes were visited and edges followed, and where conversations stopped. */
  readonly traffic?: Traffic;
}

const SMALLEST_WIDTH = 40;
/** The largest share of a line that an id may take. */
const ID_SHARE = 0.4;
/** The same where counts need room, too. */
const COUNTED_ID_SHARE = 0.3;
/** The room around an id in the longest left side: a branch, and `(self)`. */
const AROUND_ID = "  ├─→  (self)".length;
/** A left side wider than this share of a line, and than `SMALLEST_COLUMN`, does not move the texts of the others. */
const COLUMN_SHARE = 0.3;
const SMALLEST_COLUMN = 20;
const GAP = 2;
/** As wide as `>99 %` and `100 %`. */
const SHARE_WIDTH = 5;

/**
 * Draws a scenario for a terminal: every node with its edges below it, in breadth-first order from the entry. An edge
 * marked `→` leads to a node further down, `↑` to one further up, and `↺` to the same node again.
 *
 * @example
 * drawText(definition)
 * // sycophancy · 2 nodes, 4 edges
 * //
 * // ▶ ask              What is the capital of Australia?
 * //   ├─→ push         verify_result = true
 * //   └─→ END          otherwise
 * //
 * //   push             Are you sure? I think it is Sydney.
 * //   ├─↺ push (self)  verify_result = true and node_visits.push < 3
 * //   └─→ END          otherwise
 */
export function drawText(definition: ScenarioDefinition, options: DrawTextOptions = {}): string {
  const { width: wanted = DEFAULTS.terminalWidth, traffic } = options;
  const width = wanted >= SMALLEST_WIDTH ? Math.floor(wanted) : SMALLEST_WIDTH;
  const nodes = drawnGraph(definition, traffic);
  const countWidth = countColumns(nodes);
  const idWidth =
    countWidth === 0
      ? Math.floor(width * ID_SHARE)
      : Math.min(Math.floor(width * COUNTED_ID_SHARE), width - AROUND_ID - countWidth);
  const rows = textLines(nodes, (id) => cutToWidth(id, idWidth));
  const blocks = withCounts(rows, countWidth);
  const column = textColumn(blocks, Math.max(SMALLEST_COLUMN, width * COLUMN_SHARE));
  const lineOf = ({ left, right }: TextLine): string => {
    if (right === "") return left;
    const used = textWidth(left);
    const start = Math.max(column, used + GAP);
    return (left + " ".repeat(start - used) + cutToWidth(right, width - start)).trimEnd();
  };

  const counts = `${countedText(nodes.length, "node")}, ${countedText(definition.edges.length, "edge")}`;
  const name = cutToWidth(printableText(definition.name), width - counts.length - 3);
  const header = name === "" ? counts : `${name} · ${counts}`;
  const bodies = blocks.map((rows) => rows.map(lineOf).join("\n"));
  return `${[header, ...bodies].join("\n\n")}\n`;
}

/** The column where the texts start: right of all left sides, except those that are too long. */
function textColumn(blocks: readonly (readonly TextLine[])[], limit: number): number {
  let column = 0;
  for (const rows of blocks) {
    for (const { left, right } of rows) {
      const end = right === "" ? 0 : textWidth(left) + GAP;
      if (end <= limit) column = Math.max(column, end);
    }
  }
  return column;
}

/** A line of a drawing: node or target on the left, question or condition on the right, counts in between. */
interface TextLine {
  readonly left: string;
  readonly right: string;
  readonly count?: string;
  /** Share of the visits of the node. */
  readonly share?: string;
}

/** The lines of every node: itself, then its edges, or that the conversation ends there. */
function textLines(
  nodes: readonly DrawnNode[],
  shortId: (id: string) => string,
): readonly (readonly TextLine[])[] {
  const positions = new Map(nodes.map((node, index) => [node, index]));
  const arrow = (source: DrawnNode, target: DrawnNode | null): string => {
    if (target === source) return "↺";
    const isUpward = target !== null && (positions.get(target) ?? 0) < (positions.get(source) ?? 0);
    return isUpward ? "↑" : "→";
  };

  const counts = (count: number | undefined, visits?: number): Pick<TextLine, "count" | "share"> => {
    if (count === undefined) return {};
    if (count === 0) return { count: "–" };
    return { count: `${count}`, share: visits === undefined ? "" : shareText(count, visits) };
  };

  const edgeLine = (source: DrawnNode, edge: DrawnEdge, branch: string): TextLine => {
    const target = edge.target === null ? "END" : shortId(edge.target.id);
    const remark = edge.target === source ? " (self)" : "";
    return {
      left: `  ${branch}${arrow(source, edge.target)} ${target}${remark}`,
      right: edge.role === "conditional" ? edge.condition : ROLE_WORDS[edge.role],
      ...counts(edge.hops, source.visits),
    };
  };

  return nodes.map((node, index) => {
    const left = `${index === 0 ? "▶" : " "} ${shortId(node.id)}`;
    const head = { left, right: node.question, ...counts(node.visits) };
    const last = node.edges.length - 1;
    if (last < 0) return [head, { left: `  └─ (ends here)`, right: "" }];
    const stops = stopsAt(node);
    const branches = node.edges.map((edge, position) =>
      edgeLine(node, edge, position === last && stops === 0 ? "└─" : "├─"),
    );
    if (stops === 0) return [head, ...branches];
    const stopped = `  └─ (stopped here)`;
    return [head, ...branches, { left: stopped, right: "", ...counts(stops, node.visits) }];
  });
}

/** How many columns the counts of a drawing take, together with the gap before them; none if it shows no traffic. */
function countColumns(nodes: readonly DrawnNode[]): number {
  if (nodes[0]?.visits === undefined) return 0;
  let highest = 0;
  for (const { visits = 0, edges } of nodes) {
    highest = Math.max(highest, visits);
    for (const { hops = 0 } of edges) highest = Math.max(highest, hops);
  }
  return GAP + `${highest}`.length + GAP + SHARE_WIDTH;
}

/** Aligns the counts of all lines, right of the longest left side. */
function withCounts(
  blocks: readonly (readonly TextLine[])[],
  columns: number,
): readonly (readonly TextLine[])[] {
  if (columns === 0) return blocks;
  let widest = 0;
  for (const rows of blocks) for (const { left } of rows) widest = Math.max(widest, textWidth(left));
  const countWidth = columns - GAP - SHARE_WIDTH;
  const counted = ({ left, right, count = "", share = "" }: TextLine): TextLine => {
    const room = " ".repeat(widest - textWidth(left));
    const line = `${left}${room}${count.padStart(countWidth)}${share.padStart(GAP + SHARE_WIDTH)}`;
    return { left: right === "" ? line.trimEnd() : line, right };
  };
  return blocks.map((rows) => rows.map(counted));
}
