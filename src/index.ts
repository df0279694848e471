export { Cassette } from "./cassette/cassette.ts";
export { readCassette, writeCassette } from "./cassette/cassette-file.ts";
export { type CassetteModelOptions, cassetteModel } from "./cassette/cassette-model.ts";
export { explainMiss } from "./cassette/explain-miss.ts";
export { type AskedCall, askedCall, type RecordedCall } from "./cassette/recorded-call.ts";
export { recordingModel } from "./cassette/recording-model.ts";
export type { Check, CheckOf, CheckType, Decay, DistanceMode, Normalizer } from "./check/check.ts";
export {
  booleanMatch,
  containsAll,
  containsAny,
  dateMatch,
  dateRange,
  dateTolerance,
  exactMatch,
  isNull,
  literalMatch,
  numericExact,
  numericGraded,
  numericMaximum,
  numericMinimum,
  numericRange,
  numericRangeGraded,
  numericThresholdGraded,
  numericTolerance,
  oneOf,
  orderedMatch,
  regexMatch,
  semanticMatch,
  setContainment,
  traceContains,
  traceLength,
  traceRegex,
} from "./check/check-factories.ts";
export type { CheckResult } from "./check/check-result.ts";
export { evaluateCheck } from "./check/evaluate-check.ts";
export type { Operators, ShorthandValue } from "./check/shorthand.ts";
export { type DrawTextOptions, drawText } from "./drawing/draw-text.ts";
export { type MermaidOptions, toMermaid } from "./drawing/to-mermaid.ts";
export type { Traffic } from "./drawing/traffic.ts";
export type { ConversationRecord } from "./engine/conversation-record.ts";
export type { ConversationState, Ending } from "./engine/conversation-state.ts";
export { type Divergence, describeDivergence } from "./engine/divergence.ts";
export type { AskEffect, Effect, FinishEffect, JudgeEffect } from "./engine/effect.ts";
export { type FoldedJournal, foldJournal } from "./engine/fold-journal.ts";
export type { AnyModel } from "./engine/model-call.ts";
export type { OpenTurn } from "./engine/open-turn.ts";
export { type RegradeOptions, type Regrading, regrade } from "./engine/regrade.ts";
export { RunError } from "./engine/run-error.ts";
export type {
  JudgeOption,
  ModelOption,
  RunOptions,
  SubjectOption,
  Timeouts,
} from "./engine/run-options.ts";
export { type ResumeOptions, type Run, resumeRun, runScenarios } from "./engine/run-scenarios.ts";
export { type Step, step } from "./engine/step.ts";
export { whyMiss } from "./engine/why-miss.ts";
export { cassetteFromRun } from "./export/cassette-from-run.ts";
export { type ConversationRow, conversationTable } from "./export/conversation-table.ts";
export { exportRun } from "./export/export-run.ts";
export { type ImportOptions, importRun } from "./export/import-run.ts";
export { type OutcomeRow, outcomeTable } from "./export/outcome-table.ts";
export { RunFileError } from "./export/run-file-error.ts";
export { storedDefinitions } from "./export/stored-definitions.ts";
export type { CellColumns, CellValue, Table, TableRow } from "./export/table.ts";
export { textLines } from "./export/text-lines.ts";
export { toCsv } from "./export/to-csv.ts";
export { toJson } from "./export/to-json.ts";
export { type TurnRow, turnTable } from "./export/turn-table.ts";
export type { ExtractedField, ExtractRule } from "./extract/extract-rule.ts";
export { parseScenario } from "./file/parse-scenario.ts";
export { parseScenarioFile } from "./file/parse-scenario-file.ts";
export { scenarioFileSchema } from "./file/scenario-file-shape.ts";
export { scenarioToJson, scenarioToYaml } from "./file/scenario-to-json.ts";
export { DefinitionError } from "./issue/definition-error.ts";
export { formatIssue } from "./issue/format-issue.ts";
export type { FilePosition, Issue, IssueCode, IssuePath, NodeRole } from "./issue/issue.ts";
export type { RunFailure, Stage } from "./journal/failure.ts";
export { memoryStore } from "./journal/memory-store.ts";
export { openStore } from "./journal/open-store.ts";
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
  RunStart,
  ScenarioDefine,
  TurnEnd,
  TurnJudgementEvent,
  TurnReply,
  TurnStart,
  Warning,
} from "./journal/run-event.ts";
export type { Spending } from "./journal/spending.ts";
export type {
  CallStore,
  ConversationFilter,
  ConversationSummary,
  ResultRow,
  RunJournal,
  RunSummary,
  Store,
  StoreSize,
} from "./journal/store.ts";
export { StoreError, type StoreErrorCode } from "./journal/store-error.ts";
export type { StoreOptions } from "./journal/store-options.ts";
export type { TurnResult } from "./journal/turn-result.ts";
export { krippendorffAlpha, type MeasurementLevel } from "./judge/agreement.ts";
export { assessReply, type ReplyAssessment, type ReplyToAssess } from "./judge/assess-reply.ts";
export type { JudgeAnswer, JudgeModel, JudgeUsage } from "./judge/judge-model.ts";
export type { Judging } from "./judge/judge-plan.ts";
export {
  type EarlierTurn,
  type JudgeInput,
  type JudgeRequest,
  judgeRequest,
  judgeRequests,
} from "./judge/judge-request.ts";
export { type JudgeTurnOptions, judgeTurn } from "./judge/judge-turn.ts";
export { combinePanel, type PanelJudgement, type PanelVote } from "./judge/panel.ts";
export { type PanelAlpha, panelAlpha } from "./judge/panel-alpha.ts";
export { type JudgedField, type Judgement, readJudgement } from "./judge/read-judgement.ts";
export { repairRequest } from "./judge/repair-request.ts";
export type { JudgeCall, TurnJudgement } from "./judge/turn-judgement.ts";
export type { BudgetLimits } from "./limit/budget.ts";
export { type Clock, systemClock } from "./limit/clock.ts";
export type { AccountCaps, RetryPolicies, RetryPolicy } from "./limit/limits.ts";
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
} from "./logic/composition.ts";
export type { Truth } from "./logic/kleene.ts";
export { type CallRepetition, callIdentity } from "./model/call-identity.ts";
export {
  type FunctionContext,
  type FunctionModelOptions,
  functionModel,
  type ReplyFunction,
} from "./model/function-model.ts";
export { type HttpModelOptions, httpModel } from "./model/http-model.ts";
export type {
  AssistantMessage,
  Message,
  ToolCall,
  ToolMessage,
  ToolResult,
  UserMessage,
} from "./model/message.ts";
export type {
  Backstage,
  CallContext,
  FinishReason,
  Model,
  ModelCard,
  ModelReply,
  ModelRequest,
  RateLimitHints,
  SimulatedModel,
  ToolDefinition,
  Usage,
} from "./model/model.ts";
export { type ErrorCategory, ModelError } from "./model/model-error.ts";
export { type PersonModelOptions, personModel } from "./model/person-model.ts";
export {
  type KnownProvider,
  knownProviders,
  type ProviderConfig,
  type ProviderKind,
} from "./model/provider.ts";
export { type ResolveOptions, resolveModel } from "./model/resolve-model.ts";
export { evaluateOutcome, type OutcomeResult } from "./outcome/evaluate-outcome.ts";
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
  TurnFilter,
  TurnScope,
} from "./outcome/outcome-check.ts";
export {
  allTurns,
  anyTurn,
  countTurns,
  crossTurn,
  firstMatchIndex,
  firstTurn,
  lastOverTurns,
  lastTurn,
  meanOverTurns,
  measureIs,
  minOverTurns,
  numberOfFlips,
  resultIs,
  statusIs,
  type TurnFields,
  turnAt,
  turnCountEq,
  turnCountGte,
  turnOfFlip,
} from "./outcome/outcome-helpers.ts";
export type { ProjectConfig, ProjectSettings } from "./project/project-config.ts";
export type { ScenarioDefinition } from "./scenario/definition.ts";
export { type FewShotExample, type Question, question } from "./scenario/question.ts";
export { type RoutedOn, routedOn } from "./scenario/routed-on.ts";
export { Scenario } from "./scenario/scenario.ts";
export { END, type Handover, type HandoverFunction, type ScenarioEdge } from "./scenario/scenario-edge.ts";
export type {
  AgentIdentity,
  ModelOverride,
  ModelReference,
  NodeOptions,
  ScenarioNode,
  ToolFilter,
} from "./scenario/scenario-node.ts";
export { simulatedModel } from "./simulation/simulated-model.ts";
export { SIMULATED_SUBJECTS, type SimulatedSubject } from "./simulation/simulated-subjects.ts";
export {
  type AdvancedState,
  advanceState,
  type FinishedTurn,
  type StateUpdate,
  type StateUpdateContext,
} from "./state/advance-state.ts";
export {
  type ConditionFunction,
  type StateCheck,
  type StateShorthand,
  stateCheck,
  type When,
  type WhenLeaf,
} from "./state/condition.ts";
export { type RoutingDecision, type RoutingEdge, resolveNextNode, type TestedEdge } from "./state/routing.ts";
export {
  type ConversationResult,
  type ConversationStatus,
  INITIAL_STATE,
  type NodeResult,
  type ScenarioState,
  type TurnRecord,
} from "./state/state.ts";
export { resolvePath } from "./state/state-path.ts";
export { extractFields } from "./template/extract-fields.ts";
export { mergeRubrics, type RubricPart, type TraitClash } from "./template/merge-rubrics.ts";
export type {
  FunctionTrait,
  LlmTrait,
  MetricName,
  MetricTrait,
  RegexTrait,
  Rubric,
  Trait,
} from "./template/rubric.ts";
export {
  type FieldLeaf,
  type FieldOptions,
  type FieldType,
  field,
  type ParsedOf,
  type ScalarType,
  type Template,
  type TemplateField,
  type TemplateFields,
  template,
  type VerifyContext,
  type VerifyFunction,
} from "./template/template.ts";
export { templateToZod } from "./template/template-to-zod.ts";
export { functionTrait, llmTrait, metricTrait, regexTrait, rubric } from "./template/trait-factories.ts";
export type { MetricDetails, TraitResult } from "./template/trait-result.ts";
export { type CaseTruth, type TruthFrom, truthFrom } from "./template/truth-from.ts";
export { type VerifiedOptions, verified } from "./template/verified.ts";
export {
  type FieldVerdict,
  type Verification,
  type VerificationContext,
  verifyParsed,
} from "./template/verify-parsed.ts";
export type { ToolEndpoint, ToolProcess, ToolServer } from "./tool/tool-server.ts";
export type { JsonObject, JsonValue, UnknownRecord } from "./value/json.ts";
