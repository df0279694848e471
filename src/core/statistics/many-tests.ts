import { refuse, requireCount, requireList, requireTrials } from "./arguments.ts";

/** The tests that have a p-value, smallest first, as positions in the list. */
function ranked(pValues: readonly (number | null)[]): number[] {
  requireList("pValues", pValues);
  const known: number[] = [];
  for (const [i, p] of pValues.entries()) {
    if (p === null) continue;
    if (!(typeof p === "number" && p >= 0 && p <= 1))
      refuse(`pValues[${i}]`, "a number from 0 to 1, or null", p);
    known.push(i);
  }
  return known.sort((i, j) => (pValues[i] as number) - (pValues[j] as number));
}

/**
 * P-values adjusted so that the chance of any false alarm among all tests stays below the level. `null` stays `null` and does not count.
 *
 * Reference: S. Holm (1979), Scand. J. Statist. 6, 65.
 */
export function holm(pValues: readonly (number | null)[]): (number | null)[] {
  const order = ranked(pValues);
  const adjusted: (number | null)[] = pValues.map(() => null);
  let largest = 0;
  for (const [rank, i] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (pValues[i] as number) * (order.length - rank)));
    adjusted[i] = largest;
  }
  return adjusted;
}

/**
 * P-values adjusted so that the expected share of false alarms among the findings stays below the level. `null` stays `null`.
 *
 * Reference: Y. Benjamini, Y. Hochberg (1995), J. R. Stat. Soc. B 57, 289.
 */
export function benjaminiHochberg(pValues: readonly (number | null)[]): (number | null)[] {
  const order = ranked(pValues);
  const adjusted: (number | null)[] = pValues.map(() => null);
  let smallest = 1;
  for (let rank = order.length - 1; rank >= 0; rank--) {
    const i = order[rank] as number;
    smallest = Math.min(smallest, ((pValues[i] as number) * order.length) / (rank + 1));
    adjusted[i] = smallest;
  }
  return adjusted;
}

function requireTries(n: number, c: number, k: number): void {
  requireTrials(["c", "n"], c, n);
  requireCount("k", k, 1);
}

/** C(x, k) / C(n, k), factor by factor, so that nothing overflows. It equals C(n − k, n − x) / C(n, n − x): the shorter product is taken. */
function choiceRatio(x: number, n: number, k: number): number {
  const [kept, factors] = n - x < k ? [n - k, n - x] : [x, k];
  let ratio = 1;
  for (let i = 0; i < factors && ratio > 0; i++) ratio *= Math.max(0, kept - i) / (n - i);
  return ratio;
}

/**
 * The chance that at least one of k tries passes, drawn without replacement from n tries with c passes. Null if k > n.
 *
 * Reference: M. Chen et al. (2021), "Evaluating Large Language Models Trained on Code".
 */
export function passAtK(n: number, c: number, k: number): number | null {
  requireTries(n, c, k);
  return k > n ? null : 1 - choiceRatio(n - c, n, k);
}

/**
 * The chance that all of k tries pass, drawn without replacement from n tries with c passes. Null if k > n.
 *
 * Reference: S. Yao et al. (2024), "τ-bench".
 */
export function passHatK(n: number, c: number, k: number): number | null {
  requireTries(n, c, k);
  return k > n ? null : choiceRatio(c, n, k);
}
