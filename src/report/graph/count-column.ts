import { textWidth } from "../../terminal/text-width.ts";
import type { DrawnNode } from "./drawn-graph.ts";
import type { TextRow } from "./text-rows.ts";

const GAP = 2;
/** As wide as `>99 %` and `100 %`. */
const SHARE_WIDTH = 5;

/** How many columns the counts of a drawing take, together with the gap before them; none if it shows no traffic. */
export function countColumns(nodes: readonly DrawnNode[]): number {
  if (nodes[0]?.visits === undefined) return 0;
  let highest = 0;
  for (const { visits = 0, edges } of nodes) {
    highest = Math.max(highest, visits);
    for (const { hops = 0 } of edges) highest = Math.max(highest, hops);
  }
  return GAP + `${highest}`.length + GAP + SHARE_WIDTH;
}

/** Puts the counts of all rows below each other, right of the longest left side. */
export function withCounts(
  blocks: readonly (readonly TextRow[])[],
  columns: number,
): readonly (readonly TextRow[])[] {
  if (columns === 0) return blocks;
  let widest = 0;
  for (const rows of blocks) for (const { left } of rows) widest = Math.max(widest, textWidth(left));
  const countWidth = columns - GAP - SHARE_WIDTH;
  const counted = ({ left, right, count = "", share = "" }: TextRow): TextRow => {
    const room = " ".repeat(widest - textWidth(left));
    const line = `${left}${room}${count.padStart(countWidth)}${share.padStart(GAP + SHARE_WIDTH)}`;
    return { left: right === "" ? line.trimEnd() : line, right };
  };
  return blocks.map((rows) => rows.map(counted));
}
