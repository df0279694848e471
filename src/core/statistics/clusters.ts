import { finiteOrNull, refuse, requireBetween0And1, requireNumbers, requireSameLength } from "./arguments.ts";
import { studentQuantile, studentTwoSided } from "./distributions.ts";
import { allEqual, meanOf, sum } from "./means.ts";
import { scoreInterval } from "./proportions.ts";

/** The name of the cluster that a value belongs to, for instance of its item. */
export type ClusterLabel = string | number;

/** A mean with its cluster-robust error and interval. */
export interface ClusteredMean {
  readonly mean: number;
  /** Null with one cluster only. */
  readonly standardError: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** The number of clusters. */
  readonly clusters: number;
}

/** The clusters as numbers from 0, in order of appearance. `null` puts each value in a cluster of its own. */
export function numberClusters(
  clusters: readonly ClusterLabel[] | null,
  values: readonly unknown[],
  name = "clusters",
): { readonly of: (i: number) => number; readonly count: number } {
  if (clusters === null) return { of: (i) => i, count: values.length };
  requireSameLength(["values", name], values, clusters);
  const numbers = new Map<ClusterLabel, number>();
  const ofValue = new Int32Array(clusters.length);
  for (const [i, label] of clusters.entries()) {
    if (typeof label !== "string" && !Number.isFinite(label))
      refuse(`${name}[${i}]`, "a text or a number", label);
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    ofValue[i] = numbers.get(label) as number;
  }
  return { of: (i) => ofValue[i] as number, count: numbers.size };
}

/**
 * The mean over values that belong together in clusters, with the cluster-robust standard error and Student's t on clusters − 1. With one
 * value per cluster this is the usual standard error. Null for an empty list.
 *
 * Reference: E. Miller (2024), "Adding Error Bars to Evals"; K.-Y. Liang, S. Zeger (1986), Biometrika 73, 13.
 */
export function clusteredMean(
  values: readonly number[],
  clusters: readonly ClusterLabel[] | null,
  confidence = 0.95,
): ClusteredMean | null {
  requireNumbers("values", values);
  requireBetween0And1("confidence", confidence);
  const groups = numberClusters(clusters, values);
  if (values.length === 0) return null;
  const mean = meanOf(values);
  const error = clusterError(values, mean, groups);
  const reach = error === null ? null : studentQuantile(confidence, groups.count - 1) * error;
  return {
    mean,
    standardError: error,
    low: reach === null ? null : mean - reach,
    high: reach === null ? null : mean + reach,
    clusters: groups.count,
  };
}

function clusterError(
  values: readonly number[],
  mean: number,
  groups: { readonly of: (i: number) => number; readonly count: number },
): number | null {
  if (groups.count < 2) return null;
  // The mean is rounded: with a large common offset, what it misses counts in a large cluster.
  const offsets = values.map((value) => value - mean);
  const drift = sum(offsets) / values.length;
  const sums = new Float64Array(groups.count);
  for (const [i, offset] of offsets.entries()) {
    const group = groups.of(i);
    sums[group] = (sums[group] as number) + (offset - drift);
  }
  const squares = sum(sums.map((total) => (total / values.length) ** 2));
  return finiteOrNull(Math.sqrt((groups.count / (groups.count - 1)) * squares));
}

/** A difference of paired values with its cluster-robust interval and test. */
export interface PairedDifference {
  readonly difference: number;
  readonly standardError: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly t: number | null;
  readonly p: number | null;
  /** Pearson's correlation of the two lists. Null if one of them is constant. */
  readonly correlation: number | null;
}

/**
 * The mean of a − b over pairs that belong together in clusters, with the test of no difference. Null for no pairs.
 *
 * Reference: E. Miller (2024), "Adding Error Bars to Evals", section on paired differences.
 */
export function pairedDifference(
  a: readonly number[],
  b: readonly number[],
  clusters: readonly ClusterLabel[] | null,
  confidence = 0.95,
): PairedDifference | null {
  requireNumbers("a", a);
  requireNumbers("b", b);
  requireSameLength(["a", "b"], a, b);
  const differences = a.map((value, i) => value - (b[i] as number));
  const result = clusteredMean(differences, clusters, confidence);
  if (!result) return null;
  const largest = differences.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const exact = result.standardError !== null && result.standardError <= 1e-12 * largest;
  const error = exact ? 0 : result.standardError;
  const t = error ? result.mean / error : null;
  return {
    difference: result.mean,
    standardError: error,
    low: exact ? result.mean : result.low,
    high: exact ? result.mean : result.high,
    t,
    p: t === null ? null : studentTwoSided(t, result.clusters - 1),
    correlation: correlation(a, b),
  };
}

/** Pearson's correlation. Null if either list is constant or empty. */
function correlation(a: readonly number[], b: readonly number[]): number | null {
  if (a.length < 2 || allEqual(a) || allEqual(b)) return null;
  const meanA = meanOf(a);
  const meanB = meanOf(b);
  const offsetsA = a.map((value) => value - meanA);
  const offsetsB = b.map((value) => value - meanB);
  const squaresA = sum(offsetsA.map((value) => value * value));
  const squaresB = sum(offsetsB.map((value) => value * value));
  const products = sum(offsetsA.map((value, i) => value * (offsetsB[i] as number)));
  const below = Math.sqrt(squaresA) * Math.sqrt(squaresB);
  return below > 0 ? Math.max(-1, Math.min(1, products / below)) : null;
}

/** A rate over clusters of conversations with its interval. */
export interface ClusteredRate {
  readonly rate: number;
  /** Null with one cluster only. */
  readonly low: number | null;
  readonly high: number | null;
  /** The number of clusters. */
  readonly clusters: number;
  /** How many independent trials the values are worth. Null with one cluster only. */
  readonly effective: number | null;
}

/**
 * The rate of 0/1 values that belong together in clusters: Wilson's formula with the effective number of trials, and Student's t on
 * clusters − 1. Its limits stay within 0 and 1. With one value per cluster use `wilson`. Null for an empty list.
 *
 * Reference: E. Korn, B. Graubard (1998), Survey Methodology 24, 193, for the effective sample size.
 */
export function clusteredWilson(
  values: readonly number[],
  clusters: readonly ClusterLabel[] | null,
  confidence = 0.95,
): ClusteredRate | null {
  requireNumbers("values", values);
  for (const [i, value] of values.entries())
    if (value !== 0 && value !== 1) refuse(`values[${i}]`, "0 or 1", value);
  requireBetween0And1("confidence", confidence);
  const groups = numberClusters(clusters, values);
  if (values.length === 0) return null;
  const rate = meanOf(values);
  const error = clusterError(values, rate, groups);
  if (error === null) return { rate, low: null, high: null, clusters: groups.count, effective: null };
  const spread = rate * (1 - rate);
  // Equal means in every cluster give an error of 0, up to rounding: then each value counts.
  const effective = spread === 0 ? groups.count : Math.min(values.length, spread / (error * error));
  const interval = scoreInterval(rate, effective, studentQuantile(confidence, groups.count - 1));
  return { rate, ...interval, clusters: groups.count, effective };
}
