import type { Interval } from "../../../core/statistics/proportions.ts";
import type { RateKind, RateLine } from "../data/rate-line.ts";
import { boundTexts, meanIntervalText, meanText, NOTHING, noIntervalText, percentText } from "./figures.ts";

/** A value of a line: rates in percent, all others as numbers. */
export function estimateText({
  estimate,
  kind,
  method,
}: Pick<RateLine, "estimate" | "kind" | "method">): string {
  if (estimate === null) return NOTHING;
  return `${method === "life_table" ? "≈ " : ""}${figureText(estimate, kind)}`;
}

/** A rate in percent, or a number. */
export function figureText(value: number, kind: RateKind): string {
  return kind === "rate" ? percentText(value, 1) : meanText(value);
}

/** The bounds of an interval without a unit: `73–91`, `3.12–4.05`. */
export function spanText(interval: Interval, kind: RateKind): string {
  if (kind !== "rate") return meanIntervalText(interval);
  const { low, high } = boundTexts(interval);
  return `${low}–${high}`;
}

/** The interval of a line, or why there is none: `73–91 %`, `– one item only`. */
export function lineIntervalText({ interval, kind, reason }: RateLine): string {
  if (interval === null) return noIntervalText(reason);
  return `${spanText(interval, kind)}${kind === "rate" ? " %" : ""}`;
}

/** What a rate is if all undecided conversations were false, and if all were true: `[40–95]`; empty if all are decided. */
export function bracketedBounds({ bounds }: RateLine): string {
  return bounds === null ? "" : `[${spanText(bounds, "rate")}]`;
}
