import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { COVERED, type Coverage, type CoveredKind } from "./coverage.ts";

/** The least share that must be reached. */
export interface CoverageThreshold {
  readonly kind: CoveredKind;
  /** From 0 to 1. */
  readonly minimum: number;
}

/** Reads `edges=0.9` or `edges=90%`, or says in a sentence what is wrong with it. */
export function parseCoverageThreshold(text: string): CoverageThreshold | string {
  const quoted = JSON.stringify(text);
  const {
    kind = "",
    digits,
    percent,
  } = /^(?<kind>\w+)\s*=\s*(?<digits>\d+(?:\.\d+)?|\.\d+)\s*(?<percent>%)?$/.exec(text.trim())?.groups ?? {};
  if (digits === undefined) return `The threshold ${quoted} must be written like edges=0.9 or edges=90%.`;
  const found = COVERED.find((one) => one === kind);
  if (found === undefined) {
    const { nearest } = nearestOf(kind, COVERED);
    const hint = nearest === undefined ? `There are ${COVERED.join(", ")}.` : `Did you mean "${nearest}"?`;
    return `Coverage has no ${JSON.stringify(kind)}. ${hint}`;
  }
  const minimum = Number(percent === undefined ? digits : `${digits}e-2`);
  return minimum <= 1 ? { kind: found, minimum } : `The threshold ${quoted} must lie between 0 and 1.`;
}

/** Whether a threshold is reached; what is not known never passes. */
export interface CoverageResult extends CoverageThreshold {
  readonly passed: boolean;
  /** Null if it is not known how much can be reached. */
  readonly actual: number | null;
}

/** Compares coverage with thresholds, over all scenarios together. */
export function checkCoverage(
  { all }: Coverage,
  thresholds: readonly CoverageThreshold[],
): readonly CoverageResult[] {
  return thresholds.map(({ kind, minimum }) => {
    const { reached, possible } = all[kind];
    const actual = possible === null ? null : possible === 0n ? 1 : ratio(reached, possible);
    return { kind, minimum, actual, passed: actual !== null && actual >= minimum };
  });
}

const PRECISION = 1_000_000_000n;

/** Counts may be larger than numbers, their ratio is not. */
function ratio(part: bigint, whole: bigint): number {
  return part === whole ? 1 : Number((part * PRECISION) / whole) / Number(PRECISION);
}
