export {
  type DescribedScenarios,
  describeScenario,
  type Expectation,
  elenchusMatchers,
  expectOutcome,
  expectPath,
  expectReach,
  type Reach,
  type ReachedRate,
  reachedRate,
  transcript,
} from "../interchange/testing/vitest.ts";
