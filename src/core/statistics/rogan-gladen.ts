import { refuse, requireBetween0And1, requireObject, requireTrials, requireWithin } from "./arguments.ts";
import { normalQuantile } from "./distributions.ts";

/** How a judge did where the truth is known. */
export interface JudgeErrors {
  /** Of those that are really true, how many the judge called true. */
  readonly truePositive: number;
  readonly positives: number;
  /** Of those that are really false, how many the judge called false. */
  readonly trueNegative: number;
  readonly negatives: number;
}

/**
 * A rate corrected for the known errors of the judge that measured it: (rate + specificity − 1)/(sensitivity + specificity − 1). The interval
 * counts the error of the rate and that of both shares; it is not clipped. Null if either share is unknown, or if the judge is no better than
 * chance.
 *
 * Reference: W. Rogan, B. Gladen (1978), Am. J. Epidemiol. 107, 71.
 */
export function roganGladen(
  measured: { readonly rate: number; readonly standardError: number },
  errors: JudgeErrors,
  confidence = 0.95,
): { readonly rate: number; readonly low: number; readonly high: number } | null {
  requireObject("measured", measured);
  requireObject("errors", errors);
  const { rate, standardError } = measured;
  const { truePositive, positives, trueNegative, negatives } = errors;
  requireWithin("rate", rate, 0, 1);
  if (!(Number.isFinite(standardError) && standardError >= 0))
    refuse("standardError", "a number from 0 and up", standardError);
  requireTrials(["truePositive", "positives"], truePositive, positives);
  requireTrials(["trueNegative", "negatives"], trueNegative, negatives);
  requireBetween0And1("confidence", confidence);
  if (positives === 0 || negatives === 0) return null;
  const sensitivity = truePositive / positives;
  const specificity = trueNegative / negatives;
  const power = sensitivity + specificity - 1;
  if (power <= 0) return null;
  const corrected = (rate + specificity - 1) / power;
  const variance =
    standardError ** 2 +
    (corrected ** 2 * sensitivity * (1 - sensitivity)) / positives +
    ((1 - corrected) ** 2 * specificity * (1 - specificity)) / negatives;
  const reach = (normalQuantile(confidence) * Math.sqrt(variance)) / power;
  return { rate: corrected, low: corrected - reach, high: corrected + reach };
}
