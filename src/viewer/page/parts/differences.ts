import type { TurnView } from "../../answers.ts";

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
  const shared = [...stepsThrough(words, others)].flatMap(([index, other]) =>
    index === undefined || other === undefined ? [] : [[index, other] as const],
  );
  return [
    piecesOf(words, new Set(shared.map(([index]) => index))),
    piecesOf(others, new Set(shared.map(([, index]) => index))),
  ];
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** A step through two lists: the positions of an item that both have, or of one that only one of them has. */
type Step = readonly [position: number | undefined, other: number | undefined];

/** Goes through two lists side by side, so that as many items as possible stand beside one that is the same. */
function* stepsThrough<Item>(one: readonly Item[], other: readonly Item[]): Generator<Step> {
  const width = other.length + 1;
  /** How many items the rests of both lists have in common, at most. */
  const common = new Uint16Array((one.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row--)
    for (let column = other.length - 1; column >= 0; column--)
      common[row * width + column] =
        one[row] === other[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  let [row, column] = [0, 0];
  while (row < one.length || column < other.length) {
    const [hasOne, hasOther] = [row < one.length, column < other.length];
    if (hasOne && hasOther && one[row] === other[column]) yield [row++, column++];
    else if (!hasOther || (hasOne && at(row + 1, column) >= at(row, column + 1))) yield [row++, undefined];
    else yield [undefined, column++];
  }
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

/** The turns of two conversations side by side; one of them may be missing. */
export interface AlignedTurn {
  readonly a: TurnView | undefined;
  readonly b: TurnView | undefined;
}

/** Aligns two conversations node by node: as many turns as possible stand beside one at the same node. */
export function alignTurns(a: readonly TurnView[], b: readonly TurnView[]): readonly AlignedTurn[] {
  const nodes = (turns: readonly TurnView[]): readonly string[] => turns.map(({ node }) => node);
  return [...stepsThrough(nodes(a), nodes(b))].map(([row, column]) => ({
    a: row === undefined ? undefined : a[row],
    b: column === undefined ? undefined : b[column],
  }));
}

/** The first place where the two differ: another verdict, another value, another node. The length if they never do. */
export function firstDivergence(aligned: readonly AlignedTurn[]): number {
  const found = aligned.findIndex(({ a, b }) => {
    if (a === undefined || b === undefined || a.verdict !== b.verdict || a.next !== b.next) return true;
    return JSON.stringify(valuesOf(a)) !== JSON.stringify(valuesOf(b));
  });
  return found < 0 ? aligned.length : found;
}

function valuesOf({ fields }: TurnView): readonly unknown[] {
  return fields.map(({ name, value }) => [name, value ?? null]);
}
