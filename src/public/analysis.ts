import { provideLiquid } from "../core/liquid/liquid-engine.ts";
import { loadLiquid } from "../run/liquid-library.ts";

export {
  type Coverage,
  type CoverageOptions,
  type CoveredKind,
  type CoveredShare,
  type CoveredShares,
  coverage,
  type NeverRun,
  type NotReached,
  type ScenarioCoverage,
} from "../analysis/coverage/coverage.ts";
export {
  type CoverageResult,
  type CoverageThreshold,
  checkCoverage,
  parseCoverageThreshold,
} from "../analysis/coverage/coverage-threshold.ts";
export type { Affected, Change, Fate } from "../analysis/diff/change.ts";
export { type DefinitionDiff, diffDefinitions, type NodeReplies } from "../analysis/diff/diff-definitions.ts";
export {
  type ComparedSide,
  diffScenarios,
  type ScenarioDiff,
  type ScenariosDiff,
} from "../analysis/diff/diff-scenarios.ts";
export type { KeptCalls, KeptConversations } from "../analysis/diff/kept-conversations.ts";
export type { ChangedOutcome } from "../analysis/diff/outcome-meanings.ts";
export {
  type LintFinding,
  type LintOptions,
  lintScenario,
  type RunFacts,
} from "../analysis/lint/lint-scenario.ts";
export type { Role, Spread } from "../analysis/plan/amounts.ts";
export type { PlanAssumptions } from "../analysis/plan/assumptions.ts";
export { type PlannedModel, type PlanOptions, planRun, type RunPlan } from "../analysis/plan/plan-run.ts";
export type {
  EdgeOverlap,
  NeverTaken,
  OutcomeWitness,
  PathTotals,
  Possibility,
  Rehearsal,
  RehearsedEdge,
  RehearsedFailure,
  RehearsedLoop,
  RehearsedNode,
  RehearsedOutcome,
  RehearsedPlace,
  RehearsedTurn,
  RehearsedValue,
  Undecided,
  Witness,
} from "../analysis/rehearsal/rehearsal.ts";
export { type RehearseOptions, rehearse } from "../analysis/rehearsal/rehearse.ts";
export { replayWitness, type WitnessModels, witnessModels } from "../analysis/rehearsal/replay-witness.ts";
export {
  LINT_RULES,
  type LintCode,
  type LintRuleText,
  type LintSeverity,
} from "../core/scenario/lint-rule.ts";

provideLiquid(loadLiquid);
