export {
  type Expectation,
  expectOutcome,
  expectPath,
  expectReach,
  type Reach,
  type ReachedRate,
  reachedRate,
  transcript,
} from "../interchange/testing/expectations.ts";
export {
  type DescribedScenarios,
  describeScenario,
  elenchusMatchers,
} from "../interchange/testing/vitest.ts";
