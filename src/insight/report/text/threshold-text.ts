import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import { linesText, wrapText } from "../../../system/terminal/text-layout.ts";
import type { RateLine } from "../data/rate-line.ts";
import type { TestedValue, ThresholdResult } from "../data/thresholds.ts";
import { sideTexts, signed } from "./comparison-text.ts";
import { countedText, countText, figureText, itemsText } from "./figures.ts";
import { testedName } from "./names.ts";
import type { TextOptions } from "./text-blocks.ts";

/** As wide as `✓ reached` and a space. */
const LABEL_WIDTH = 10;

/** Thresholds as lines: `✓ reached`, `✗ missed` or `? unknown`, why, and how many were not reached. Empty without any. */
export function thresholdText(
  results: readonly ThresholdResult[],
  { style, width, judges }: TextOptions & { readonly judges: readonly string[] },
): string {
  if (results.length === 0) return "";
  const missed = results.filter(({ passed }) => !passed).length;
  const sum =
    missed === 0
      ? style.green(
          results.length === 1
            ? "The threshold was reached."
            : `All ${countText(results.length)} thresholds were reached.`,
        )
      : style.red(
          `${countText(missed)} of ${countedText(results.length, "threshold")} ${missed === 1 ? "was" : "were"} not reached.`,
        );
  const lines = results.flatMap((result) => {
    const [label, paint] = result.passed
      ? ["✓ reached", style.green]
      : [result.cannotDecide ? "? unknown" : "✗ missed", style.red];
    return wrapText(thresholdReason(result, judges), width - LABEL_WIDTH).map((line, index) =>
      index === 0
        ? `${paint(label)}${" ".repeat(LABEL_WIDTH - label.length)}${line}`
        : " ".repeat(LABEL_WIDTH) + line,
    );
  });
  return linesText([style.bold("Thresholds"), ...lines, sum]);
}

/** Why a threshold is reached or not, in a sentence that is safe to print. */
export function thresholdReason(result: ThresholdResult, judges: readonly string[]): string {
  const { tested, problem } = result;
  switch (tested.kind) {
    case "unknown":
      return unknownSentence(result.outcome, tested.outcomes);
    case "line":
      return `${lineSentence(result, tested.line, judges)}${problem === undefined ? "" : ` This is not enough: ${problem}.`}`;
    case "difference":
      return differenceSentence(result, tested);
  }
}

function unknownSentence(outcome: string, outcomes: readonly string[]): string {
  const named = JSON.stringify(printableText(outcome));
  if (outcomes.length === 0) return `Nothing can be said about ${named}: the run has no outcomes.`;
  const { nearest } = nearestOf(outcome, outcomes);
  const hint = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(printableText(nearest))}?`;
  return `The run has no outcome ${named}.${hint}`;
}

/** `resisted of gpt is 83.3 % (n 66), below 90 %.` */
function lineSentence(
  { outcome, minimum, by, actual }: ThresholdResult,
  line: RateLine,
  judges: readonly string[],
): string {
  const { estimate, kind } = line;
  const { subject, judge } = line.group;
  const name = `${printableText(outcome)} of ${testedName({ subject: subject ?? "", judge: judge ?? "" }, judges)}`;
  const counts = countsOf(line);
  if (estimate === null) return `${name} is not known: it was decided in no conversation (${counts}).`;
  if (actual === null)
    return `${name} has no interval to compare with: ${line.reason ?? "nothing is decided"} (${counts}). Use more items, or leave out ":lower".`;
  if (kind === "rate" && minimum > 1)
    return `${name} cannot reach ${minimum}, because a rate is at most 1: write ${minimum}% if that is meant.`;
  const wanted = kind === "rate" ? percentOf(minimum) : minimum;
  const average = kind === "rate" ? "" : " on average";
  const shown = preciseIfNeeded(actual, minimum, line);
  const value =
    by === "lower"
      ? `${figureText(estimate, kind)}${average} (${counts}); the lower bound of its 95 % interval is ${shown}`
      : `${shown}${average} (${counts})`;
  return `${name} is ${value}, ${actual >= minimum ? "at least" : "below"} ${wanted}.`;
}

function countsOf(line: RateLine): string {
  const { inconclusive, errors } = line;
  return [
    `n ${itemsText(line)}`,
    ...(inconclusive === 0 ? [] : [`${countText(inconclusive)} inconclusive`]),
    ...(errors === 0 ? [] : [`${countText(errors)} not decided for errors`]),
  ].join(", ");
}

/** A share in percent with as many digits as it has, up to rounding errors. */
function percentOf(share: number): string {
  return `${Number((100 * share).toPrecision(12))} %`;
}

/** The short text, unless rounding makes it contradict the comparison. */
function preciseIfNeeded(actual: number, minimum: number, { kind }: RateLine): string {
  const short = figureText(actual, kind);
  const read = Number(short.replace(/[<>%,\s]/g, ""));
  const limit = kind === "rate" ? Number((100 * minimum).toPrecision(12)) : minimum;
  if (read >= limit === actual >= minimum) return short;
  return kind === "rate" ? percentOf(actual) : String(actual);
}

/** As many conversations as a message names. */
const NAMED = 5;

function differenceSentence(
  { subject, actual, problem }: ThresholdResult,
  { limit, line, isWorse, isBad }: Extract<TestedValue, { readonly kind: "difference" }>,
): string {
  const { outcome, margin, by } = limit;
  const name = `${printableText(outcome)} of ${printableText(subject ?? "")}`;
  if (line === undefined || actual === null) {
    const why = problem ?? line?.reason ?? "the two have it in no common conversation";
    const advice =
      problem !== undefined || line?.difference == null
        ? ""
        : ` Use more items, or compare the difference alone: ${outcome}=${margin}:point.`;
    return `${name} cannot be compared with the baseline: ${why}.${advice}`;
  }
  const { kind, interval } = line;
  const { a, b, difference } = sideTexts(line);
  const unit = kind === "rate" ? " points" : "";
  const between =
    interval === null
      ? (line.reason ?? "no interval")
      : `95 % ${signed(interval.low, kind)} to ${signed(interval.high, kind)}`;
  const most = `${kind === "rate" ? Number((100 * margin).toPrecision(12)) : margin}${unit}`;
  const verdict = `${isWorse ? "" : by === "point" ? "not " : "not proven to be "}worse than the baseline by more than ${most}`;
  const lost = isWorse ? (isBad ? line.onlyB : line.onlyA) : [];
  const names = lost.slice(0, NAMED).map((pair) => `${printableText(pair.name)} (${printableText(pair.b)})`);
  const more = lost.length > NAMED ? `, and ${lost.length - NAMED} more` : "";
  const which = names.length === 0 ? "" : ` Lost: ${names.join(", ")}${more}.`;
  const enough = problem === undefined ? "" : ` This is not enough: ${problem}.`;
  return `${name} is ${b}, baseline ${a}: ${difference}${unit} (${between}), ${verdict}.${which}${enough}`;
}
