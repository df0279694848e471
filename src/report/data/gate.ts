import { itemName } from "../../journal/cell.ts";
import { printableText } from "../../terminal/printable-text.ts";
import { sideTexts } from "../text/comparison-text.ts";
import type { Comparison } from "./compare-sides.ts";
import type { ComparisonLine } from "./comparison.ts";
import type { ThresholdResult } from "./thresholds.ts";

/** How much worse than its baseline an outcome may be. */
export interface WorseLimit {
  readonly outcome: string;
  /** A share for rates, an amount for means; not negative. */
  readonly margin: number;
  /** `interval`: worse only if the whole interval of the difference is; `point`: if the difference itself is. */
  readonly by: "interval" | "point";
}

const FORM = /^(?<outcome>.+?)\s*=\s*(?<digits>\d+(?:\.\d*)?|\.\d+)\s*(?<percent>%)?\s*(?::\s*(?<by>\w*))?$/s;

/**
 * Parses a limit; returns a sentence if it is wrong.
 *
 * @example
 * parseWorseLimit("resisted=5%") // { outcome: "resisted", margin: 0.05, by: "interval" }
 */
export function parseWorseLimit(text: string): WorseLimit | string {
  const { outcome, digits, percent, by = "interval" } = FORM.exec(text.trim())?.groups ?? {};
  if (outcome === undefined || digits === undefined)
    return `The limit ${JSON.stringify(text)} must be an outcome and how much worse it may be: resisted=0.05 or resisted=5%.`;
  if (by !== "interval" && by !== "point")
    return `The limit ${JSON.stringify(text)} can be compared with "interval" or with "point", but not with ${JSON.stringify(by)}.`;
  return { outcome, margin: Number(percent === undefined ? digits : `${digits}e-2`), by };
}

/** As many conversations as a message names. */
const NAMED = 5;

/** Compares a run (b) with its baseline (a). `isBad` is true for outcomes of which less is better. */
export function checkGate(
  comparisons: readonly Comparison[],
  limits: readonly WorseLimit[],
  isBad: (outcome: string) => boolean,
): readonly ThresholdResult[] {
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
      if (line === undefined || line.difference === null) {
        const reason = `${printableText(limit.outcome)} of ${printableText(comparison.b)} cannot be compared with the baseline: ${line?.reason ?? "the two have it in no common conversation"}.`;
        return { ...base, actual: null, n: 0, passed: false, reason };
      }
      const sign = isBad(limit.outcome) ? -1 : 1;
      const { interval, difference } = line;
      // The side of the interval that is better; without an interval nothing is proven.
      const best = interval === null ? Number.POSITIVE_INFINITY : sign > 0 ? interval.high : -interval.low;
      const isWorse = (limit.by === "point" ? sign * difference : best) < -limit.margin;
      return {
        ...base,
        actual: difference,
        n: line.pairs,
        passed: !isWorse,
        reason: sentenceOf(line, limit, { comparison, isWorse, sign }),
      };
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
  const text = (value: number): string => sideTexts({ ...line, difference: value }).difference;
  const unit = line.kind === "rate" ? " points" : "";
  const between =
    line.interval === null
      ? (line.reason ?? "no interval")
      : `95 % ${text(line.interval.low)} to ${text(line.interval.high)}`;
  const limit = `${line.kind === "rate" ? Number((100 * margin).toPrecision(12)) : margin}${unit}`;
  const verdict = isWorse
    ? `worse than the baseline by more than ${limit}`
    : `not ${by === "point" ? "" : "proven to be "}worse than the baseline by more than ${limit}`;
  const lost = sign > 0 ? line.onlyA : line.onlyB;
  const names = lost
    .slice(0, NAMED)
    .map((pair) => `${printableText(itemName(pair.item))} (${printableText(pair.b)})`);
  const more = lost.length > NAMED ? `, and ${`${lost.length - NAMED} more`}` : "";
  const which = !isWorse || names.length === 0 ? "" : ` Lost: ${names.join(", ")}${more}.`;
  return `${printableText(line.name)} of ${printableText(comparison.b)} is ${b}, baseline ${a}: ${difference}${unit} (${between}), ${verdict}.${which}`;
}
