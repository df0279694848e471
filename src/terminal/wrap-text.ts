import { splitToWidth, textWidth } from "./text-width.ts";

/**
 * A text in lines of at most so many columns. Line breaks stay, wrapped lines keep the indentation of their line, and a word
 * that is too long is split.
 */
export function wrapText(text: string, columns: number): readonly string[] {
  const room = Math.max(1, columns);
  return text.split("\n").flatMap((line) => wrapIndented(line, room));
}

/** The deepest indentation, as a share of the room, that is kept. */
const DEEPEST = 0.5;
/** A character may take so many columns. */
const WIDEST = 2;

function wrapIndented(line: string, room: number): readonly string[] {
  const words = line.trimStart();
  const indent = line.slice(0, line.length - words.length).replaceAll("\t", "    ");
  const left = room - textWidth(indent);
  if (indent === "" || words === "" || left < room * DEEPEST || left < WIDEST) return wrapLine(words, room);
  return wrapLine(words, left).map((part) => indent + part);
}

function wrapLine(line: string, room: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  let width = 0;
  for (const word of line.split(/[ \t]+/)) {
    if (word === "") continue;
    const needed = textWidth(word);
    if (current !== "" && width + 1 + needed <= room) {
      current += ` ${word}`;
      width += 1 + needed;
      continue;
    }
    if (current !== "") lines.push(current);
    const pieces = needed > room ? splitToWidth(word, room) : [word];
    for (const piece of pieces.slice(0, -1)) lines.push(piece);
    current = pieces.at(-1) ?? "";
    width = pieces.length === 1 ? needed : textWidth(current);
  }
  return [...lines, current];
}
