import { lazy, lazyPattern } from "../../core/lazy.ts";

/** Emoji, and the characters that Unicode 16 calls wide or fullwidth. */
const wide = lazyPattern(
  String.raw`[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]`,
  "u",
);
/** Marks and joiners that are drawn into the character before them, and the vowels and finals of a Hangul syllable. */
const zero = lazyPattern(String.raw`[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]`, "u");
/** A whole emoji, possibly of many code points: a family, a flag, a keycap; also without the selector that Unicode recommends. */
const emoji = lazyPattern(
  String.raw`^(?:\p{RGI_Emoji}|[\d#*]\u20e3|\p{Extended_Pictographic}.*\u200d\p{Extended_Pictographic}.*)$`,
  "v",
);
/** Code points that join others to one grapheme. */
const joining = lazyPattern(
  String.raw`[\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]`,
  "u",
);
const graphemes = lazy(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
const ASCII = /^[ -~]*$/;

/** How many columns of a terminal a text takes: `textWidth("日本 👍🏽 é")` is 9. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesOf(text)) width += graphemeWidth(grapheme);
  return width;
}

/** The text, cut to a width with an ellipsis if it is longer. */
export function cutToWidth(text: string, columns: number, ellipsis = "…"): string {
  // No UTF-16 unit is wider than two columns, so most short texts need not be measured.
  if (text.length * 2 <= columns) return text;
  const room = columns - ellipsis.length;
  let width = 0;
  let end = 0;
  let fitting = 0;
  for (const grapheme of graphemesOf(text)) {
    width += graphemeWidth(grapheme);
    if (width > columns) return room < 0 ? "" : text.slice(0, fitting).trimEnd() + ellipsis;
    end += grapheme.length;
    if (width <= room) fitting = end;
  }
  return text;
}

/** A text in pieces that fit a width. Graphemes stay whole unless one alone is wider. */
export function splitToWidth(text: string, columns: number): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  let width = 0;
  const add = (part: string, added: number): void => {
    if (piece !== "" && width + added > columns) {
      pieces.push(piece);
      piece = "";
      width = 0;
    }
    piece += part;
    width += added;
  };
  for (const grapheme of graphemesOf(text)) {
    const added = graphemeWidth(grapheme);
    if (added <= columns) add(grapheme, added);
    else for (const character of grapheme) add(character, characterWidth(character));
  }
  return [...pieces, piece];
}

function graphemeWidth(grapheme: string): number {
  // Only a joined emoji is narrower than its parts.
  if (grapheme.length > 1 && joining().test(grapheme) && emoji().test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  // Nothing before the first combining mark is wide.
  if (character < "\u0300") return 1;
  if (zero().test(character)) return 0;
  return wide().test(character) ? 2 : 1;
}

/** Most texts have one code point per grapheme, and walking code points is a hundred times faster than walking graphemes. */
function graphemesOf(text: string): Iterable<string> {
  return joining().test(text) ? segments(text) : text;
}

function* segments(text: string): Generator<string, void> {
  for (const { segment } of graphemes().segment(text)) yield segment;
}

/**
 * A text in lines that fit a width. Line breaks stay, wrapped lines keep the indentation of their line, and a word
 * that is too long is split.
 */
export function wrapText(text: string, columns: number): readonly string[] {
  const room = Math.max(1, columns);
  return text.split("\n").flatMap((line) => wrapIndented(line, room));
}

/** The deepest indentation, as a share of the room, that is kept. */
const DEEPEST = 0.5;
/** The most columns that a character takes. */
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

/** Lines as one text, each with a line break at its end. */
export function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
