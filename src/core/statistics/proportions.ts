import { requireBetween0And1, requireCount, requireTrials } from "./arguments.ts";
import { betaQuantile, fairCoins, normalQuantile, normalTwoSided } from "./distributions.ts";

/** Limits of a confidence interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A difference of two rates with its interval. */
export interface DifferenceInterval extends Interval {
  readonly difference: number;
}

/** Wilson's interval for a rate `p` of `n` trials, with the quantile given; `n` need not be whole. */
export function scoreInterval(p: number, n: number, quantile: number): Interval {
  const square = (quantile * quantile) / n;
  const width = 1 + square;
  const centre = p + square / 2;
  const half = quantile * Math.sqrt((p * (1 - p)) / n + square / (4 * n));
  const upper = (centre + half) / width;
  // The lower limit from the product of the two roots: no digits are lost near 0.
  return { low: p === 0 ? 0 : (p * p) / (width * upper), high: p === 1 ? 1 : upper };
}

/**
 * Wilson's score interval of a proportion, without continuity correction. Null for no trials.
 *
 * Reference: E. B. Wilson (1927), J. Am. Stat. Assoc. 22, 209.
 */
export function wilson(successes: number, n: number, confidence = 0.95): Interval | null {
  requireTrials(["successes", "n"], successes, n);
  requireBetween0And1("confidence", confidence);
  return n === 0 ? null : scoreInterval(successes / n, n, normalQuantile(confidence));
}

/**
 * The exact interval of a proportion: it covers at least as often as it says. Null for no trials.
 *
 * Reference: C. Clopper, E. Pearson (1934), Biometrika 26, 404.
 */
export function clopperPearson(successes: number, n: number, confidence = 0.95): Interval | null {
  requireTrials(["successes", "n"], successes, n);
  requireBetween0And1("confidence", confidence);
  if (n === 0) return null;
  const tail = (1 - confidence) / 2;
  return {
    low: successes === 0 ? 0 : betaQuantile(tail, successes, n - successes + 1),
    // The upper limit is the lower one of the failures.
    high: successes === n ? 1 : 1 - betaQuantile(tail, n - successes, successes + 1),
  };
}

/**
 * The difference of two independent proportions, with an interval from their Wilson limits. Null if a group is empty.
 *
 * Reference: R. Newcombe (1998), Statistics in Medicine 17, 873, method 10.
 */
export function newcombeDifference(
  s1: number,
  n1: number,
  s2: number,
  n2: number,
  confidence = 0.95,
): DifferenceInterval | null {
  requireTrials(["s1", "n1"], s1, n1);
  requireTrials(["s2", "n2"], s2, n2);
  const first = wilson(s1, n1, confidence);
  const second = wilson(s2, n2, confidence);
  if (!first || !second) return null;
  const p1 = s1 / n1;
  const p2 = s2 / n2;
  const difference = p1 - p2;
  return {
    difference,
    low: difference - Math.hypot(p1 - first.low, second.high - p2),
    high: difference + Math.hypot(first.high - p1, p2 - second.low),
  };
}

/**
 * The difference of two proportions measured on the same items: `a` both pass, `b` only the first, `c` only the second, `d` both fail.
 * Null for no pairs.
 *
 * Reference: R. Newcombe (1998), Statistics in Medicine 17, 2635, method 10.
 */
export function newcombePaired(
  a: number,
  b: number,
  c: number,
  d: number,
  confidence = 0.95,
): DifferenceInterval | null {
  for (const [name, value] of Object.entries({ a, b, c, d })) requireCount(name, value);
  const n = a + b + c + d;
  const first = wilson(a + b, n, confidence);
  const second = wilson(a + c, n, confidence);
  if (!first || !second) return null;
  const p1 = (a + b) / n;
  const p2 = (a + c) / n;
  const margins = (a + b) * (c + d) * (a + c) * (b + d);
  const cross = a * d - b * c;
  const corrected = cross > 0 ? Math.max(cross - n / 2, 0) : cross;
  const phi = margins === 0 ? 0 : corrected / Math.sqrt(margins);
  const reach = (x: number, y: number): number => Math.sqrt(Math.max(0, x * x - 2 * phi * x * y + y * y));
  const difference = (b - c) / n;
  return {
    difference,
    low: difference - reach(p1 - first.low, second.high - p2),
    high: difference + reach(first.high - p1, p2 - second.low),
  };
}

/**
 * The exact test of two rates measured on the same items, from the counts of pairs that differ in either direction.
 *
 * Reference: Q. McNemar (1947), Psychometrika 12, 153; mid-p: M. Fagerland et al. (2013), BMC Med. Res. Methodol. 13, 91.
 */
export function mcnemarExact(b: number, c: number): { readonly p: number; readonly midP: number } {
  requireCount("b", b);
  requireCount("c", c);
  if (b + c === 0) return { p: 1, midP: 1 };
  const { atMost, exactly } = fairCoins(Math.min(b, c), b + c);
  return { p: Math.min(1, 2 * atMost), midP: b === c ? 1 - exactly / 2 : 2 * atMost - exactly };
}

/**
 * The test of two independent proportions with a pooled variance and the normal distribution. Null if a group is empty.
 *
 * Reference: any textbook, for instance A. Agresti, "Categorical Data Analysis", chapter 3.
 */
export function twoProportionZ(
  s1: number,
  n1: number,
  s2: number,
  n2: number,
): { readonly z: number | null; readonly p: number | null } | null {
  requireTrials(["s1", "n1"], s1, n1);
  requireTrials(["s2", "n2"], s2, n2);
  if (n1 === 0 || n2 === 0) return null;
  const pooled = (s1 + s2) / (n1 + n2);
  if (pooled === 0 || pooled === 1) return { z: null, p: null };
  const z = (s1 / n1 - s2 / n2) / Math.sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n2));
  return { z, p: normalTwoSided(z) };
}
