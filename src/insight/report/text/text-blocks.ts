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

/** A line of a table that begins with a name. A text alone is a cell without a colour. */
export interface NamedLine {
  readonly name: TableCell | string;
  /** Columns before the name (default 0). */
  readonly indent?: number;
  readonly cells: readonly (TableCell | string)[];
}

/** The first line of a table: a title, and the heads of its columns. */
export function headLine(title: string, heads: readonly string[], { bold, dim }: Style): NamedLine {
  return { name: { text: title, paint: bold }, cells: heads.map((text) => ({ text, paint: dim })) };
}

type Side = "<" | ">";

/** A column after the names: its alignment, and where it may leave: without room, the column with the lowest number is dropped first. */
export type NamedColumn = Side | readonly [Side, leaves: number];

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
  const asCell = (cell: TableCell | string): TableCell => (typeof cell === "string" ? { text: cell } : cell);
  const rows = lines.map(({ name, indent = 0, cells }) => {
    const { text, paint = (whole: string) => whole } = asCell(name);
    return { ...{ text, paint, indent }, length: indent + textWidth(text), cells: cells.map(asCell) };
  });
  const widths = columns.map((_, column) =>
    rows.reduce((most, { cells }) => Math.max(most, textWidth(cells[column]?.text ?? "")), 0),
  );
  const wanted = rows.reduce((most, { length }) => Math.max(most, Math.min(length, ROOM)), 0);
  const leaving = columns
    .flatMap((column, index) => (typeof column === "string" ? [] : [{ index, leaves: column[1] }]))
    .sort((one, other) => one.leaves - other.leaves);
  let kept = [...columns.keys()];
  const room = (): number => kept.reduce((left, column) => left - (widths[column] ?? 0) - GAP, width);
  for (const { index } of leaving) if (room() < wanted) kept = kept.filter((other) => other !== index);
  const aligned = alignColumns(
    rows.map(({ text, paint, indent, length, cells }) => {
      const space = " ".repeat(indent);
      const name = { text: space + text, paint: (whole: string) => space + paint(whole.slice(indent)) };
      return [length <= room() ? name : { text: "" }, ...kept.map((column) => cells[column] ?? { text: "" })];
    }),
    ["<", ...kept.map((column) => columns[column]?.[0] as Side)],
  );
  return rows.flatMap(({ text, paint, indent, length }, index) => {
    const rest = aligned[index] ?? "";
    if (length <= room()) return [rest];
    const name = wrapText(text, width - indent).map((line) => " ".repeat(indent) + paint(line));
    return rest === "" ? name : [...name, rest];
  });
}
