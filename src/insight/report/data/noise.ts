import { mean } from "../../../core/statistics/means.ts";
import { oneWayVarianceComponents } from "../../../core/statistics/noise.ts";
import type { ConversationScore } from "../../../engine/journal/store/store.ts";
import { groupedScores, grouper, groupName, withinSubject } from "./grouping.ts";
import { cellOf } from "./rate-line.ts";
import type { RunFacts } from "./run-facts.ts";

/** Where the variance of an outcome comes from, for one subject. */
export interface NoiseLine {
  /** With groups, their values after it. */
  readonly subject: string;
  readonly outcome: string;
  readonly n: number;
  readonly items: number;
  /** Variants (and arms of forks) per item. */
  readonly variants: number;
  /** Conversations per item, variant and simulator, each counted once however many judges it had. */
  readonly replicates: number;
  /**
   * Variance between items, between variants of an item (beyond what a variant changes on the whole), between simulators, between replicates, and between judges of the same conversation; null if
   * unknown, or if there is only one.
   */
  readonly itemVariance: number | null;
  /** With one replicate of each variant, the variance of replicates is in it. */
  readonly variantVariance: number | null;
  readonly simulatorVariance: number | null;
  readonly replicateVariance: number | null;
  readonly judgeVariance: number | null;
  /** How many simulators played the user, and how many judges read replies. */
  readonly simulators: number;
  readonly judges: number;
  readonly icc: number | null;
  /** The standard error of the mean now, and with twice as many items or replicates, with judges or simulators that always agree. */
  readonly error: number | null;
  readonly moreItems: number | null;
  readonly moreReplicates: number | null;
  readonly otherJudge: number | null;
  readonly otherSimulator: number | null;
}

/** A conversation, with the run that it is of and the model that played its user. */
export interface NoisyScore {
  readonly score: ConversationScore;
  readonly run: string;
  /** Null without a simulated user. */
  readonly simulator: string | null;
}

/** Splits the variance of every outcome of every subject, or of every group of a subject. */
export function noise(
  scores: readonly NoisyScore[],
  facts: RunFacts,
  by: readonly string[] = [],
): readonly NoiseLine[] {
  const all = scores.map(({ score }) => score);
  const noisyOf = new Map(scores.map((noisy) => [noisy.score, noisy]));
  // Judges are not groups here, but a part of the noise.
  const groups = groupedScores(all, grouper(withinSubject(by, []), all, facts));
  return groups.flatMap(({ group, members }) =>
    facts.outcomes.flatMap((outcome) => {
      if (facts.hidden?.has(outcome)) return [];
      const decided = members.flatMap((score) => {
        const noisy = noisyOf.get(score) as NoisyScore;
        const value = noisy.score.outcomes.get(outcome);
        return typeof value === "boolean" || typeof value === "number"
          ? [{ ...noisy, value: Number(value) }]
          : [];
      });
      return decided.length === 0 ? [] : [noiseLine(groupName(group), outcome, decided)];
    }),
  );
}

interface Decided extends NoisyScore {
  readonly value: number;
}

/**
 * A nested split by moments: judgements within conversations, conversations within variants of an item, variants within simulators,
 * simulators within items. The mean of what belongs together is a value of the level above, whose variance has the share of the level
 * below in it.
 */
function noiseLine(subject: string, outcome: string, decided: readonly Decided[]): NoiseLine {
  const itemOf = ({ score: { item } }: NoisyScore): string => item;
  const playedOf = ({ score: { item }, simulator }: NoisyScore): string => JSON.stringify([item, simulator]);
  const variantOf = (one: NoisyScore): string => JSON.stringify([playedOf(one), cellOf(one.score)]);
  const placeOf = (one: NoisyScore): string => JSON.stringify([one.run, variantOf(one), one.score.replicate]);
  const count = (keyOf: (one: NoisyScore) => string): number => new Set(decided.map(keyOf)).size;
  const [items, places] = [count(itemOf), count(placeOf)];
  const judges = count(({ score }) => score.judge);
  const simulators = count(({ simulator }) => String(simulator));
  const variants = count(variantOf) / count(playedOf);
  const judged = split(withoutFactors(decided), placeOf);
  const repeated = split(judged.means, variants > 1 ? variantOf : simulators > 1 ? playedOf : itemOf, judged);
  const varied = variants > 1 ? split(repeated.means, simulators > 1 ? playedOf : itemOf, repeated) : null;
  const played = simulators > 1 ? split((varied ?? repeated).means, itemOf, varied ?? repeated) : null;
  const { between } = played ?? varied ?? repeated;
  const judge = judges < 2 ? null : judged.own;
  const [replicate, variant] = [repeated.own, varied?.own ?? null];
  const simulator = (varied ?? repeated).within === null ? null : (played?.own ?? null);
  const errorOf = (change: {
    readonly items?: number;
    readonly replicates?: number;
    readonly judge?: number;
    readonly simulator?: number;
  }): number | null => {
    if (between === null || (replicate === null && variant === null)) return null;
    const more = change.items ?? 1;
    const each = places * more * (change.replicates ?? 1);
    return Math.sqrt(
      between / (items * more) +
        (change.simulator ?? simulator ?? 0) / (items * more * simulators) +
        (variant ?? 0) / (items * more * simulators * variants) +
        (replicate ?? 0) / each +
        (change.judge ?? judge ?? 0) / ((each * decided.length) / places),
    );
  };
  return {
    ...{ subject, outcome, n: decided.length, items, variants, simulators, judges },
    replicates: places / count(variantOf),
    itemVariance: between,
    variantVariance: variant,
    simulatorVariance: simulator,
    replicateVariance: replicate,
    judgeVariance: judge,
    icc: shareOf(between, [variant, simulator, replicate, judge]),
    error: errorOf({}),
    moreItems: errorOf({ items: 2 }),
    moreReplicates: replicate === null ? null : errorOf({ replicates: 2 }),
    otherJudge: judge === null ? null : errorOf({ judge: 0 }),
    otherSimulator: simulator === null ? null : errorOf({ simulator: 0 }),
  };
}

/** Levels of factors and arms are chosen, not drawn: what they change on the whole is no noise. */
function withoutFactors(decided: readonly Decided[]): readonly Decided[] {
  const cellOf = ({ score: { variant, arm } }: NoisyScore): string => JSON.stringify([variant, arm]);
  const cells = Map.groupBy(decided, cellOf);
  if (cells.size < 2) return decided;
  const means = new Map([...cells].map(([cell, own]) => [cell, mean(own.map(({ value }) => value)) ?? 0]));
  return decided.map((one) => ({ ...one, value: one.value - (means.get(cellOf(one)) ?? 0) }));
}

/** Values in groups: their variance between and within groups, and the means of the groups. */
interface Split {
  readonly between: number | null;
  readonly within: number | null;
  /** What of the variance within groups does not come from the level below. */
  readonly own: number | null;
  /** The mean of 1 / the size of a group. */
  readonly share: number;
  readonly means: readonly Decided[];
}

function split(values: readonly Decided[], groupOf: (one: NoisyScore) => string, below?: Split): Split {
  const groups = [...Map.groupBy(values, groupOf).values()];
  const found = oneWayVarianceComponents(
    values.map(({ value }) => value),
    values.map(groupOf),
  );
  const within = found?.within ?? null;
  return {
    between: found?.between ?? null,
    within,
    own: within === null ? null : Math.max(0, within - (below?.within ?? 0) * (below?.share ?? 0)),
    share: mean(groups.map((own) => 1 / own.length)) ?? 1,
    means: groups.map((own) => ({
      ...(own[0] as Decided),
      value: mean(own.map(({ value }) => value)) ?? 0,
    })),
  };
}

/** The share of items in the whole variance. */
function shareOf(items: number | null, others: readonly (number | null)[]): number | null {
  if (items === null) return null;
  const whole = others.reduce<number>((sum, one) => sum + (one ?? 0), items);
  return whole === 0 ? null : items / whole;
}
