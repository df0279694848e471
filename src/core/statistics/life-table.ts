import { refuse, requireBetween0And1, requireList, requireSameLength } from "./arguments.ts";
import { effectiveTrials, shareInterval } from "./bounded-mean.ts";
import { type ClusteredRate, type ClusterLabel, numberClusters } from "./clusters.ts";

/** How far a sequence was seen: it lasted to its end, or ended wrong, or could not be followed any further, at a turn. */
export interface Followed {
  /** The turn, from 1, of the first wrong answer or of the first that could not be read. Null if it lasted to its end. */
  readonly at: number | null;
  /** True if the turn was wrong, false if it could not be read. */
  readonly wrong: boolean;
}

/**
 * The rate of sequences that last to their end, from every turn that could be read: the product over turns of the share that stays right
 * among those still followed. Sequences that cannot be followed any further leave the table at that turn, and count neither as lasting nor
 * as lost. Without such sequences it is the plain rate. The interval is that of `boundedMean`, with the sequences whose end is known as
 * trials. Null for an empty list, and if none could be followed to its end.
 *
 * Reference: E. Kaplan, P. Meier (1958), J. Am. Stat. Assoc. 53, 457; cluster-robust error by the influence of each sequence.
 */
export function lifeTableRate(
  sequences: readonly Followed[],
  clusters: readonly ClusterLabel[] | null,
  confidence = 0.95,
): ClusteredRate | null {
  requireBetween0And1("confidence", confidence);
  requireList("sequences", sequences);
  for (const [i, { at }] of sequences.entries())
    if (at !== null && !(Number.isSafeInteger(at) && at >= 1))
      refuse(`sequences[${i}].at`, "a whole number from 1 and up, or null", at);
  if (clusters !== null) requireSameLength(["sequences", "clusters"], sequences, clusters);
  const groups = numberClusters(clusters, sequences);
  const table = lifeTableInfluence(sequences);
  if (table === null) return null;
  const { rate, influence } = table;
  const sums = new Float64Array(groups.count);
  const sizes = new Float64Array(groups.count);
  for (const [i, own] of influence.entries()) {
    const group = groups.of(i);
    const { at, wrong } = sequences[i] as Followed;
    sums[group] = (sums[group] as number) + own;
    if (at === null || wrong) sizes[group] = (sizes[group] as number) + 1;
  }
  if (sizes.filter((size) => size > 0).length < 2)
    return { rate, low: null, high: null, clusters: groups.count, effective: null };
  const effective = effectiveTrials(rate, { sums, sizes }, confidence);
  return { rate, ...shareInterval(rate, effective, confidence), clusters: groups.count, effective };
}

/** The rate of a life table, and by how much each sequence moves it. Null as in `lifeTableRate`. */
export function lifeTableInfluence(
  sequences: readonly Followed[],
): { readonly rate: number; readonly influence: Float64Array } | null {
  if (sequences.length === 0) return null;
  const last = sequences.reduce((most, { at }) => Math.max(most, at ?? 0), 0);
  const wrong = new Float64Array(last + 2);
  const leaving = new Float64Array(last + 2);
  for (const { at, wrong: isWrong } of sequences) {
    if (at === null) continue;
    const counts = isWrong ? wrong : leaving;
    counts[at] = (counts[at] as number) + 1;
  }
  // A sequence that cannot be read at a turn is not at risk at that turn.
  let atRisk = sequences.length;
  let rate = 1;
  /** What a sequence that was followed up to a turn adds to the influence, summed over turns. */
  const followed = new Float64Array(last + 2);
  const lost = new Float64Array(last + 2);
  for (let turn = 1; turn <= last; turn++) {
    atRisk -= leaving[turn] as number;
    const events = wrong[turn] as number;
    const before = followed[turn - 1] as number;
    followed[turn] = before;
    if (atRisk === 0) break;
    const hazard = events / atRisk;
    rate *= 1 - hazard;
    if (hazard < 1) {
      followed[turn] = before + hazard / (atRisk * (1 - hazard));
      lost[turn] = 1 / (atRisk * (1 - hazard));
    }
    atRisk -= events;
  }
  // No sequence was followed to the end: the data do not say how many would have lasted.
  if (rate > 0 && sequences.every(({ at }) => at !== null)) return null;
  const influence = Float64Array.from(sequences, ({ at, wrong: isWrong }) => {
    const end = at === null ? last : isWrong ? at : at - 1;
    return rate * ((followed[end] as number) - (isWrong && at !== null ? (lost[at] as number) : 0));
  });
  return { rate, influence };
}
