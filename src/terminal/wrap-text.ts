import { cutToWidth, textWidth } from "./text-width.ts";

/**
 * A text in lines of at most so many columns; line breaks and the indentation of a line stay, and a word that is too long is
 * cut up.
 */
export function wrapText(text: string, columns: number): readonly string[] {
  const room = Math.max(1, columns);
  return text.split("\n").flatMap((line) => wrapIndented(line, room));
}

/** The deepest indentation, as a share of the room, that is kept. */
const DEEPEST = 0.5;

function wrapIndented(line: string, room: number): readonly string[] {
  const words = line.trimStart();
  const indent = line.slice(0, line.length - words.length).replaceAll("\t", "    ");
  if (indent === "" || words === "" || indent.length > room * DEEPEST) return wrapLine(words, room);
  return wrapLine(words, room - indent.length).map((part) => indent + part);
}

function wrapLine(line: string, room: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  let width = 0;
  for (const word of line.split(/[ \t]+/)) {
    const needed = textWidth(word);
    if (width > 0 && width + 1 + needed > room) {
      lines.push(current);
      current = "";
      width = 0;
    }
    const pieces = needed > room ? cutUp(word, room) : [word];
    for (const piece of pieces.slice(0, -1)) lines.push(piece);
    const last = pieces.at(-1) ?? "";
    current = width === 0 ? last : `${current} ${last}`;
    width = textWidth(current);
  }
  return [...lines, current];
}

/** A word in pieces that fit; at least one character each, whatever its width. */
function cutUp(word: string, room: number): readonly string[] {
  const pieces: string[] = [];
  let rest = word;
  while (textWidth(rest) > room) {
    const piece = cutToWidth(rest, room, "") || (rest[Symbol.iterator]().next().value as string);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return rest === "" ? pieces : [...pieces, rest];
}
