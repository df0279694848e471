import type { ConversationScore } from "../../journal/store/store.ts";
import { mean } from "../../statistics/means.ts";
import { oneWayVarianceComponents } from "../../statistics/noise.ts";
import { printableText } from "../../terminal/printable-text.ts";
import { linesText, wrapText } from "../../terminal/text-layout.ts";
import { meanText, NOTHING } from "../text/figures.ts";
import type { TextOptions } from "../text/text-blocks.ts";
import type { RunFacts } from "./run-facts.ts";

/** Where the variance of an outcome comes from, for one subject. */
export interface NoiseLine {
  readonly subject: string;
  readonly outcome: string;
  readonly n: number;
  readonly items: number;
  /** Conversations per item, each counted once however many judges it had. */
  readonly replicates: number;
  /**
   * Variance between items, between simulators of an item, between replicates, and between judges of the same conversation; null if
   * unknown, or if there is only one.
   */
  readonly itemVariance: number | null;
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

/** Splits the variance of every outcome of every subject. */
export function noise(scores: readonly NoisyScore[], facts: RunFacts): readonly NoiseLine[] {
  return [...Map.groupBy(scores, ({ score }) => score.subject)].flatMap(([subject, own]) =>
    facts.outcomes.flatMap((outcome) => {
      const decided = own.flatMap((noisy) => {
        const value = noisy.score.outcomes.get(outcome);
        return typeof value === "boolean" || typeof value === "number"
          ? [{ ...noisy, value: Number(value) }]
          : [];
      });
      return decided.length === 0 ? [] : [noiseLine(subject, outcome, decided)];
    }),
  );
}

interface Decided extends NoisyScore {
  readonly value: number;
}

/** Values that belong together, with the group that they are part of. */
interface Level {
  readonly value: number;
  readonly of: string;
}

/**
 * A nested split by moments: judgements within conversations, conversations within simulators, simulators within items. The mean of what
 * belongs together is a value of the level above, whose variance has the share of the level below in it.
 */
function noiseLine(subject: string, outcome: string, decided: readonly Decided[]): NoiseLine {
  const rest = withoutFactors(decided);
  const itemOf = ({ score: { item } }: NoisyScore): string => item;
  const playedOf = ({ score: { item }, simulator }: NoisyScore): string => JSON.stringify([item, simulator]);
  const placeOf = ({ run, score: { item, variant, arm, replicate } }: NoisyScore): string =>
    JSON.stringify([run, item, variant, arm, replicate]);
  const judges = new Set(decided.map(({ score }) => score.judge)).size;
  const simulators = new Set(decided.map(({ simulator }) => simulator)).size;
  const places = levelOf(rest, placeOf, simulators > 1 ? playedOf : itemOf);
  const judge = judges < 2 ? null : (split(rest.map((one) => ({ ...one, of: placeOf(one) }))).within ?? null);
  const { within: perPlace, below } = split(places.values);
  const replicate = perPlace === null ? null : Math.max(0, perPlace - (judge ?? 0) * places.share);
  const played = simulators > 1 ? levelOf(rest, playedOf, itemOf, placeOf) : null;
  const top = split(played?.values ?? places.values);
  const simulator =
    played === null || top.within === null || perPlace === null
      ? null
      : Math.max(0, top.within - perPlace * below);
  const items = new Set(decided.map(itemOf)).size;
  const replicates = places.values.length / items;
  const perItem = decided.length / places.values.length;
  const errorOf = (change: {
    readonly items?: number;
    readonly replicates?: number;
    readonly judge?: number;
    readonly simulator?: number;
  }): number | null => {
    if (top.between === null || replicate === null) return null;
    const count = items * (change.items ?? 1);
    const each = count * replicates * (change.replicates ?? 1);
    return Math.sqrt(
      top.between / count +
        (change.simulator ?? simulator ?? 0) / (count * simulators) +
        replicate / each +
        (change.judge ?? judge ?? 0) / (each * perItem),
    );
  };
  return {
    ...{ subject, outcome, n: decided.length, items, replicates, simulators, judges },
    itemVariance: top.between,
    simulatorVariance: simulator,
    replicateVariance: replicate,
    judgeVariance: judge,
    icc: shareOf(top.between, [simulator, replicate, judge]),
    error: errorOf({}),
    moreItems: errorOf({ items: 2 }),
    moreReplicates: errorOf({ replicates: 2 }),
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

/** The means of what belongs together, and the mean of 1 / how many that is. With `within`, means of means. */
function levelOf(
  decided: readonly Decided[],
  keyOf: (one: NoisyScore) => string,
  groupOf: (one: NoisyScore) => string,
  within?: (one: NoisyScore) => string,
): { readonly values: readonly Level[]; readonly share: number } {
  const groups = [...Map.groupBy(decided, keyOf).values()];
  const values = groups.map((own): Level => {
    const parts = within === undefined ? own : levelOf(own, within, keyOf).values;
    return { value: mean(parts.map(({ value }) => value)) ?? 0, of: groupOf(own[0] as Decided) };
  });
  return { values, share: mean(groups.map((own) => 1 / own.length)) ?? 1 };
}

/** Variance between and within groups; `below` is the mean of 1 / the size of a group. */
function split(values: readonly Level[]): {
  readonly between: number | null;
  readonly within: number | null;
  readonly below: number;
} {
  const groups = values.map(({ of }) => of);
  const found = oneWayVarianceComponents(
    values.map(({ value }) => value),
    groups,
  );
  const sizes = Map.groupBy(groups, (group) => group).values();
  const below = mean([...sizes].map((own) => 1 / own.length)) ?? 1;
  return { between: found?.between ?? null, within: found?.within ?? null, below };
}

/** The share of items in the whole variance. */
function shareOf(items: number | null, others: readonly (number | null)[]): number | null {
  if (items === null) return null;
  const whole = others.reduce<number>((sum, one) => sum + (one ?? 0), items);
  return whole === 0 ? null : items / whole;
}

/** Where the noise of each outcome comes from, and what would narrow its interval most. */
export function noiseText(lines: readonly NoiseLine[], { style, width }: TextOptions): string {
  if (lines.length === 0) return "No outcome is decided.\n";
  const share = (part: number | null, whole: number): string =>
    part === null ? NOTHING : whole === 0 ? "0 %" : `${Math.round((100 * part) / whole)} %`;
  return linesText(
    lines.flatMap((line) => {
      const parts = [
        { name: "items", variance: line.itemVariance },
        { name: "replicates", variance: line.replicateVariance },
        ...(line.simulators < 2 ? [] : [{ name: "simulators", variance: line.simulatorVariance }]),
        ...(line.judges < 2 ? [] : [{ name: "judges", variance: line.judgeVariance }]),
      ];
      const whole = parts.reduce<number>((sum, { variance }) => sum + (variance ?? 0), 0);
      const split =
        line.itemVariance === null
          ? "the variance cannot be split"
          : `variance ${meanText(whole)}: ${parts.map(({ name, variance }) => `${name} ${share(variance, whole)}`).join(", ")}; standard error ${meanText(line.error)}`;
      return [
        style.bold(`${printableText(line.outcome)}, ${printableText(line.subject)}`),
        ...wrapText(`${split}.`, width - 2).map((text) => `  ${text}`),
        ...wrapText(
          line.error === 0
            ? "All conversations came out the same: nothing can be narrowed."
            : `To narrow the interval: ${noiseAdvice(line)}.`,
          width - 2,
        ).map((text) => `  ${text}`),
      ];
    }),
  );
}

/** What would narrow the interval most, in words. */
export function noiseAdvice({
  error,
  moreItems,
  moreReplicates,
  otherJudge,
  otherSimulator,
  items,
  replicates,
}: NoiseLine): string {
  if (items < 2) return "one item only: more items are needed before anything can be said";
  if (error === null || moreItems === null || moreReplicates === null)
    return replicates <= 1
      ? "one conversation per item: what replicates would add is not known; run with --replicates 3"
      : "not known";
  if (error === 0) return "no variance: all conversations came out the same";
  const gain = (other: number): number => Math.round(100 * (1 - other / error));
  const choices = [
    { text: `twice as many items (${gain(moreItems)} % narrower)`, gain: gain(moreItems) },
    { text: `twice as many replicates (${gain(moreReplicates)} % narrower)`, gain: gain(moreReplicates) },
    ...(otherJudge === null
      ? []
      : [
          {
            text: `a judge that agrees with itself (${gain(otherJudge)} % narrower)`,
            gain: gain(otherJudge),
          },
        ]),
    ...(otherSimulator === null
      ? []
      : [
          {
            text: `simulators that play alike (${gain(otherSimulator)} % narrower)`,
            gain: gain(otherSimulator),
          },
        ]),
  ].sort((one, other) => other.gain - one.gain);
  const [best, ...others] = choices;
  return `most would help ${best?.text}; ${others.map(({ text }) => text).join(", ")}`;
}
