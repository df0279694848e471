import { provideLiquid } from "../core/liquid/liquid-engine.ts";
import { loadLiquid } from "../run/liquid-library.ts";

export {
  type LintFinding,
  type LintOptions,
  lintScenario,
  type RunFacts,
} from "../analysis/lint/lint-scenario.ts";
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
