import { textWidth } from "./text-width.ts";

/** A cell of a table; its colour does not count when columns are measured. */
export interface TableCell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const GAP = 2;

/** Rows as lines whose columns stand below each other, `<` to the left and `>` to the right. Nothing is left at the end of a line. */
export function alignColumns(
  rows: readonly (readonly TableCell[])[],
  alignment: readonly ("<" | ">")[],
): readonly string[] {
  const widths = alignment.map((_, column) =>
    Math.max(0, ...rows.map((row) => textWidth(row[column]?.text ?? ""))),
  );
  return rows.map((row) => {
    let line = "";
    let missing = 0;
    row.forEach(({ text, paint }, column) => {
      const room = (widths[column] ?? 0) - textWidth(text);
      const before = alignment[column] === ">" ? room : 0;
      if (text !== "") {
        line += " ".repeat(missing + before) + (paint === undefined ? text : paint(text));
        missing = 0;
      } else missing += before;
      missing += room - before + GAP;
    });
    return line;
  });
}
