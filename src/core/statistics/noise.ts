import {
  finiteOrNull,
  requireBetween0And1,
  requireCount,
  requireNumbers,
  requireObject,
  requireWithin,
} from "./arguments.ts";
import { type ClusterLabel, numberClusters } from "./clusters.ts";
import { normalQuantileUpper } from "./distributions.ts";
import { allEqual, meanOf, sum } from "./means.ts";

/** How much of the variance lies between groups and how much within them. */
export interface VarianceComponents {
  readonly between: number | null;
  readonly within: number | null;
  /** The intraclass correlation: the share that lies between groups. */
  readonly icc: number | null;
}

/**
 * Variance between and within groups, by moments. Null for an empty list.
 *
 * Reference: S. Searle, G. Casella, C. McCulloch (1992), "Variance Components", chapter 3.
 */
export function oneWayVarianceComponents(
  values: readonly number[],
  groups: readonly ClusterLabel[] | null,
): VarianceComponents | null {
  requireNumbers("values", values);
  const numbered = numberClusters(groups, values, "groups");
  const n = values.length;
  if (n === 0) return null;
  if (numbered.count === n) return { between: null, within: null, icc: null };
  if (allEqual(values)) return { between: numbered.count === 1 ? null : 0, within: 0, icc: null };
  const members: number[][] = Array.from({ length: numbered.count }, () => []);
  for (const [i, value] of values.entries()) members[numbered.of(i)]?.push(value);
  const grand = meanOf(values);
  const means = members.map(meanOf);
  const inside = members.map((list, g) => sum(list.map((value) => (value - (means[g] as number)) ** 2)));
  const within = finiteOrNull(sum(inside) / (n - numbered.count));
  if (within === null) return { between: null, within: null, icc: null };
  if (numbered.count === 1) return { between: null, within, icc: null };
  const square = sum(members.map((list, g) => list.length * ((means[g] as number) - grand) ** 2));
  const size = (n - sum(members.map((list) => list.length ** 2)) / n) / (numbered.count - 1);
  const between = finiteOrNull(Math.max(0, (square / (numbered.count - 1) - within) / size));
  if (between === null) return { between, within, icc: null };
  return { between, within, icc: between + within === 0 ? null : between / (between + within) };
}

/** What a planned comparison assumes. */
export interface DetectionPlan {
  /** The rate that is expected. */
  readonly p: number;
  readonly items: number;
  readonly replicates: number;
  /** The intraclass correlation of replicates of one item. */
  readonly icc: number;
  /** The chance of finding a difference of the size that is returned. */
  readonly power: number;
  /** The level of the two-sided test. */
  readonly alpha: number;
  /** The correlation of the two subjects' item means; 0 if they are not paired. */
  readonly correlation: number;
}

/**
 * The smallest difference of two rates that a test finds with the given power, by the normal approximation. Above 1 nothing can be
 * detected. Null without items, replicates or variance.
 *
 * Reference: E. Miller (2024), "Adding Error Bars to Evals", section on power; L. Kish (1965), "Survey Sampling", for the design effect.
 */
export function minimumDetectableDifference(plan: DetectionPlan): number | null {
  requireObject("plan", plan);
  const { p, items, replicates, icc, power, alpha, correlation } = plan;
  requireWithin("p", p, 0, 1);
  requireCount("items", items);
  requireCount("replicates", replicates);
  requireWithin("icc", icc, -1, 1);
  requireBetween0And1("power", power);
  requireBetween0And1("alpha", alpha);
  requireWithin("correlation", correlation, -1, 1);
  if (items === 0 || replicates === 0 || p === 0 || p === 1) return null;
  const variance = (p * (1 - p) * (1 + (replicates - 1) * icc)) / replicates;
  // An intraclass correlation below −1/(replicates − 1) does not exist.
  if (variance < 0) return null;
  const quantiles = normalQuantileUpper(alpha / 2) + normalQuantileUpper(1 - power);
  return quantiles * Math.sqrt((2 * variance * (1 - correlation)) / items);
}
