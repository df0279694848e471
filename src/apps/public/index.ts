import { provideLiquid } from "../../core/liquid/liquid-engine.ts";
import { showWarnings } from "../../core/scenario/scenario.ts";
import { loadLiquid } from "../../engine/run/liquid-library.ts";

export { renderText, TextError, type TextScope } from "../../core/liquid/text-template.ts";
export {
  type AllOf,
  type AnyOf,
  type AtLeastN,
  allOf,
  anyOf,
  atLeastN,
  type Composed,
  type Composition,
  type Not,
  not,
} from "../../core/logic/composition.ts";
export type { Truth } from "../../core/logic/kleene.ts";
export type { OutcomeResult } from "../../core/outcomes/evaluate-outcome.ts";
export type {
  Comparison,
  CrossTurnCheck,
  Measure,
  MeasureCheck,
  NodeFilter,
  Outcome,
  OutcomeCheck,
  OutcomeFunction,
  OutcomeLeaf,
  ResultCheck,
  SingleTurn,
  TurnCheck,
  TurnFields,
  TurnFilter,
  TurnScope,
} from "../../core/outcomes/outcome-check.ts";
export {
  allTurns,
  anyTurn,
  countTurns,
  crossTurn,
  firstMatchIndex,
  firstTurn,
  lastAttempt,
  lastOverTurns,
  lastTurn,
  longestRun,
  meanOverTurns,
  measureIs,
  minOverTurns,
  numberOfFlips,
  persistence,
  resultIs,
  statusIs,
  turnAt,
  turnCountEq,
  turnCountGte,
  turnOfFlip,
} from "../../core/outcomes/outcome-helpers.ts";
export type {
  ColumnType,
  DatasetOption,
  DatasetOptions,
  DatasetSource,
} from "../../core/scenario/dataset.ts";
export {
  type AgentIdentity,
  END,
  type FewShotExample,
  type Handover,
  type HandoverFunction,
  type NodeOptions,
  type Question,
  question,
  type ScenarioDefinition,
  type ScenarioEdge,
  type ScenarioNode,
  type ToolFilter,
} from "../../core/scenario/definition.ts";
export { disclosure, pressure, repair } from "../../core/scenario/dynamics.ts";
export type { LintCode, LintSettings } from "../../core/scenario/lint-rule.ts";
export type { ModelOverride, ModelReference } from "../../core/scenario/model-override.ts";
export { parseScenario } from "../../core/scenario/parse-scenario.ts";
export { Scenario } from "../../core/scenario/scenario.ts";
export { scenarioFileSchema } from "../../core/scenario/scenario-shape.ts";
export type { Levels, Variant, Variants } from "../../core/scenario/variants.ts";
export { DefinitionError, formatIssue } from "../../core/schema/format-issue.ts";
export type { FilePosition, Issue, IssueCode, IssuePath, NodeRole } from "../../core/schema/issue.ts";
export type { StateUpdate, StateUpdateContext } from "../../core/state/advance-state.ts";
export {
  type ConditionFunction,
  type StateCheck,
  type StateShorthand,
  stateCheck,
  type When,
  type WhenLeaf,
} from "../../core/state/condition.ts";
export type {
  ConversationResult,
  ConversationStatus,
  NodeResult,
  ScenarioState,
  TurnRecord,
} from "../../core/state/state.ts";
export type { ExtractRule } from "../../core/templates/extract-rule.ts";
export {
  type FunctionTrait,
  functionTrait,
  type LlmTrait,
  llmTrait,
  type MetricName,
  type MetricTrait,
  metricTrait,
  type RegexTrait,
  type Rubric,
  regexTrait,
  rubric,
  type Trait,
} from "../../core/templates/rubric.ts";
export {
  type CaseTruth,
  type FieldLeaf,
  type FieldOptions,
  type FieldType,
  field,
  type ParsedOf,
  type ScalarType,
  type Template,
  type TemplateField,
  type TemplateFields,
  type TruthFrom,
  template,
  truthFrom,
  type VerifyContext,
  type VerifyFunction,
} from "../../core/templates/template.ts";
export { type VerifiedOptions, verified } from "../../core/templates/verified.ts";
export type { JsonObject, JsonValue, UnknownRecord } from "../../core/values/json.ts";
export { type Dataset, type DatasetRow, readDataset } from "../../engine/datasets/dataset.ts";
export { DatasetError } from "../../engine/datasets/row-files.ts";
export { RunError, type RunFailure, type Stage } from "../../engine/journal/failure.ts";
export type {
  CallEnd,
  CallRetry,
  CallStart,
  Cell,
  ConversationEnd,
  ConversationEvent,
  ConversationSettings,
  ConversationStart,
  ConversationStop,
  DerivedEvent,
  Hop,
  OutcomeEvent,
  Progress,
  RunEnd,
  RunEvent,
  RunEventBody,
  RunObserver,
  RunStart,
  ScenarioDefine,
  TurnEnd,
  TurnJudgementEvent,
  TurnReply,
  TurnStart,
  Warning,
} from "../../engine/journal/run-event.ts";
export type { Spending } from "../../engine/journal/spending.ts";
export { openStore } from "../../engine/journal/store/open-store.ts";
export { StoreError, type StoreErrorCode } from "../../engine/journal/store/store-error.ts";
export { RunFileError } from "../../engine/journal/transfer/run-file.ts";
export type { FinishedTurn, Retry, Turn, TurnVerdict, TurnWarning } from "../../engine/journal/turn.ts";
export { type ErrorCategory, ModelError } from "../../engine/models/model-error.ts";
export type { BudgetLimits } from "../../engine/run/calls/budget.ts";
export type { AnyModel } from "../../engine/run/calls/call-cache.ts";
export type { AccountCaps, RetryPolicies, RetryPolicy } from "../../engine/run/calls/limits.ts";
export type { GivenMessage, GivenRecord, GivenTurn } from "../../engine/run/records/given-record.ts";
export type { GradeOptions } from "../../engine/run/records/start-grade.ts";
export { type RegradeOptions, type Regrading, regrade } from "../../engine/run/regrade.ts";
export type {
  EmbedderOption,
  JudgeOption,
  ModelOption,
  Reading,
  RunOptions,
  SubjectOption,
  Timeouts,
} from "../../engine/run/run-options.ts";
export { type ResumeOptions, type Run, resumeRun, runScenarios } from "../../engine/run/run-scenarios.ts";
export type { Shard } from "../../engine/run/shard.ts";
export type { ConversationRecord } from "../../engine/run/step/conversation-state.ts";
export { type DrawTextOptions, drawText } from "../../insight/report/graph/draw-text.ts";
export type { Traffic } from "../../insight/report/graph/drawn-graph.ts";
export { type MermaidOptions, toMermaid } from "../../insight/report/graph/to-mermaid.ts";
export { gradeRecords } from "../project/grade-records.ts";
export { parseScenarioFile } from "../project/scenario-files/parse-scenario-file.ts";
export { scenarioToJson, scenarioToYaml } from "../project/scenario-files/write-scenario.ts";
export type { ProjectConfig, ProjectSettings } from "../project/settings.ts";

// Commands that load an author's module leave these out: they print the warnings of its definitions themselves.
provideLiquid(loadLiquid);
showWarnings((message) => process.emitWarning(message, "ElenchusWarning"));
