export {
  type CompareOptions,
  type Comparison,
  compareRuns,
  type OtherVersion,
  type Unpaired,
} from "../../insight/report/data/compare-sides.ts";
export type { ComparisonLine, Discordant } from "../../insight/report/data/comparison.ts";
export type { GroupValues } from "../../insight/report/data/grouping.ts";
export type { IntervalMethod, RateKind, RateLine } from "../../insight/report/data/rate-line.ts";
export { type RateReport, type RatesOptions, rates } from "../../insight/report/data/rates.ts";
export {
  type RunSequences,
  type SubjectSequences,
  type SurvivalPoint,
  sequences,
  type TurnAccuracy,
} from "../../insight/report/data/sequences.ts";
