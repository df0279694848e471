import { requireBetween0And1, requireCount, requireNumbers, requireWithin } from "./arguments.ts";
import { type ClusterLabel, numberClusters } from "./clusters.ts";
import { allEqual, meanOf, sortedPercentile } from "./means.ts";
import { seededRandom } from "./seeded-random.ts";

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
