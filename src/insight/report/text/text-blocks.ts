import { printableLines, printableText } from "../../../system/terminal/printable-text.ts";
import type { Style } from "../../../system/terminal/terminal.ts";
import { alignColumns, type TableCell, textWidth, wrapText } from "../../../system/terminal/text-layout.ts";

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

/** A line of a table that begins with a name. */
export interface NamedLine {
  readonly name: TableCell;
  /** Columns before the name. */
  readonly indent: number;
  readonly cells: readonly TableCell[];
}

/** The first line of a table: a title, and the heads of its columns. */
export function headLine(title: string, heads: readonly string[], style: Style): NamedLine {
  const cells = heads.map((text) => ({ text, paint: style.dim }));
  return { name: { text: title, paint: style.bold }, indent: 0, cells };
}

/** A column after the names. */
export interface NamedColumn {
  readonly alignment: "<" | ">";
  /** Without room, the column with the lowest number is dropped first; one without a number stays. */
  readonly leaves?: number;
}

/** The width that names may take before columns are dropped. */
const ROOM = 18;

/**
 * Lines as a table that fits a width. If there is not enough room, columns are dropped in their order, and then names are put on lines of
 * their own: a name that is cut could be mistaken for another.
 */
export function namedTable(
  lines: readonly NamedLine[],
  columns: readonly NamedColumn[],
  width: number,
): readonly string[] {
  const kept = keptColumns(lines, columns, width);
  const room = width - spaceOf(lines, kept);
  const isShort = ({ name, indent }: NamedLine): boolean => indent + textWidth(name.text) <= room;
  const aligned = alignColumns(
    lines.map((line) => [isShort(line) ? indented(line) : { text: "" }, ...cellsOf(line, kept)]),
    ["<", ...kept.map((index) => columns[index]?.alignment ?? "<")],
  );
  return lines.flatMap((line, index) => {
    const rest = aligned[index] ?? "";
    return isShort(line) ? [rest] : [...ownLines(line, width), ...(rest === "" ? [] : [rest])];
  });
}

/** The indices of the columns that there is room for. */
function keptColumns(
  lines: readonly NamedLine[],
  columns: readonly NamedColumn[],
  width: number,
): readonly number[] {
  const longest = lines.reduce((most, { name, indent }) => Math.max(most, indent + textWidth(name.text)), 0);
  const wanted = Math.min(longest, ROOM);
  const leaving = [...columns.entries()]
    .flatMap(([index, { leaves }]) => (leaves === undefined ? [] : [{ index, leaves }]))
    .sort((one, other) => one.leaves - other.leaves);
  let kept = [...columns.keys()];
  for (const { index } of leaving) {
    if (width - spaceOf(lines, kept) >= wanted) break;
    kept = kept.filter((other) => other !== index);
  }
  return kept;
}

/** What columns take, with the gaps before them. */
function spaceOf(lines: readonly NamedLine[], kept: readonly number[]): number {
  let space = 0;
  for (const index of kept)
    space += lines.reduce((most, { cells }) => Math.max(most, textWidth(cells[index]?.text ?? "")), 0) + GAP;
  return space;
}

function cellsOf({ cells }: NamedLine, kept: readonly number[]): readonly TableCell[] {
  return kept.map((index) => cells[index] ?? { text: "" });
}

function indented({ name: { text, paint }, indent }: NamedLine): TableCell {
  const space = " ".repeat(indent);
  return { text: space + text, paint: (whole) => space + (paint ?? same)(whole.slice(indent)) };
}

function ownLines({ name: { text, paint }, indent }: NamedLine, width: number): readonly string[] {
  return wrapText(text, width - indent).map((line) => " ".repeat(indent) + (paint ?? same)(line));
}

function same(text: string): string {
  return text;
}
