export {
  type AlphaMetric,
  cohenKappa,
  krippendorffAlpha,
  percentAgreement,
  type Rating,
} from "../../core/statistics/agreement.ts";
export { type BoundedMean, boundedMean } from "../../core/statistics/bounded-mean.ts";
export {
  type ClusteredMean,
  type ClusteredRate,
  type ClusterLabel,
  clusteredMean,
  clusteredWilson,
  type PairedDifference,
  pairedDifference,
} from "../../core/statistics/clusters.ts";
export { type Followed, lifeTableRate } from "../../core/statistics/life-table.ts";
export { benjaminiHochberg, holm, passAtK, passHatK } from "../../core/statistics/many-tests.ts";
export { mean, percentile, sampleVariance, standardError } from "../../core/statistics/means.ts";
export {
  type DetectionPlan,
  minimumDetectableDifference,
  oneWayVarianceComponents,
  type VarianceComponents,
} from "../../core/statistics/noise.ts";
export {
  type SignedRank,
  type SignedRankMethod,
  signTest,
  wilcoxonSignedRank,
} from "../../core/statistics/paired-tests.ts";
export {
  clopperPearson,
  type DifferenceInterval,
  type Interval,
  mcnemarExact,
  newcombeDifference,
  newcombePaired,
  twoProportionZ,
  wilson,
} from "../../core/statistics/proportions.ts";
export { bootstrapMean, permutationTestPaired } from "../../core/statistics/resampling.ts";
export { type JudgeErrors, roganGladen } from "../../core/statistics/rogan-gladen.ts";
export {
  flipSummary,
  type KnownMean,
  numberOfFlips,
  type TransitionMatrix,
  transitionMatrix,
  turnOfFlip,
  type Verdicts,
} from "../../core/statistics/sequences.ts";
export {
  type ClusteredSurvivalGroup,
  clusteredLogRank,
  kaplanMeier,
  logRank,
  medianSurvival,
  restrictedMean,
  type SurvivalGroup,
  type SurvivalStep,
} from "../../core/statistics/survival.ts";
