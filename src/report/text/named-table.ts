import { alignColumns, type TableCell, textWidth, wrapText } from "../../terminal/text-layout.ts";

/** A line of a table that begins with a name. */
export interface NamedLine {
  readonly name: TableCell;
  /** Columns before the name. */
  readonly indent: number;
  readonly cells: readonly TableCell[];
}

/** A column after the names. */
export interface NamedColumn {
  readonly alignment: "<" | ">";
  /** Without room, the column with the lowest number is dropped first; one without a number stays. */
  readonly leaves?: number;
}

const GAP = 2;
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
