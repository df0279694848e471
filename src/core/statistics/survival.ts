import { refuse, requireBetween0And1, requireList, requireSameLength, requireWithin } from "./arguments.ts";
import type { ClusterLabel } from "./clusters.ts";
import { chiSquareTail, fisherTail, normalQuantile } from "./distributions.ts";

/** Survival after one time at which something happened. */
export interface SurvivalStep {
  readonly time: number;
  readonly atRisk: number;
  readonly events: number;
  readonly survival: number;
  /** Null once no sequence is left. */
  readonly low: number | null;
  readonly high: number | null;
}

interface RiskSet {
  readonly time: number;
  readonly atRisk: number;
  readonly events: number;
}

/** The times with an event, in order, with how many were at risk. A sequence that is censored at a time is still at risk at that time. */
function riskSets(times: readonly number[], observed: readonly boolean[]): RiskSet[] {
  const order = times.map((_, i) => i).sort((i, j) => (times[i] as number) - (times[j] as number));
  const sets: RiskSet[] = [];
  for (let start = 0; start < order.length; ) {
    const time = times[order[start] as number] as number;
    let end = start;
    let events = 0;
    for (; end < order.length && times[order[end] as number] === time; end++)
      if (observed[order[end] as number]) events++;
    if (events > 0) sets.push({ time, atRisk: order.length - start, events });
    start = end;
  }
  return sets;
}

function requireTimes(times: readonly number[], observed: readonly boolean[], prefix = ""): void {
  requireSameLength([`${prefix}times`, `${prefix}observed`], times, observed);
  for (const [i, time] of times.entries()) {
    requireWithin(`${prefix}times[${i}]`, time, 0, Number.POSITIVE_INFINITY);
    if (typeof observed[i] !== "boolean") refuse(`${prefix}observed[${i}]`, "true or false", observed[i]);
  }
}

/**
 * The share that has not flipped yet, time by time, with those that were not watched to the end taken into account. Empty if nothing
 * happened.
 *
 * Reference: E. Kaplan, P. Meier (1958), J. Am. Stat. Assoc. 53, 457; interval on the log(−log) scale with Greenwood's variance.
 */
export function kaplanMeier(
  times: readonly number[],
  observed: readonly boolean[],
  confidence = 0.95,
): SurvivalStep[] {
  requireTimes(times, observed);
  requireBetween0And1("confidence", confidence);
  const z = normalQuantile(confidence);
  let survival = 1;
  let greenwood = 0;
  return riskSets(times, observed).map(({ time, atRisk, events }) => {
    if (atRisk === events) return { time, atRisk, events, survival: 0, low: null, high: null };
    survival *= 1 - events / atRisk;
    greenwood += events / (atRisk * (atRisk - events));
    const spread = (z * Math.sqrt(greenwood)) / Math.abs(Math.log(survival));
    return {
      time,
      atRisk,
      events,
      survival,
      low: survival ** Math.exp(spread),
      high: survival ** Math.exp(-spread),
    };
  });
}

/** The first time at which half or less are left. Null if that is not reached. */
export function medianSurvival(times: readonly number[], observed: readonly boolean[]): number | null {
  return kaplanMeier(times, observed).find(({ survival }) => survival <= 0.5 + 1e-12)?.time ?? null;
}

/**
 * The mean time without the event up to a horizon: the area under the survival curve. Null where the data end before the horizon.
 *
 * Reference: P. Royston, M. Parmar (2013), BMC Med. Res. Methodol. 13, 152.
 */
export function restrictedMean(
  times: readonly number[],
  observed: readonly boolean[],
  horizon: number,
): { readonly mean: number; readonly standardError: number } | null {
  requireTimes(times, observed);
  requireWithin("horizon", horizon, 0, Number.POSITIVE_INFINITY);
  if (times.length === 0) return null;
  const steps = kaplanMeier(times, observed);
  const last = times.reduce((most, time) => Math.max(most, time), 0);
  if (horizon > last && steps.at(-1)?.survival !== 0) return null;
  const within = steps.filter(({ time }) => time <= horizon);
  // From the last step to the first: the area that is left after each.
  let area = 0;
  let variance = 0;
  for (let i = within.length - 1; i >= 0; i--) {
    const { time, atRisk, events, survival } = within[i] as SurvivalStep;
    area += survival * ((within[i + 1]?.time ?? horizon) - time);
    if (events < atRisk) variance += (area * area * events) / (atRisk * (atRisk - events));
  }
  return { mean: area + (within[0]?.time ?? horizon), standardError: Math.sqrt(variance) };
}

/** One group of the log-rank test. */
export interface SurvivalGroup {
  readonly times: readonly number[];
  readonly observed: readonly boolean[];
}

/** The times with an event in any group, and the groups that were still watched at the first of them. Null if those are fewer than two. */
function comparedGroups<Group extends SurvivalGroup>(
  groups: readonly Group[],
): { readonly all: readonly RiskSet[]; readonly kept: readonly Group[] } | null {
  const all = riskSets(
    groups.flatMap(({ times }) => times),
    groups.flatMap(({ observed }) => observed),
  );
  const first = all[0]?.time;
  if (first === undefined) return null;
  const kept = groups.filter(({ times }) => times.some((time) => time >= first));
  return kept.length < 2 ? null : { all, kept };
}

/**
 * The log-rank test that all groups have the same survival. Groups that expect no event are left out. Null if fewer than two are left.
 *
 * Reference: N. Mantel (1966), Cancer Chemotherapy Reports 50, 163.
 */
export function logRank(
  groups: readonly SurvivalGroup[],
): { readonly chiSquare: number; readonly df: number; readonly p: number } | null {
  requireList("groups", groups);
  for (const [i, group] of groups.entries()) requireTimes(group?.times, group?.observed, `groups[${i}].`);
  const compared = comparedGroups(groups);
  if (compared === null) return null;
  const { all, kept } = compared;
  const size = kept.length - 1;
  const watched = kept.map(({ times, observed }) => ({
    sorted: Float64Array.from(times).sort(),
    passed: 0,
    events: new Map(riskSets(times, observed).map((set) => [set.time, set.events])),
  }));
  const excess = new Float64Array(size);
  const covariance = Array.from({ length: size }, () => new Float64Array(size));
  for (const { time, atRisk, events } of all) {
    const shares = watched.map((group) => {
      while ((group.sorted[group.passed] ?? time) < time) group.passed++;
      return (group.sorted.length - group.passed) / atRisk;
    });
    const factor = atRisk === 1 ? 0 : (events * (atRisk - events)) / (atRisk - 1);
    for (let i = 0; i < size; i++) {
      const share = shares[i] as number;
      excess[i] = (excess[i] as number) + (watched[i]?.events.get(time) ?? 0) - events * share;
      const line = covariance[i] as Float64Array;
      for (let j = 0; j < size; j++)
        line[j] = (line[j] as number) + factor * share * ((i === j ? 1 : 0) - (shares[j] as number));
    }
  }
  const chiSquare = quadraticForm(covariance, excess);
  return chiSquare === null ? null : { chiSquare, df: size, p: chiSquareTail(chiSquare, size) };
}

/** One group of the cluster-robust log-rank test: `clusters[i]` says what sequence i belongs to, in whatever group. */
export interface ClusteredSurvivalGroup extends SurvivalGroup {
  readonly clusters: readonly ClusterLabel[];
}

/**
 * The log-rank test for sequences that belong together in clusters, within groups and across them: several conversations about an item, by
 * every subject. The same observed − expected as in `logRank`, with the variance of what each cluster adds to it, and Hotelling's F for the
 * number of clusters. Null as in `logRank`, and if there are not more clusters than groups.
 *
 * Reference: E. Lee, L. Wei, D. Amato (1992), in: Survival Analysis: State of the Art, 237; H. Hotelling (1931), Ann. Math. Stat. 2, 360.
 */
export function clusteredLogRank(groups: readonly ClusteredSurvivalGroup[]): {
  readonly chiSquare: number;
  readonly df: number;
  readonly p: number;
  readonly clusters: number;
} | null {
  requireList("groups", groups);
  for (const [i, group] of groups.entries()) {
    requireTimes(group?.times, group?.observed, `groups[${i}].`);
    requireSameLength([`groups[${i}].times`, `groups[${i}].clusters`], group.times, group.clusters);
  }
  const compared = comparedGroups(groups);
  if (compared === null) return null;
  const { all, kept } = compared;
  const size = kept.length - 1;
  const sorted = kept.map(({ times }) => Float64Array.from(times).sort());
  const passed = new Int32Array(kept.length);
  /** Up to each time with an event: the sums of the hazard, and of the hazard times the share of each group. */
  const steps = all.map(({ time, atRisk, events }) => {
    const shares = sorted.map((own, i) => {
      while ((own[passed[i] as number] ?? time) < time) passed[i] = (passed[i] as number) + 1;
      return (own.length - (passed[i] as number)) / atRisk;
    });
    return { time, hazard: events / atRisk, shares };
  });
  let [hazard, shared] = [0, new Float64Array(kept.length)];
  const sums = steps.map((step) => {
    hazard += step.hazard;
    shared = shared.map((sum, i) => sum + step.hazard * (step.shares[i] as number));
    return { ...step, hazard, shared };
  });
  const byCluster = new Map<ClusterLabel, Float64Array>();
  const excess = new Float64Array(size);
  for (const [group, { times, observed, clusters }] of kept.entries())
    for (const [j, time] of times.entries()) {
      const at = sums[lastUpTo(sums, time)];
      const label = clusters[j] as ClusterLabel;
      const own = byCluster.get(label) ?? new Float64Array(size);
      byCluster.set(label, own);
      if (at === undefined) continue;
      for (let i = 0; i < size; i++) {
        const isOwn = group === i ? 1 : 0;
        const seen = observed[j] === true ? isOwn - (at.shares[i] as number) : 0;
        const residual = seen - (isOwn * at.hazard - (at.shared[i] as number));
        own[i] = (own[i] as number) + residual;
        excess[i] = (excess[i] as number) + residual;
      }
    }
  const count = byCluster.size;
  if (count <= size + 1) return null;
  const covariance = Array.from({ length: size }, () => new Float64Array(size));
  for (const own of byCluster.values())
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++) {
        const line = covariance[i] as Float64Array;
        const [one, other] = [own[i] as number, own[j] as number];
        const centred = (one - (excess[i] as number) / count) * (other - (excess[j] as number) / count);
        line[j] = (line[j] as number) + (count / (count - 1)) * centred;
      }
  const chiSquare = quadraticForm(covariance, excess);
  if (chiSquare === null) return null;
  const p = fisherTail((chiSquare * (count - size)) / ((count - 1) * size), size, count - size);
  return { chiSquare, df: size, p, clusters: count };
}

/** The position of the last entry whose time is not after another; −1 if there is none. */
function lastUpTo(entries: readonly { readonly time: number }[], time: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.time ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** vᵀ·M⁻¹·v of a symmetric positive matrix, by Cholesky's decomposition. Null if M has no inverse. */
function quadraticForm(matrix: readonly Float64Array[], vector: Float64Array): number | null {
  const size = vector.length;
  const root = matrix.map((line) => Float64Array.from(line));
  const solved = new Float64Array(size);
  let form = 0;
  for (let i = 0; i < size; i++) {
    const line = root[i] as Float64Array;
    const diagonal = line[i] as number;
    for (let j = 0; j <= i; j++) {
      const other = root[j] as Float64Array;
      let rest = line[j] as number;
      for (let k = 0; k < j; k++) rest -= (line[k] as number) * (other[k] as number);
      if (j < i) line[j] = rest / (other[j] as number);
      else if (rest <= 1e-12 * diagonal) return null;
      else line[i] = Math.sqrt(rest);
    }
    let rest = vector[i] as number;
    for (let k = 0; k < i; k++) rest -= (line[k] as number) * (solved[k] as number);
    solved[i] = rest / (line[i] as number);
    form += (solved[i] as number) ** 2;
  }
  return form;
}
