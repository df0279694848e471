export {
  type AlphaMetric,
  cohenKappa,
  krippendorffAlpha,
  percentAgreement,
  type Rating,
} from "../statistics/agreement.ts";
export { type BoundedMean, boundedMean } from "../statistics/bounded-mean.ts";
export {
  type ClusteredMean,
  type ClusteredRate,
  type ClusterLabel,
  clusteredMean,
  clusteredWilson,
  type PairedDifference,
  pairedDifference,
} from "../statistics/clusters.ts";
export { type Followed, lifeTableRate } from "../statistics/life-table.ts";
export { benjaminiHochberg, holm, passAtK, passHatK } from "../statistics/many-tests.ts";
export { mean, percentile, sampleVariance, standardError } from "../statistics/means.ts";
export {
  type DetectionPlan,
  minimumDetectableDifference,
  oneWayVarianceComponents,
  type VarianceComponents,
} from "../statistics/noise.ts";
export {
  type SignedRank,
  type SignedRankMethod,
  signTest,
  wilcoxonSignedRank,
} from "../statistics/paired-tests.ts";
export {
  clopperPearson,
  type DifferenceInterval,
  type Interval,
  mcnemarExact,
  newcombeDifference,
  newcombePaired,
  twoProportionZ,
  wilson,
} from "../statistics/proportions.ts";
export { bootstrapMean, permutationTestPaired } from "../statistics/resampling.ts";
export { type JudgeErrors, roganGladen } from "../statistics/rogan-gladen.ts";
export {
  flipSummary,
  type KnownMean,
  numberOfFlips,
  type TransitionMatrix,
  transitionMatrix,
  turnOfFlip,
  type Verdicts,
} from "../statistics/sequences.ts";
export {
  type ClusteredSurvivalGroup,
  clusteredLogRank,
  kaplanMeier,
  logRank,
  medianSurvival,
  restrictedMean,
  type SurvivalGroup,
  type SurvivalStep,
} from "../statistics/survival.ts";
