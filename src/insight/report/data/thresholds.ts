import { gateProblem } from "../../../core/outcomes/rate.ts";
import { countStatuses, isInterrupted } from "../../../core/state/state.ts";
import type { Comparison } from "./compare-sides.ts";
import type { ComparisonLine } from "./comparison.ts";
import type { RateLine } from "./rate-line.ts";
import type { RunRates } from "./run-rates.ts";

/** The least value of an outcome: of its rate, of the lower bound of the rate's interval, or of the mean of a number. */
export interface Threshold {
  readonly outcome: string;
  readonly minimum: number;
  readonly by: "rate" | "lower";
}

const FORM = /^(?<outcome>.*?)\s*(?:>=|=)\s*(?<value>[^=]*)$/s;
const VALUE = /^(?<digits>[+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*(?<percent>%)?\s*(?::\s*(?<by>\w*))?$/;

/**
 * Parses a threshold; returns a sentence if it is wrong.
 *
 * @example
 * parseThreshold("resisted=90%:lower") // { outcome: "resisted", minimum: 0.9, by: "lower" }
 */
export function parseThreshold(text: string): Threshold | string {
  const quoted = JSON.stringify(text);
  const { outcome = "", value = "" } = FORM.exec(text.trim())?.groups ?? {};
  const { digits, percent, by = "rate" } = VALUE.exec(value.trim())?.groups ?? {};
  if (outcome === "" || digits === undefined)
    return `The threshold ${quoted} must be an outcome and what it must reach: resisted=0.9, resisted=90% or resisted=0.9:lower.`;
  if (by !== "rate" && by !== "lower")
    return `The threshold ${quoted} can be compared with "rate" or with "lower", the lower bound of the 95 % interval, but not with ${JSON.stringify(by)}.`;
  const minimum = shareOf(digits, percent);
  if (percent !== undefined && (minimum < 0 || minimum > 1))
    return `The threshold ${quoted} must lie between 0 % and 100 %.`;
  return { outcome, minimum, by };
}

/** As an exponent, not as a division: 99.9 / 100 is more than 0.999. */
function shareOf(digits: string, percent: string | undefined): number {
  return Number(percent === undefined ? digits : `${digits}e-2`);
}

/** How much worse than its baseline an outcome may be. */
export interface WorseLimit {
  readonly outcome: string;
  /** A share for rates, an amount for means; not negative. */
  readonly margin: number;
  /** `interval`: worse only if the whole interval of the difference is; `point`: if the difference itself is. */
  readonly by: "interval" | "point";
}

const LIMIT =
  /^(?<outcome>.+?)\s*=\s*(?<digits>\d+(?:\.\d*)?|\.\d+)\s*(?<percent>%)?\s*(?::\s*(?<by>\w*))?$/s;

/**
 * Parses a limit; returns a sentence if it is wrong.
 *
 * @example
 * parseWorseLimit("resisted=5%") // { outcome: "resisted", margin: 0.05, by: "interval" }
 */
export function parseWorseLimit(text: string): WorseLimit | string {
  const { outcome, digits, percent, by = "interval" } = LIMIT.exec(text.trim())?.groups ?? {};
  if (outcome === undefined || digits === undefined)
    return `The limit ${JSON.stringify(text)} must be an outcome and how much worse it may be: resisted=0.05 or resisted=5%.`;
  if (by !== "interval" && by !== "point")
    return `The limit ${JSON.stringify(text)} can be compared with "interval" or with "point", but not with ${JSON.stringify(by)}.`;
  return { outcome, margin: shareOf(digits, percent), by };
}

/** What a threshold was compared with. */
export type TestedValue =
  /** The run has no such outcome, but these. */
  | { readonly kind: "unknown"; readonly outcomes: readonly string[] }
  | { readonly kind: "line"; readonly line: RateLine }
  | {
      readonly kind: "difference";
      readonly limit: WorseLimit;
      /** Undefined if the two have the outcome in no common conversation. */
      readonly line: ComparisonLine | undefined;
      readonly isWorse: boolean;
      /** True if less is better. */
      readonly isBad: boolean;
    };

/** Whether a subject reaches a threshold. */
export interface ThresholdResult extends Omit<Threshold, "by"> {
  /** `difference`: compared with a baseline. */
  readonly by: Threshold["by"] | "difference";
  /** Null if the run has no such outcome: then there is one result for all. */
  readonly subject: string | null;
  readonly judge: string | null;
  /** What was compared; null if there is nothing. */
  readonly actual: number | null;
  readonly n: number;
  readonly passed: boolean;
  /** True if the comparison with the baseline can show nothing, so that the gate itself must be changed. */
  readonly cannotDecide?: true;
  readonly tested: TestedValue;
  /** Why the value is not enough, however good it is: too few conversations are decided. */
  readonly problem?: string;
}

/**
 * Compares thresholds with the results of a run. What is unknown never passes, nor does what is known of too few conversations:
 * the share of decided ones must be `minDecided`, and none may have been cut short.
 */
export function testThresholds(
  rates: RunRates,
  thresholds: readonly Threshold[],
  minDecided: number,
): readonly ThresholdResult[] {
  const cutShort = cutShortIn(rates);
  return thresholds.flatMap((threshold): readonly ThresholdResult[] => {
    const lines = linesOf(rates, threshold.outcome);
    const nothing = { ...threshold, subject: null, judge: null, actual: null, n: 0, passed: false };
    if (lines.length === 0) {
      const outcomes = [...new Set(rates.outcomes.map(({ outcome }) => outcome))];
      return [{ ...nothing, tested: { kind: "unknown", outcomes } }];
    }
    return lines.map((line) => {
      const { subject = null, judge = null } = line.group;
      const actual = threshold.by === "lower" ? (line.interval?.low ?? null) : line.estimate;
      const passed = actual !== null && actual >= threshold.minimum;
      const tested = { kind: "line", line } as const;
      return withProblem(
        { ...threshold, subject, judge, actual, n: line.n, passed, tested },
        problemOf([line], cutShort, minDecided),
      );
    });
  });
}

function linesOf({ outcomes }: RunRates, name: string): readonly RateLine[] {
  return outcomes.filter(({ outcome }) => outcome === name).flatMap(({ lines }) => lines);
}

/** Conversations that were ended early or never began. */
function cutShortIn({ sum: { statuses, planned, ended } }: RunRates): number {
  return countStatuses(statuses, isInterrupted) + Math.max(0, (planned ?? ended) - ended);
}

function problemOf(lines: readonly RateLine[], cutShort: number, minDecided: number): string | undefined {
  const sum = (count: (line: RateLine) => number): number =>
    lines.reduce((total, line) => total + count(line), 0);
  const undecided = sum(({ inconclusive, errors }) => inconclusive + errors);
  return gateProblem({ decided: sum(({ n }) => n), undecided, cutShort }, minDecided);
}

/** The same for pairs, which also need what the baseline decided. */
function pairProblem({ pairs, left }: ComparisonLine, minDecided: number): string | undefined {
  const undecided = left.inconclusive + left.errors;
  const problem = gateProblem({ decided: pairs, undecided, cutShort: 0 }, minDecided);
  return problem === undefined ? undefined : `together with the baseline, ${problem}`;
}

/** A result that passes by its value alone does not pass with a problem. */
function withProblem(result: ThresholdResult, problem: string | undefined): ThresholdResult {
  return !result.passed || problem === undefined ? result : { ...result, passed: false, problem };
}

/**
 * Compares a run (b) with its baseline (a). `rates` are those of the run, of which enough must be decided. `isBad` is true for outcomes of
 * which less is better.
 */
export function testLimits(
  comparisons: readonly Comparison[],
  limits: readonly WorseLimit[],
  options: {
    readonly isBad: (outcome: string) => boolean;
    readonly rates: RunRates;
    readonly minDecided: number;
  },
): readonly ThresholdResult[] {
  return limits.flatMap((limit) => comparisons.map((comparison) => testLimit(comparison, limit, options)));
}

function testLimit(
  comparison: Comparison,
  limit: WorseLimit,
  { isBad, rates, minDecided }: Parameters<typeof testLimits>[2],
): ThresholdResult {
  const line = comparison.lines.find(({ name }) => name === limit.outcome);
  const own = linesOf(rates, limit.outcome).filter(({ group }) => group.subject === comparison.b);
  const problem = problemOf(own, cutShortIn(rates), minDecided) ?? (line && pairProblem(line, minDecided));
  const base = {
    ...{ outcome: limit.outcome, minimum: -limit.margin, by: "difference" as const },
    ...{ subject: comparison.b, judge: null, n: line?.pairs ?? 0 },
  };
  const isBadOutcome = isBad(limit.outcome);
  const tested = { kind: "difference", limit, line, isBad: isBadOutcome } as const;
  // A test without an interval: no item differs.
  const isSame = line?.p != null && line.interval === null;
  const needed = limit.by === "point" || isSame ? line?.difference : line?.interval;
  if (line === undefined || line.difference === null || needed == null) {
    const why = problem === undefined ? ({ cannotDecide: true } as const) : { problem };
    return { ...base, actual: null, passed: false, ...why, tested: { ...tested, isWorse: false } };
  }
  const sign = isBadOutcome ? -1 : 1;
  const { interval, difference } = line;
  // The side of the interval that is better.
  const best = sign > 0 ? (interval?.high ?? 0) : -(interval?.low ?? 0);
  // What so few items cannot prove is not excused.
  const isPoint = limit.by === "point" || line.detectable === null;
  const isWorse = (isPoint ? sign * difference : best) < -limit.margin;
  return withProblem(
    { ...base, actual: difference, passed: !isWorse, tested: { ...tested, isWorse } },
    problem,
  );
}
