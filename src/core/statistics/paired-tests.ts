import { refuse, requireNumbers } from "./arguments.ts";
import { normalTwoSided } from "./distributions.ts";
import { sum } from "./means.ts";
import { mcnemarExact } from "./proportions.ts";

/**
 * The sign test of paired differences: only their direction counts, zeros are set aside. Null for an empty list.
 *
 * Reference: W. Dixon, A. Mood (1946), J. Am. Stat. Assoc. 41, 557.
 */
export function signTest(differences: readonly number[]): {
  readonly positive: number;
  readonly negative: number;
  readonly zero: number;
  readonly p: number;
} | null {
  requireNumbers("differences", differences);
  if (differences.length === 0) return null;
  const positive = differences.filter((value) => value > 0).length;
  const negative = differences.filter((value) => value < 0).length;
  const zero = differences.length - positive - negative;
  return { positive, negative, zero, p: mcnemarExact(positive, negative).p };
}

/** Ranks from 1; equal values share their mean rank. `ties` holds the size of each group of equal values. */
export function meanRanks(values: readonly number[]): { readonly ranks: number[]; readonly ties: number[] } {
  const order = values.map((_, i) => i).sort((i, j) => (values[i] as number) - (values[j] as number));
  const ranks = values.map(() => 0);
  const ties: number[] = [];
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && values[order[end] as number] === values[order[start] as number]) end++;
    for (let i = start; i < end; i++) ranks[order[i] as number] = (start + 1 + end) / 2;
    ties.push(end - start);
    start = end;
  }
  return { ranks, ties };
}

/** How the p-value of the signed-rank test is computed. */
export type SignedRankMethod = "exact" | "normal";

/** The result of the signed-rank test. */
export interface SignedRank {
  readonly wPlus: number;
  readonly wMinus: number;
  /** The number of differences that are not zero. */
  readonly n: number;
  readonly method: SignedRankMethod;
  /** Null for the exact method. */
  readonly z: number | null;
  readonly p: number;
}

/**
 * Wilcoxon's test of paired differences by signed ranks; `auto` is exact up to 50 differences. Null for an empty list.
 *
 * Reference: F. Wilcoxon (1945), Biometrics Bulletin 1, 80.
 */
export function wilcoxonSignedRank(
  differences: readonly number[],
  method: SignedRankMethod | "auto" = "auto",
): SignedRank | null {
  requireNumbers("differences", differences);
  if (!["exact", "normal", "auto"].includes(method)) refuse("method", "exact, normal or auto", method);
  if (differences.length === 0) return null;
  const kept = differences.filter((value) => value !== 0);
  const n = kept.length;
  if (n === 0) return { wPlus: 0, wMinus: 0, n, method: "exact", z: null, p: 1 };
  const { ranks, ties } = meanRanks(kept.map(Math.abs));
  const wPlus = sum(ranks.filter((_, i) => (kept[i] as number) > 0));
  const wMinus = (n * (n + 1)) / 2 - wPlus;
  if (method === "exact" || (method === "auto" && n <= 50)) {
    const p = Math.min(1, 2 * chanceOfRankSum(ranks, Math.min(wPlus, wMinus)));
    return { wPlus, wMinus, n, method: "exact", z: null, p };
  }
  const excess = wPlus - (n * (n + 1)) / 4;
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - sum(ties.map((t) => t ** 3 - t)) / 48;
  const z = (excess - Math.sign(excess) / 2) / Math.sqrt(variance);
  return { wPlus, wMinus, n, method: "normal", z, p: normalTwoSided(z) };
}

/** The chance that the ranks that get a plus, each with probability ½, add up to `most` or less. */
function chanceOfRankSum(ranks: readonly number[], most: number): number {
  // Mean ranks are whole or half: twice their value is whole.
  const chances = new Float64Array(Math.round(2 * most) + 1);
  chances[0] = 1;
  for (const rank of ranks) {
    const step = Math.round(2 * rank);
    for (let total = chances.length - 1; total >= 0; total--)
      chances[total] =
        ((chances[total] as number) + (total >= step ? (chances[total - step] as number) : 0)) / 2;
  }
  return sum(chances);
}
