import { gateProblem } from "../../../core/outcomes/gate.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { countStatuses, isInterrupted } from "../../../core/state/state.ts";
import { itemName } from "../../../engine/journal/cell.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import { sideTexts, signed } from "../text/comparison-text.ts";
import { countText, itemsText, meanText, percentText } from "../text/figures.ts";
import type { Comparison } from "./compare-sides.ts";
import type { ComparisonLine } from "./comparison.ts";
import type { AssertionLine, NumberLine, OutcomeLine, OutcomeRates, RatedOutcome } from "./outcome-rates.ts";
import { testedName } from "./subject-totals.ts";

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
  const { outcome = "", value } = FORM.exec(text.trim())?.groups ?? {};
  if (value === undefined)
    return `The threshold ${quoted} has no value. Write an outcome and what it must reach: resisted=0.9 or resisted=90%.`;
  if (outcome === "") return `The threshold ${quoted} names no outcome. Write resisted=0.9, for example.`;
  const { digits, percent, by = "rate" } = VALUE.exec(value.trim())?.groups ?? {};
  if (digits === undefined)
    return `The threshold ${quoted} must end in a number, such as 0.9, 90% or 0.9:lower.`;
  if (by !== "rate" && by !== "lower")
    return `The threshold ${quoted} can be compared with "rate" or with "lower", the lower bound of the 95 % interval, but not with ${JSON.stringify(by)}.`;
  // As an exponent, not as a division: 99.9 / 100 is more than 0.999.
  const minimum = Number(percent === undefined ? digits : `${digits}e-2`);
  if (percent !== undefined && (minimum < 0 || minimum > 1))
    return `The threshold ${quoted} must lie between 0 % and 100 %.`;
  return { outcome, minimum, by };
}

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
  /** A sentence for people, safe to print. */
  readonly reason: string;
}

/**
 * Compares thresholds with the results of a run. What is unknown never passes, nor does what is known of too few conversations:
 * the share of decided ones must be `minDecided`, and none may have been cut short.
 */
export function testThresholds(
  rates: OutcomeRates,
  thresholds: readonly Threshold[],
  minDecided: number,
): readonly ThresholdResult[] {
  const cutShort = cutShortIn(rates);
  return thresholds.flatMap((threshold) => {
    const outcomes = rates.outcomes.filter(({ outcome }) => outcome === threshold.outcome);
    const results = outcomes.flatMap((rated) => testOutcome(threshold, rated, rates.judges));
    if (results.length === 0) return [unknownOutcome(threshold, rates)];
    return results.map(({ line, ...result }) => withProblem(result, problemOf([line], cutShort, minDecided)));
  });
}

/** Conversations that were ended early or never began. */
function cutShortIn({ sum: { statuses, planned, ended } }: OutcomeRates): number {
  return countStatuses(statuses, isInterrupted) + Math.max(0, (planned ?? ended) - ended);
}

function problemOf(lines: readonly OutcomeLine[], cutShort: number, minDecided: number): string | undefined {
  const sum = (count: (line: OutcomeLine) => number): number =>
    lines.reduce((total, line) => total + count(line), 0);
  const undecided = sum(({ inconclusive, infrastructure }) => inconclusive + infrastructure);
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
  if (!result.passed || problem === undefined) return result;
  return { ...result, passed: false, reason: `${result.reason} This is not enough: ${problem}.` };
}

function unknownOutcome(threshold: Threshold, { outcomes }: OutcomeRates): ThresholdResult {
  const names = new Set(outcomes.map(({ outcome }) => outcome));
  const { nearest } = nearestOf(threshold.outcome, names);
  const named = quoted(threshold.outcome);
  const hint = nearest === undefined ? "" : ` Did you mean ${quoted(nearest)}?`;
  const reason =
    names.size === 0
      ? `Nothing can be said about ${named}: the run has no outcomes.`
      : `The run has no outcome ${named}.${hint}`;
  return { ...threshold, subject: null, judge: null, actual: null, n: 0, passed: false, reason };
}

function testOutcome(
  threshold: Threshold,
  rated: RatedOutcome,
  judges: readonly string[],
): readonly (ThresholdResult & { readonly line: OutcomeLine })[] {
  const { minimum } = threshold;
  const result = (line: OutcomeLine, actual: number | null, reason: string) => {
    const { subject, judge, n } = line;
    const passed = actual !== null && actual >= minimum;
    return { ...threshold, subject, judge, actual, n, passed, reason, line };
  };
  const nameOf = (line: OutcomeLine): string =>
    `${printableText(threshold.outcome)} of ${testedName(line, judges)}`;
  switch (rated.kind) {
    case "assertion":
      return rated.lines.map((line) => {
        const actual = threshold.by === "lower" ? (line.interval?.low ?? null) : line.rate;
        return result(line, actual, rateSentence(threshold, line, { name: nameOf(line), actual }));
      });
    case "number":
      return rated.lines.map((line) => {
        const actual = threshold.by === "lower" ? (line.interval?.low ?? null) : line.mean;
        return result(line, actual, meanSentence(threshold, line, { name: nameOf(line), actual }));
      });
    case "undecided":
      return rated.lines.map((line) => result(line, null, undecidedSentence(line, nameOf(line))));
  }
}

interface Compared {
  readonly name: string;
  readonly actual: number | null;
}

function rateSentence({ minimum, by }: Threshold, line: AssertionLine, { name, actual }: Compared): string {
  if (actual === null)
    return line.rate === null ? undecidedSentence(line, name) : noIntervalSentence(line, name);
  if (minimum > 1)
    return `${name} cannot reach ${minimum}, because a rate is at most 1: write ${minimum}% if that is meant.`;
  const wanted = percentOf(minimum);
  if (by === "rate") {
    const shown = preciseIfNeeded(actual, minimum, percentText(actual, 1));
    return `${name} is ${shown} (${countsOf(line)}), ${comparison(actual, minimum)} ${wanted}.`;
  }
  const rate = percentText(line.rate ?? 0, 1);
  const shown = preciseIfNeeded(actual, minimum, percentText(actual, 1));
  return `${name} is ${rate} (${countsOf(line)}); the lower bound of its 95 % interval is ${shown}, ${comparison(actual, minimum)} ${wanted}.`;
}

function meanSentence({ minimum, by }: Threshold, line: NumberLine, { name, actual }: Compared): string {
  if (actual === null)
    return line.mean === null ? undecidedSentence(line, name) : noIntervalSentence(line, name);
  // Enough digits to show which of the two is larger.
  const shown =
    Number(meanText(actual).replaceAll(",", "")) >= minimum === actual >= minimum ? meanText(actual) : actual;
  const what =
    by === "lower"
      ? `${meanText(line.mean)} on average (${countsOf(line)}); the lower bound of its 95 % interval is ${shown}`
      : `${shown} on average (${countsOf(line)})`;
  return `${name} is ${what}, ${comparison(actual, minimum)} ${minimum}.`;
}

function noIntervalSentence(line: OutcomeLine, name: string): string {
  return `${name} has no interval to compare with: ${line.reason ?? "nothing is decided"} (${countsOf(line)}). Use more items, or leave out ":lower".`;
}

function undecidedSentence(line: OutcomeLine, name: string): string {
  return `${name} is not known: it was decided in no conversation (${countsOf(line)}).`;
}

function comparison(actual: number, minimum: number): string {
  return actual >= minimum ? "at least" : "below";
}

function countsOf(line: OutcomeLine): string {
  const { inconclusive, infrastructure } = line;
  const parts = [`n ${itemsText(line)}`];
  if (inconclusive > 0) parts.push(`${countText(inconclusive)} inconclusive`);
  if (infrastructure > 0) parts.push(`${countText(infrastructure)} not decided for errors`);
  return parts.join(", ");
}

/** A share in percent with as many digits as it has, up to rounding errors. */
function percentOf(share: number): string {
  return `${Number((100 * share).toPrecision(12))} %`;
}

/** The short text, unless rounding makes it contradict the comparison. */
function preciseIfNeeded(actual: number, minimum: number, short: string): string {
  const read = Number(short.replace(/[<>%\s]/g, ""));
  return read >= Number((100 * minimum).toPrecision(12)) === actual >= minimum ? short : percentOf(actual);
}

function quoted(name: string): string {
  return JSON.stringify(printableText(name));
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
  return { outcome, margin: Number(percent === undefined ? digits : `${digits}e-2`), by };
}

/** As many conversations as a message names. */
const NAMED = 5;

/**
 * Compares a run (b) with its baseline (a). `rates` are those of the run, of which enough must be decided. `isBad` is true for outcomes of
 * which less is better.
 */
export function testLimits(
  comparisons: readonly Comparison[],
  limits: readonly WorseLimit[],
  {
    isBad,
    rates,
    minDecided,
  }: {
    readonly isBad: (outcome: string) => boolean;
    readonly rates: OutcomeRates;
    readonly minDecided: number;
  },
): readonly ThresholdResult[] {
  const cutShort = cutShortIn(rates);
  return limits.flatMap((limit) =>
    comparisons.map((comparison): ThresholdResult => {
      const line = comparison.lines.find(({ name }) => name === limit.outcome);
      const base = {
        outcome: limit.outcome,
        minimum: -limit.margin,
        by: "difference" as const,
        subject: comparison.b,
        judge: null,
      };
      const lines = rates.outcomes
        .filter(({ outcome }) => outcome === limit.outcome)
        .flatMap((rated): readonly OutcomeLine[] => rated.lines)
        .filter(({ subject }) => subject === comparison.b);
      const problem = problemOf(lines, cutShort, minDecided) ?? (line && pairProblem(line, minDecided));
      const name = `${printableText(limit.outcome)} of ${printableText(comparison.b)}`;
      // A test without an interval: no item differs.
      const isSame = line?.p != null && line.interval === null;
      const needed = limit.by === "point" || isSame ? line?.difference : line?.interval;
      if (line === undefined || line.difference === null || needed == null) {
        const why = line?.reason ?? "the two have it in no common conversation";
        const advice =
          line?.difference == null
            ? ""
            : ` Use more items, or compare the difference alone: ${limit.outcome}=${limit.margin}:point.`;
        const reason = `${name} cannot be compared with the baseline: ${problem ?? why}.${problem === undefined ? advice : ""}`;
        const undecided = problem === undefined ? ({ cannotDecide: true } as const) : {};
        return { ...base, actual: null, n: line?.pairs ?? 0, passed: false, ...undecided, reason };
      }
      const sign = isBad(limit.outcome) ? -1 : 1;
      const { interval, difference } = line;
      // The side of the interval that is better.
      const best = sign > 0 ? (interval?.high ?? 0) : -(interval?.low ?? 0);
      // What so few items cannot prove is not excused.
      const isPoint = limit.by === "point" || line.detectable === null;
      const isWorse = (isPoint ? sign * difference : best) < -limit.margin;
      const reason = sentenceOf(line, limit, { comparison, isWorse, sign });
      return withProblem({ ...base, actual: difference, n: line.pairs, passed: !isWorse, reason }, problem);
    }),
  );
}

function sentenceOf(
  line: ComparisonLine,
  { margin, by }: WorseLimit,
  {
    comparison,
    isWorse,
    sign,
  }: { readonly comparison: Comparison; readonly isWorse: boolean; readonly sign: number },
): string {
  const { a, b, difference } = sideTexts(line);
  const unit = line.kind === "rate" ? " points" : "";
  const between =
    line.interval === null
      ? (line.reason ?? "no interval")
      : `95 % ${signed(line.interval.low, line.kind)} to ${signed(line.interval.high, line.kind)}`;
  const limit = `${line.kind === "rate" ? Number((100 * margin).toPrecision(12)) : margin}${unit}`;
  const verdict = isWorse
    ? `worse than the baseline by more than ${limit}`
    : `not ${by === "point" ? "" : "proven to be "}worse than the baseline by more than ${limit}`;
  const lost = sign > 0 ? line.onlyA : line.onlyB;
  const names = lost
    .slice(0, NAMED)
    .map((pair) => `${printableText(itemName(pair.item))} (${printableText(pair.b)})`);
  const more = lost.length > NAMED ? `, and ${lost.length - NAMED} more` : "";
  const which = !isWorse || names.length === 0 ? "" : ` Lost: ${names.join(", ")}${more}.`;
  return `${printableText(line.name)} of ${printableText(comparison.b)} is ${b}, baseline ${a}: ${difference}${unit} (${between}), ${verdict}.${which}`;
}
