import {
  requireBetween0And1,
  requireCount,
  requireNumbers,
  requireObject,
  requireSameLength,
  requireWithin,
} from "./arguments.ts";
import { type ClusterLabel, numberClusters } from "./clusters.ts";
import { allEqual, meanOf, sortedPercentile, sum } from "./means.ts";

/** Random numbers from 0 and below 1; the same seed gives the same numbers. Generator: sfc32 by C. Doty-Humphrey. */
export function seededRandom(seed: number): () => number {
  let a = seed | 0;
  let b = Math.floor(seed / 4_294_967_296) | 0;
  let c = 0x9e3779b9;
  let counter = 1;
  const next = (): number => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return (result >>> 0) / 4_294_967_296;
  };
  // Small seeds differ in few bits: the first numbers are thrown away.
  for (let i = 0; i < 20; i++) next();
  return next;
}

/**
 * The mean with a percentile interval from resampled clusters; the same seed gives the same interval. Null for an empty list.
 *
 * Reference: B. Efron (1979), Annals of Statistics 7, 1; C. Field, A. Welsh (2007), J. R. Stat. Soc. B 69, 369, for clusters.
 */
export function bootstrapMean(
  values: readonly number[],
  clusters: readonly ClusterLabel[] | null,
  options: { readonly confidence?: number; readonly resamples?: number; readonly seed?: number } = {},
): { readonly mean: number; readonly low: number | null; readonly high: number | null } | null {
  requireObject("options", options);
  const { confidence = 0.95, resamples = 10_000, seed = 1 } = options;
  requireNumbers("values", values);
  requireBetween0And1("confidence", confidence);
  requireCount("resamples", resamples, 1);
  requireWithin("seed", seed, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const groups = numberClusters(clusters, values);
  if (values.length === 0) return null;
  const mean = meanOf(values);
  if (groups.count === 1) return { mean, low: null, high: null };
  if (allEqual(values)) return { mean, low: mean, high: mean };
  const sums = new Float64Array(groups.count);
  const sizes = new Float64Array(groups.count);
  for (const [i, value] of values.entries()) {
    const group = groups.of(i);
    sums[group] = (sums[group] as number) + value;
    sizes[group] = (sizes[group] as number) + 1;
  }
  const random = seededRandom(seed);
  const means = new Float64Array(resamples);
  for (let i = 0; i < resamples; i++) {
    let total = 0;
    let size = 0;
    for (let draw = 0; draw < groups.count; draw++) {
      const group = Math.floor(random() * groups.count);
      total += sums[group] as number;
      size += sizes[group] as number;
    }
    means[i] = total / size;
  }
  means.sort();
  const tail = 50 * (1 - confidence);
  return { mean, low: sortedPercentile(means, tail), high: sortedPercentile(means, 100 - tail) };
}

/**
 * The permutation test of paired values: the share of all sign patterns of a − b whose sum is at least as far from 0. Complete for up to 12
 * pairs; beyond that from `resamples` random patterns. Null for no pairs.
 *
 * Reference: R. Fisher (1935), "The Design of Experiments"; B. Phipson, G. Smyth (2010) for the + 1.
 */
export function permutationTestPaired(
  a: readonly number[],
  b: readonly number[],
  options: { readonly resamples?: number; readonly seed?: number } = {},
): { readonly difference: number; readonly p: number } | null {
  requireObject("options", options);
  const { resamples = 10_000, seed = 1 } = options;
  requireNumbers("a", a);
  requireNumbers("b", b);
  requireSameLength(["a", "b"], a, b);
  requireCount("resamples", resamples, 1);
  if (a.length === 0) return null;
  const differences = a.map((value, i) => value - (b[i] as number));
  const far = Math.abs(sum(differences)) - 1e-12 * sum(differences.map(Math.abs));
  const difference = meanOf(differences);
  const n = differences.length;
  if (n <= 12) {
    let hits = 0;
    for (let pattern = 0; pattern < 2 ** n; pattern++) {
      const total = sum(differences.map((value, i) => ((pattern >> i) & 1 ? -value : value)));
      if (Math.abs(total) >= far) hits++;
    }
    return { difference, p: hits / 2 ** n };
  }
  const random = seededRandom(seed);
  let hits = 0;
  for (let i = 0; i < resamples; i++) {
    let total = 0;
    for (const value of differences) total += random() < 0.5 ? -value : value;
    if (Math.abs(total) >= far) hits++;
  }
  return { difference, p: (hits + 1) / (resamples + 1) };
}
