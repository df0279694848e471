import { requireBetween0And1, requireNumbers, requireObject, requireWithin } from "./arguments.ts";
import { type ClusterLabel, numberClusters } from "./clusters.ts";
import { betaQuantile, normalQuantile, studentQuantile } from "./distributions.ts";
import { meanOf } from "./means.ts";
import type { Interval } from "./proportions.ts";

/** A mean of values that have a least and a greatest value. */
export interface BoundedMean {
  readonly mean: number;
  /** Null with one cluster only. */
  readonly low: number | null;
  readonly high: number | null;
  /** The number of clusters. */
  readonly clusters: number;
  /** How many independent yes-or-no trials the values are worth. Null with one cluster only. */
  readonly effective: number | null;
}

/**
 * The mean of values between a minimum and a maximum that belong together in clusters: rates (0 and 1), counts of turns, shares. The interval
 * stays within the bounds, is never of width zero, and that of `maximum − value` is its mirror image. `trials` is the largest number of
 * independent trials that one value can be worth: 1 for 0/1, and by default the number of steps from minimum to maximum. Null for no values.
 *
 * Reference: E. Korn, B. Graubard (1998), Survey Methodology 24, 193, for the effective sample size; measured with `npm run coverage`.
 */
export function boundedMean(
  values: readonly number[],
  clusters: readonly ClusterLabel[] | null,
  options: {
    readonly minimum?: number;
    readonly maximum?: number;
    readonly trials?: number;
    readonly confidence?: number;
  } = {},
): BoundedMean | null {
  requireObject("options", options);
  const { minimum = 0, maximum = 1, confidence = 0.95 } = options;
  const { trials = Math.max(1, maximum - minimum) } = options;
  requireNumbers("values", values);
  requireBetween0And1("confidence", confidence);
  requireWithin("trials", trials, 1, Number.MAX_SAFE_INTEGER);
  requireWithin("maximum", maximum, minimum, Number.MAX_SAFE_INTEGER);
  for (const [i, value] of values.entries()) requireWithin(`values[${i}]`, value, minimum, maximum);
  const groups = numberClusters(clusters, values);
  if (values.length === 0) return null;
  const mean = meanOf(values);
  const range = maximum - minimum;
  if (groups.count < 2 || range === 0)
    return { mean, low: null, high: null, clusters: groups.count, effective: null };
  const sums = new Float64Array(groups.count);
  const sizes = new Float64Array(groups.count);
  for (const [i, value] of values.entries()) {
    const group = groups.of(i);
    sums[group] = (sums[group] as number) + (value - mean) / (range * values.length);
    sizes[group] = (sizes[group] as number) + trials;
  }
  const share = (mean - minimum) / range;
  const effective = effectiveTrials(share, { sums, sizes }, confidence);
  const { low, high } = shareInterval(share, effective, confidence);
  return {
    mean,
    low: minimum + range * low,
    high: maximum - range * (1 - high),
    clusters: groups.count,
    effective,
  };
}

/** What each cluster adds to a share, and how many trials it has. */
interface ClusterParts {
  /** By how much each cluster moves the share: they add up to 0. */
  readonly sums: Float64Array;
  readonly sizes: Float64Array;
}

/** Near 0 and 1 few clusters say how trials of one cluster belong together: this part of all clusters is assumed to be all or nothing. */
const ALL_OR_NOTHING = 0.0035;

/**
 * How many independent trials a share is worth: between the number of clusters and that of trials, by the correlation within clusters. The
 * correlation is taken larger the fewer clusters it rests on.
 */
export function effectiveTrials(share: number, { sums, sizes }: ClusterParts, confidence: number): number {
  let [all, squaredSizes, squares, fourths] = [0, 0, 0, 0];
  for (const [i, sum] of sums.entries()) {
    const size = sizes[i] as number;
    all += size;
    squaredSizes += size * size;
    squares += sum * sum;
    fourths += sum ** 4;
  }
  /** The design effect if each cluster were all or nothing. */
  const most = squaredSizes / all;
  if (most <= 1) return all;
  const count = sums.length;
  const spread = share * (1 - share);
  const effect = spread === 0 ? 1 : ((count / (count - 1)) * squares * all) / spread;
  const found = Math.min(1, Math.max(0, (effect - 1) / (most - 1)));
  // A variance that rests on a few clusters has few degrees of freedom.
  const freedom = Math.min(
    count - 1,
    fourths === 0 ? count : Math.max(2, (2 * squares * squares) / fourths - 1),
  );
  const caution = (studentQuantile(confidence, freedom) / normalQuantile(confidence)) ** 2;
  const correlation = Math.min(1, (spread * found * caution + ALL_OR_NOTHING) / (spread + ALL_OR_NOTHING));
  return all / (1 + (most - 1) * correlation);
}

/** How far the limits move from Clopper and Pearson's towards the middle: 0.4 of a trial where the nearer bound cannot be missed. */
const LESS = 0.4;

/** The part of the error that the only limit of 0 and 1 may have: one limit can miss there, not two. */
const ONE_SIDED = 0.8;

/** The interval of a share of `n` trials, which need not be whole: between Clopper and Pearson's and Jeffreys'. */
export function shareInterval(share: number, n: number, confidence = 0.95): Interval {
  return { low: lowerLimit(share, n, confidence), high: 1 - lowerLimit(1 - share, n, confidence) };
}

function lowerLimit(share: number, n: number, confidence: number): number {
  if (share <= 0) return 0;
  if (share >= 1) return (ONE_SIDED * (1 - confidence)) ** (1 / n);
  const shift = LESS * share;
  return betaQuantile((1 - confidence) / 2, share * n + shift, (1 - share) * n + 1 - shift);
}
