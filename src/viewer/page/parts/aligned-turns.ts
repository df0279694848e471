import type { TurnView } from "../../answers.ts";

/** The turns of two conversations side by side; one of them may be missing. */
export interface AlignedTurn {
  readonly a: TurnView | undefined;
  readonly b: TurnView | undefined;
}

/** Aligns two conversations node by node: as many turns as possible stand beside one at the same node. */
export function alignTurns(a: readonly TurnView[], b: readonly TurnView[]): readonly AlignedTurn[] {
  const longest = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (row: number, column: number): number => longest[row]?.[column] ?? 0;
  for (let row = a.length - 1; row >= 0; row--)
    for (let column = b.length - 1; column >= 0; column--) {
      const line = longest[row] as number[];
      line[column] =
        a[row]?.node === b[column]?.node
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  const aligned: AlignedTurn[] = [];
  let [row, column] = [0, 0];
  while (row < a.length || column < b.length) {
    if (row < a.length && column < b.length && a[row]?.node === b[column]?.node)
      aligned.push({ a: a[row++], b: b[column++] });
    else if (column >= b.length || (row < a.length && at(row + 1, column) >= at(row, column + 1)))
      aligned.push({ a: a[row++], b: undefined });
    else aligned.push({ a: undefined, b: b[column++] });
  }
  return aligned;
}

/** The first place where the two part: another verdict, another value, another node. The length if they never do. */
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
