import type { Style } from "../terminal/terminal.ts";

/** How a text is set: with colours or without, and in how many columns. */
export interface TextOptions {
  readonly style: Style;
  readonly width: number;
}

/** Some lines with a word before them that says what they are. */
export interface LabelledLines {
  readonly label: string;
  /** As they are printed, short enough for `roomBeside` the labels. */
  readonly lines: readonly string[];
}

const INDENT = 2;
const GAP = 2;
const SMALLEST_ROOM = 10;

/** How many columns are left beside labels of a length. */
export function roomBeside(labelWidth: number, width: number): number {
  return Math.max(SMALLEST_ROOM, width - INDENT - labelWidth - GAP);
}

/** Blocks below each other, labels to the left; a block without lines is left out. */
export function labelledLines(
  blocks: readonly LabelledLines[],
  labelWidth: number,
  style: Style,
): readonly string[] {
  const margin = " ".repeat(INDENT + labelWidth + GAP);
  return blocks.flatMap(({ label, lines }) =>
    lines.map((line, index) => {
      if (index > 0) return line === "" ? "" : margin + line;
      return `${" ".repeat(INDENT)}${style.dim(label)}${" ".repeat(labelWidth - label.length + GAP)}${line}`;
    }),
  );
}
