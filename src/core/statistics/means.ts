import { finiteOrNull, requireNumbers, requireWithin } from "./arguments.ts";

/** A sum that carries its rounding error along, after Neumaier. */
export function sum(values: Iterable<number>): number {
  let total = 0;
  let lost = 0;
  for (const value of values) {
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return Number.isFinite(lost) ? total + lost : total;
}

/** True if the list has one value only, maybe several times. */
export const allEqual = (values: readonly number[]): boolean => values.every((value) => value === values[0]);

/**
 * The q-th percentile, q from 0 to 100, linear between neighbours (type 7). Null for an empty list.
 *
 * Reference: R. Hyndman, Y. Fan (1996), The American Statistician 50, 361.
 */
export function percentile(values: readonly number[], q: number): number | null {
  requireNumbers("values", values);
  requireWithin("q", q, 0, 100);
  return values.length === 0 ? null : sortedPercentile(Float64Array.from(values).sort(), q);
}

/** The same for numbers that are sorted already, and at least one. */
export function sortedPercentile(sorted: ArrayLike<number>, q: number): number {
  const position = ((sorted.length - 1) * q) / 100;
  const below = Math.floor(position);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (position - below);
}

/** The arithmetic mean. Null for an empty list. */
export function mean(values: readonly number[]): number | null {
  requireNumbers("values", values);
  return values.length === 0 ? null : meanOf(values);
}

/** The mean of a list that is known to hold finite numbers, at least one. */
export function meanOf(values: readonly number[]): number {
  if (allEqual(values)) return values[0] as number;
  const total = sum(values);
  // Only the sum of very large numbers overflows, not their mean.
  return Number.isFinite(total) ? total / values.length : sum(values.map((value) => value / values.length));
}

/**
 * The variance with n − 1 below, exact also for numbers with a large common offset. Null for fewer than two values.
 *
 * Reference: T. Chan et al. (1983), The American Statistician 37, 242 (corrected two-pass algorithm).
 */
export function sampleVariance(values: readonly number[]): number | null {
  requireNumbers("values", values);
  if (values.length < 2) return null;
  const centre = meanOf(values);
  const offsets = values.map((value) => value - centre);
  const drift = sum(offsets);
  const squares = sum(offsets.map((offset) => offset * offset));
  const variance = Math.max(0, squares - (drift * drift) / values.length) / (values.length - 1);
  return finiteOrNull(variance);
}

/** The standard error of the mean of independent values, √(variance/n). Null for fewer than two values. */
export function standardError(values: readonly number[]): number | null {
  const variance = sampleVariance(values);
  return variance === null ? null : Math.sqrt(variance / values.length);
}
