import { printableLines, printableText } from "../terminal/printable-text.ts";
import { textWidth } from "../terminal/text-width.ts";
import { wrapText } from "../terminal/wrap-text.ts";

/** A value as data, on one line and safe for any terminal: `"Canberra"`, `[1,2]`. */
export function valueText(value: unknown): string {
  return printableText(JSON.stringify(value) ?? "null");
}

/** A text in lines of at most so many columns, safe for any terminal, each painted. */
export function paintedLines(
  text: string,
  room: number,
  paint: (text: string) => string = (line) => line,
): readonly string[] {
  return wrapText(printableLines(text), room).map(paint);
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
