import { printableLines, printableText } from "../../terminal/printable-text.ts";
import type { Style } from "../../terminal/terminal.ts";
import { textWidth, wrapText } from "../../terminal/text-layout.ts";

/** Colours and width of a text. */
export interface TextOptions {
  readonly style: Style;
  readonly width: number;
}

/** Colours of a text, and the columns that are left for it beside a label. */
export interface RoomOptions {
  readonly style: Style;
  readonly room: number;
}

/** A value as data, on one line and safe for any terminal: `"Canberra"`, `[1,2]`. */
export function valueText(value: unknown): string {
  return printableText(JSON.stringify(value) ?? "null");
}

/** A text in painted lines that fit a width, safe for any terminal. */
export function paintedLines(
  text: string,
  room: number,
  paint: (text: string) => string = (line) => line,
): readonly string[] {
  return wrapText(printableLines(text), room).map(paint);
}

/** A line with two spaces before it. */
export function inset(line: string): string {
  return `  ${line}`;
}

/** A statement with a remark behind it in its own colour; below it if there is no room. */
export function remarkedLines(
  statement: string,
  remark: { readonly text: string; readonly paint: (text: string) => string },
  room: number,
): readonly string[] {
  const { text, paint } = remark;
  if (textWidth(statement) + 2 + textWidth(text) <= room) return [`${statement}  ${paint(text)}`];
  const below = wrapText(text, room - 2).map((line) => `  ${paint(line)}`);
  return [...wrapText(statement, room), ...below];
}

/** Lines with a label on their left. */
export interface LabelledLines {
  readonly label: string;
  /** As they are printed, not wider than `roomBeside` the labels. */
  readonly lines: readonly string[];
}

const INDENT = 2;
const GAP = 2;
const SMALLEST_ROOM = 10;

/** The columns that are left beside labels of a width. */
export function roomBeside(labelWidth: number, width: number): number {
  return Math.max(SMALLEST_ROOM, width - INDENT - labelWidth - GAP);
}

/** Blocks below each other, labels on the left; a block without lines is left out. */
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
