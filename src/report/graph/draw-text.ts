import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { printableText } from "../../terminal/printable-text.ts";
import { cutToWidth, textWidth } from "../../terminal/text-width.ts";
import { countColumns, withCounts } from "./count-column.ts";
import { drawnGraph } from "./drawn-graph.ts";
import { ASCII_GLYPHS, asciiText, UNICODE_GLYPHS } from "./glyphs.ts";
import { type TextRow, textRows } from "./text-rows.ts";
import type { Traffic } from "./traffic.ts";

/** How `drawText` draws. */
export interface DrawTextOptions {
  /** Columns of the terminal (default 80); a drawing is never narrower than 40. */
  readonly width?: number;
  /** True for a drawing that consists of nothing but ASCII characters. */
  readonly ascii?: boolean;
  /** Shows how often nodes were visited and edges followed, and where conversations stopped. */
  readonly traffic?: Traffic;
}

const DEFAULT_WIDTH = 80;
const SMALLEST_WIDTH = 40;
/** The largest share of a line that an id may take. */
const ID_SHARE = 0.4;
/** The same where counts need room, too. */
const COUNTED_ID_SHARE = 0.3;
/** What stands around an id in the longest left side: a branch, and that it leads to itself. */
const AROUND_ID = "  ├─→  (self)".length;
/** The share of a line, and the number of columns, after which texts need not line up any more. */
const COLUMN_SHARE = 0.3;
const SMALLEST_COLUMN = 20;
const GAP = 2;

/**
 * Draws a scenario for a terminal: every node with its edges below it, in breadth-first order from the entry. An edge
 * marked `→` leads to a node further down, `↺` closes a loop, `↑` joins a node further up that does not lead back.
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
  const { width: wanted = DEFAULT_WIDTH, ascii = false, traffic } = options;
  const width = wanted >= SMALLEST_WIDTH ? Math.floor(wanted) : SMALLEST_WIDTH;
  const glyphs = ascii ? ASCII_GLYPHS : UNICODE_GLYPHS;
  const fitted = (text: string, columns: number): string =>
    cutToWidth(ascii ? asciiText(text) : text, columns, glyphs.ellipsis);
  const nodes = drawnGraph(definition, traffic);
  const countWidth = countColumns(nodes);
  const idWidth =
    countWidth === 0
      ? Math.floor(width * ID_SHARE)
      : Math.min(Math.floor(width * COUNTED_ID_SHARE), width - AROUND_ID - countWidth);
  const rows = textRows(nodes, glyphs, (id) => fitted(id, idWidth));
  const blocks = withCounts(rows, countWidth);
  const column = textColumn(blocks, Math.max(SMALLEST_COLUMN, width * COLUMN_SHARE));
  const lineOf = ({ left, right }: TextRow): string => {
    if (right === "") return left;
    const used = textWidth(left);
    const start = Math.max(column, used + GAP);
    return (left + " ".repeat(start - used) + fitted(right, width - start)).trimEnd();
  };

  const counts = `${counted(nodes.length, "node")}, ${counted(definition.edges.length, "edge")}`;
  const name = fitted(printableText(definition.name), width - counts.length - 3);
  const header = name === "" ? counts : `${name} ${glyphs.dot} ${counts}`;
  const bodies = blocks.map((rows) => rows.map(lineOf).join("\n"));
  return `${[header, ...bodies].join("\n\n")}\n`;
}

/** Where the texts start: right of all but the few left sides that are too long to make all the others wait. */
function textColumn(blocks: readonly (readonly TextRow[])[], limit: number): number {
  let column = 0;
  for (const rows of blocks) {
    for (const { left, right } of rows) {
      const end = right === "" ? 0 : textWidth(left) + GAP;
      if (end <= limit) column = Math.max(column, end);
    }
  }
  return column;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
