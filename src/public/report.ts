export {
  type CompareOptions,
  type Comparison,
  compareRuns,
  type OtherVersion,
  type Unpaired,
} from "../report/data/compare-sides.ts";
export type { ComparisonLine, Discordant } from "../report/data/comparison.ts";
export type { GroupValues } from "../report/data/grouping.ts";
export type { IntervalMethod, RateKind, RateLine } from "../report/data/rate-line.ts";
export { type RateReport, type RatesOptions, rates } from "../report/data/rates.ts";
export {
  type RunSequences,
  type SubjectSequences,
  type SurvivalPoint,
  sequences,
  type TurnAccuracy,
} from "../report/data/sequences.ts";
