import { provideLiquid } from "../../core/liquid/liquid-engine.ts";
import { loadLiquid } from "../../engine/run/liquid-library.ts";

export {
  LINT_RULES,
  type LintCode,
  type LintRuleText,
  type LintSeverity,
} from "../../core/scenario/lint-rule.ts";
export {
  type Coverage,
  type CoverageOptions,
  type CoverageResult,
  type CoverageThreshold,
  type CoveredKind,
  type CoveredShare,
  type CoveredShares,
  checkCoverage,
  coverage,
  type NeverRun,
  type NotReached,
  parseCoverageThreshold,
  type ScenarioCoverage,
} from "../../insight/analysis/coverage/coverage.ts";
export type { Affected, Change, Fate } from "../../insight/analysis/diff/change.ts";
export {
  type DefinitionDiff,
  diffDefinitions,
  type NodeReplies,
} from "../../insight/analysis/diff/diff-definitions.ts";
export {
  type ComparedSide,
  diffScenarios,
  type ScenarioDiff,
  type ScenariosDiff,
} from "../../insight/analysis/diff/diff-scenarios.ts";
export type { KeptCalls, KeptConversations } from "../../insight/analysis/diff/kept-conversations.ts";
export type { ChangedOutcome } from "../../insight/analysis/diff/outcome-meanings.ts";
export {
  type LintFinding,
  type LintOptions,
  lintScenario,
  type RunFacts,
} from "../../insight/analysis/lint/lint-scenario.ts";
export type { Role, Spread } from "../../insight/analysis/plan/amounts.ts";
export type { PlanAssumptions } from "../../insight/analysis/plan/assumptions.ts";
export {
  type PlannedModel,
  type PlanOptions,
  planRun,
  type RunPlan,
} from "../../insight/analysis/plan/plan-run.ts";
export type {
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
} from "../../insight/analysis/rehearsal/rehearsal.ts";
export { type RehearseOptions, rehearse } from "../../insight/analysis/rehearsal/rehearse.ts";
export {
  replayWitness,
  type WitnessModels,
  witnessModels,
} from "../../insight/analysis/rehearsal/replay-witness.ts";

provideLiquid(loadLiquid);
