/** The bounds between which a rate lies with a confidence of 95 %. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The quantile of the normal distribution that leaves 2.5 % on either side. */
const Z = 1.959963984540054;

/**
 * Wilson's score interval of a rate. It stays within 0 and 1, and it is honest where the usual one is not: for few trials, and
 * where all or none of them succeeded. Null without trials.
 *
 * @example
 * wilsonInterval(66, 66) // { low: 0.945, high: 1 }
 */
export function wilsonInterval(successes: number, trials: number): Interval | null {
  if (!(trials > 0)) return null;
  const rate = successes / trials;
  const doubt = (Z * Z) / trials;
  const centre = rate + doubt / 2;
  const reach = Math.sqrt(doubt * (rate * (1 - rate) + doubt / 4));
  // Rounding errors would leave an all or a nothing at 0.9999….
  return {
    low: successes === 0 ? 0 : Math.max(0, (centre - reach) / (1 + doubt)),
    high: successes === trials ? 1 : Math.min(1, (centre + reach) / (1 + doubt)),
  };
}
