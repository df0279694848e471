/** A piece of a text, and whether the other text has it, too. */
export interface Piece {
  readonly text: string;
  readonly isShared: boolean;
}

/** Longer texts are not compared word for word. */
const MOST_WORDS = 1_500;

/** Which words of two texts the other one has in the same order. Null if they are too long to compare. */
export function textDifference(
  one: string,
  other: string,
): readonly [readonly Piece[], readonly Piece[]] | null {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  if (words.length > MOST_WORDS || others.length > MOST_WORDS) return null;
  const shared = sharedWords(words, others);
  return [
    piecesOf(words, new Set(shared.map(([index]) => index))),
    piecesOf(others, new Set(shared.map(([, index]) => index))),
  ];
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** The longest list of words that both have in order, as pairs of positions. */
function sharedWords(
  one: readonly string[],
  other: readonly string[],
): readonly (readonly [number, number])[] {
  const width = other.length + 1;
  const longest = new Uint16Array((one.length + 1) * width);
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row--)
    for (let column = other.length - 1; column >= 0; column--)
      longest[row * width + column] =
        one[row] === other[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const pairs: (readonly [number, number])[] = [];
  let [row, column] = [0, 0];
  while (row < one.length && column < other.length) {
    if (one[row] === other[column]) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return pairs;
}

function piecesOf(words: readonly string[], shared: ReadonlySet<number>): readonly Piece[] {
  const pieces: { text: string; isShared: boolean }[] = [];
  for (const [index, text] of words.entries()) {
    const isSpace = /^\s+$/.test(text);
    const last = pieces.at(-1);
    // Spaces go with the word before.
    const isShared = isSpace && last !== undefined ? last.isShared : shared.has(index);
    if (last !== undefined && last.isShared === isShared) last.text += text;
    else pieces.push({ text, isShared });
  }
  return pieces;
}
