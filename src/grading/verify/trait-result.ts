import type { MetricCounts, MetricValues } from "./metric-value.ts";

/** What is known of a trait after a turn: the value that routing and outcomes see. */
export interface TraitResult {
  /** Null if it could not be decided, which is neither good nor bad. */
  readonly value: boolean | number | string | null;
  /** In words, why the value is null. */
  readonly reason?: string;
  /** What a metric was computed from. */
  readonly details?: MetricDetails;
}

/** All metrics of a trait, and the answers they come from. */
export interface MetricDetails {
  readonly metrics: MetricValues;
  readonly counts: MetricCounts;
}

/** A trait that could not be decided, and why. */
export function undecided(reason: string): TraitResult {
  return { value: null, reason };
}
