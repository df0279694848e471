import type { ConversationScore } from "../../journal/store/store.ts";
import { oneWayVarianceComponents, type VarianceComponents } from "../../statistics/noise.ts";
import type { RunFacts } from "./run-facts.ts";

/** Where the variance of an outcome comes from, for one subject. */
export interface NoiseLine {
  readonly subject: string;
  readonly outcome: string;
  readonly n: number;
  readonly items: number;
  readonly replicates: number;
  /** Variance between items, between replicates of an item, and between judges of the same conversation; null if unknown. */
  readonly itemVariance: number | null;
  readonly replicateVariance: number | null;
  readonly judgeVariance: number | null;
  readonly icc: number | null;
  /** The standard error of the mean now, and with twice as many items or replicates, or with judges that always agree. */
  readonly error: number | null;
  readonly moreItems: number | null;
  readonly moreReplicates: number | null;
  readonly otherJudge: number | null;
}

/** Splits the variance of every outcome of every subject. */
export function noise(scores: readonly ConversationScore[], facts: RunFacts): readonly NoiseLine[] {
  return [...Map.groupBy(scores, ({ subject }) => subject)].flatMap(([subject, own]) =>
    facts.outcomes.flatMap((outcome) => {
      const decided = own.flatMap((score) => {
        const value = score.outcomes.get(outcome);
        return typeof value === "boolean" || typeof value === "number"
          ? [{ score, value: Number(value) }]
          : [];
      });
      return decided.length === 0 ? [] : [noiseLine(subject, outcome, decided)];
    }),
  );
}

type Decided = readonly { readonly score: ConversationScore; readonly value: number }[];

function noiseLine(subject: string, outcome: string, decided: Decided): NoiseLine {
  const values = decided.map(({ value }) => value);
  const items = new Set(decided.map(({ score }) => score.item)).size;
  // The same conversation, judged by each judge of the run.
  const place = ({ item, variant, arm, replicate }: ConversationScore): string =>
    JSON.stringify([item, variant, arm, replicate]);
  const judges = new Set(decided.map(({ score }) => score.judge)).size;
  const judged: VarianceComponents | null =
    judges < 2
      ? null
      : oneWayVarianceComponents(
          values,
          decided.map(({ score }) => place(score)),
        );
  const judge = judged?.within ?? null;
  const {
    between = null,
    within = null,
    icc = null,
  } = oneWayVarianceComponents(
    values,
    decided.map(({ score }) => score.item),
  ) ?? {};
  const replicates = decided.length / items;
  const replicate = within === null ? null : Math.max(0, within - (judge ?? 0));
  const errorOf = (count: number, each: number, rest: number): number | null =>
    between === null ? null : Math.sqrt(between / count + rest / (count * each));
  return {
    ...{ subject, outcome, n: decided.length, items, replicates, icc },
    itemVariance: between,
    replicateVariance: replicate,
    judgeVariance: judge,
    error: within === null ? null : errorOf(items, replicates, within),
    moreItems: within === null ? null : errorOf(2 * items, replicates, within),
    moreReplicates: within === null ? null : errorOf(items, 2 * replicates, within),
    otherJudge:
      within === null || judge === null || replicate === null ? null : errorOf(items, replicates, replicate),
  };
}

/** What would narrow the interval most, in words. */
export function noiseAdvice({
  error,
  moreItems,
  moreReplicates,
  otherJudge,
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
  ].sort((one, other) => other.gain - one.gain);
  const [best, ...others] = choices;
  return `most would help ${best?.text}; ${others.map(({ text }) => text).join(", ")}`;
}
