import { METRIC_NAMES, type MetricAnswers, type MetricName } from "../../../core/templates/rubric.ts";

/** How often what was found agrees with what was expected. */
export interface MetricCounts {
  /** Expected and found. */
  readonly tp: number;
  /** Expected and missing. */
  readonly fn: number;
  /** Unexpected and found. */
  readonly fp: number;
  /** Unexpected and missing. */
  readonly tn: number;
  /** Instructions of either kind that the judge could not decide. */
  readonly unknown: { readonly expected: number; readonly unexpected: number };
}

/** Every metric; null where it is undefined or depends on what is not known. */
export type MetricValues = Readonly<Record<MetricName, number | null>>;

/** A metric, or null and why. */
interface MetricValue {
  readonly value: number | null;
  readonly reason?: string;
}

type KnownCounts = Pick<MetricCounts, "tp" | "fn" | "fp" | "tn">;

/** Numerator and denominator of each metric. */
const RATIOS: Readonly<Record<MetricName, (counts: KnownCounts) => readonly [number, number]>> = {
  precision: ({ tp, fp }) => [tp, tp + fp],
  recall: ({ tp, fn }) => [tp, tp + fn],
  // The harmonic mean of precision and recall, but 0, not undefined, for a reply that has nothing of what is listed.
  f1: ({ tp, fn, fp }) => [2 * tp, 2 * tp + fp + fn],
  specificity: ({ fp, tn }) => [tn, tn + fp],
  accuracy: ({ tp, fn, fp, tn }) => [tp + tn, tp + fn + fp + tn],
};

/** Counts the answers of a judge. */
export function metricCounts({ expected, unexpected = [] }: MetricAnswers): MetricCounts {
  const [tp, fn, unknownExpected] = tally(expected);
  const [fp, tn, unknownUnexpected] = tally(unexpected);
  return { tp, fn, fp, tn, unknown: { expected: unknownExpected, unexpected: unknownUnexpected } };
}

/**
 * A metric of the counts. An empty denominator is undefined: null, never 0. With unknown answers the metric is null
 * unless it is the same for all possible answers.
 */
export function metricValue(metric: MetricName, counts: MetricCounts): MetricValue {
  const ratio = RATIOS[metric];
  // Each metric rises or falls steadily in either unknown, so the corners bound everything in between.
  const [first, ...others] = corners(counts).map((corner) => {
    const [numerator, denominator] = ratio(corner);
    return denominator === 0 ? null : numerator / denominator;
  });
  const open = counts.unknown.expected + counts.unknown.unexpected;
  if (others.some((other) => other !== first)) {
    return {
      value: null,
      reason: `${metric} depends on ${instructions(open)} that the judge could not decide`,
    };
  }
  if (first === undefined || first === null) {
    return { value: null, reason: `${metric} is undefined: its denominator is empty` };
  }
  return { value: first };
}

/** All five metrics of the counts. */
export function metricValues(counts: MetricCounts): MetricValues {
  const values = METRIC_NAMES.map((metric) => [metric, metricValue(metric, counts).value] as const);
  // The names are those of the record.
  return Object.fromEntries(values) as MetricValues;
}

/** The counts if all unknown answers of a kind are the same, in every combination. */
function corners({ tp, fn, fp, tn, unknown }: MetricCounts): readonly KnownCounts[] {
  const expected = splits(tp, fn, unknown.expected);
  const unexpected = splits(fp, tn, unknown.unexpected);
  return expected.flatMap(([tp, fn]) => unexpected.map(([fp, tn]) => ({ tp, fn, fp, tn })));
}

function splits(found: number, missing: number, unknown: number): readonly (readonly [number, number])[] {
  if (unknown === 0) return [[found, missing]];
  return [
    [found + unknown, missing],
    [found, missing + unknown],
  ];
}

/** How many are found, missing and unknown. */
function tally(answers: readonly (boolean | null)[]): readonly [number, number, number] {
  let found = 0;
  let missing = 0;
  for (const answer of answers) {
    if (answer === true) found++;
    if (answer === false) missing++;
  }
  return [found, missing, answers.length - found - missing];
}

function instructions(count: number): string {
  return count === 1 ? "an instruction" : `${count} instructions`;
}
