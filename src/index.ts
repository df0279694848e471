export type { Check, CheckOf, CheckType, Decay, DistanceMode, Normalizer } from "./core/checks/check.ts";
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
} from "./core/checks/check-factories.ts";
export type { CheckResult } from "./core/checks/check-result.ts";
export { evaluateCheck } from "./core/checks/evaluate-check.ts";
export type { Operators, ShorthandValue } from "./core/checks/shorthand.ts";
export type { Clock } from "./core/environment.ts";
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
} from "./core/logic/composition.ts";
export type { Truth } from "./core/logic/kleene.ts";
export { evaluateOutcome, type OutcomeResult } from "./core/outcomes/evaluate-outcome.ts";
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
} from "./core/outcomes/outcome-check.ts";
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
} from "./core/outcomes/outcome-helpers.ts";
export {
  type AgentIdentity,
  END,
  type FewShotExample,
  type Handover,
  type HandoverFunction,
  type ModelOverride,
  type ModelReference,
  type NodeOptions,
  type Question,
  question,
  type ScenarioDefinition,
  type ScenarioEdge,
  type ScenarioNode,
  type ToolFilter,
} from "./core/scenario/definition.ts";
export { parseScenario } from "./core/scenario/parse-scenario.ts";
export { type RoutedOn, routedOn } from "./core/scenario/routed-on.ts";
export { Scenario } from "./core/scenario/scenario.ts";
export { scenarioFileSchema } from "./core/scenario/scenario-shape.ts";
export { DefinitionError, formatIssue } from "./core/schema/format-issue.ts";
export type { FilePosition, Issue, IssueCode, IssuePath, NodeRole } from "./core/schema/issue.ts";
export {
  type AdvancedState,
  advanceState,
  type StateUpdate,
  type StateUpdateContext,
} from "./core/state/advance-state.ts";
export {
  type ConditionFunction,
  type StateCheck,
  type StateShorthand,
  stateCheck,
  type When,
  type WhenLeaf,
} from "./core/state/condition.ts";
export {
  type RoutingDecision,
  type RoutingEdge,
  resolveNextNode,
  type TestedEdge,
} from "./core/state/routing.ts";
export {
  type ConversationResult,
  type ConversationStatus,
  INITIAL_STATE,
  type NodeResult,
  type ScenarioState,
  type TurnRecord,
} from "./core/state/state.ts";
export { resolvePath } from "./core/state/state-path.ts";
export type { ExtractedField, ExtractRule } from "./core/templates/extract-rule.ts";
export {
  type FunctionTrait,
  functionTrait,
  type LlmTrait,
  llmTrait,
  type MetricName,
  type MetricTrait,
  mergeRubrics,
  metricTrait,
  type RegexTrait,
  type Rubric,
  type RubricPart,
  regexTrait,
  rubric,
  type Trait,
  type TraitClash,
} from "./core/templates/rubric.ts";
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
  templateToZod,
  type VerifyContext,
  type VerifyFunction,
} from "./core/templates/template.ts";
export { type CaseTruth, type TruthFrom, truthFrom } from "./core/templates/truth-from.ts";
export { type VerifiedOptions, verified } from "./core/templates/verified.ts";
export type { JsonObject, JsonValue, UnknownRecord } from "./core/values/json.ts";
export {
  krippendorffAlpha,
  type MeasurementLevel,
  type PanelAlpha,
  panelAlpha,
} from "./grading/judge/agreement.ts";
export { assessReply, type ReplyAssessment, type ReplyToAssess } from "./grading/judge/assess-reply.ts";
export {
  type EarlierTurn,
  type JudgeInput,
  type JudgeRequest,
  type Judging,
  judgeRequest,
  judgeRequests,
  repairRequest,
} from "./grading/judge/judge-request.ts";
export {
  type JudgeAnswer,
  type JudgeCall,
  type JudgeModel,
  type JudgeTurnOptions,
  type JudgeUsage,
  judgeTurn,
  type TurnJudgement,
} from "./grading/judge/judge-turn.ts";
export { combinePanel, type PanelJudgement, type PanelVote } from "./grading/judge/panel.ts";
export { type JudgedField, type Judgement, readJudgement } from "./grading/judge/read-judgement.ts";
export { extractFields } from "./grading/reading/extract-value.ts";
export type { MetricDetails, TraitResult } from "./grading/verify/trait-value.ts";
export {
  type FieldVerdict,
  type Verification,
  type VerificationContext,
  verifyParsed,
} from "./grading/verify/verify-parsed.ts";
export { RunError, type RunFailure, type Stage } from "./journal/failure.ts";
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
export { memoryStore } from "./journal/store/memory-store.ts";
export { openStore } from "./journal/store/open-store.ts";
export type {
  CallStore,
  ConversationFilter,
  ConversationSummary,
  ResultRow,
  RunJournal,
  RunSummary,
  Store,
  StoreOptions,
  StoreSize,
} from "./journal/store/store.ts";
export { StoreError, type StoreErrorCode } from "./journal/store/store-error.ts";
export { RunFileError } from "./journal/transfer/checked-line.ts";
export { exportRun } from "./journal/transfer/export-run.ts";
export { type ImportOptions, importRun } from "./journal/transfer/import-run.ts";
export { textLines } from "./journal/transfer/run-file.ts";
export { cassetteFromRun, storedDefinitions } from "./journal/transfer/stored-run.ts";
export { toCsv, toJson } from "./journal/transfer/table-text.ts";
export {
  type CellColumns,
  type CellValue,
  type ConversationRow,
  conversationTable,
  type OutcomeRow,
  outcomeTable,
  type Table,
  type TableRow,
  type TurnRow,
  turnTable,
} from "./journal/transfer/tables.ts";
export type { FinishedTurn, Retry, Turn, TurnVerdict, TurnWarning } from "./journal/turn.ts";
export { type CallRepetition, callIdentity } from "./models/call-identity.ts";
export { Cassette } from "./models/cassette/cassette.ts";
export { readCassette, writeCassette } from "./models/cassette/cassette-file.ts";
export {
  type CassetteModelOptions,
  cassetteModel,
  recordingModel,
} from "./models/cassette/cassette-model.ts";
export { explainMiss } from "./models/cassette/explain-miss.ts";
export { type CallRequest, callRequest, type RecordedCall } from "./models/cassette/recorded-call.ts";
export {
  type FunctionContext,
  type FunctionModelOptions,
  functionModel,
  type ReplyFunction,
} from "./models/function/function-model.ts";
export { type HttpModelOptions, httpModel } from "./models/http/http-model.ts";
export type {
  AssistantMessage,
  Message,
  ToolCall,
  ToolMessage,
  ToolResult,
  UserMessage,
} from "./models/message.ts";
export type {
  CallContext,
  FinishReason,
  Model,
  ModelCard,
  ModelReply,
  ModelRequest,
  RateLimitHints,
  SimulatedModel,
  SimulationInput,
  ToolDefinition,
  Usage,
} from "./models/model.ts";
export { type ErrorCategory, ModelError } from "./models/model-error.ts";
export { type PersonModelOptions, personModel } from "./models/person/person-model.ts";
export {
  type KnownProvider,
  knownProviders,
  type ProviderConfig,
  type ProviderKind,
} from "./models/providers/provider.ts";
export { type ResolveOptions, resolveModel } from "./models/resolve-model.ts";
export { simulatedModel } from "./models/simulated/simulated-model.ts";
export { SIMULATED_SUBJECTS, type SimulatedSubject } from "./models/simulated/simulated-subjects.ts";
export type { ToolEndpoint, ToolProcess, ToolServer } from "./models/tools/resolve-tool-servers.ts";
export { parseScenarioFile } from "./project/scenario-files/parse-scenario-file.ts";
export { scenarioToJson, scenarioToYaml } from "./project/scenario-files/write-scenario.ts";
export type { ProjectConfig, ProjectSettings } from "./project/settings.ts";
export { type DrawTextOptions, drawText } from "./report/graph/draw-text.ts";
export type { Traffic } from "./report/graph/drawn-graph.ts";
export { type MermaidOptions, toMermaid } from "./report/graph/to-mermaid.ts";
export type { BudgetLimits } from "./run/calls/budget.ts";
export { type AnyModel, whyMiss } from "./run/calls/call-cache.ts";
export { systemClock } from "./run/calls/clock.ts";
export type { AccountCaps, RetryPolicies, RetryPolicy } from "./run/calls/limits.ts";
export { type Divergence, describeDivergence } from "./run/recorded-conversation.ts";
export { type RegradeOptions, type Regrading, regrade } from "./run/regrade.ts";
export type { JudgeOption, ModelOption, RunOptions, SubjectOption, Timeouts } from "./run/run-options.ts";
export { type ResumeOptions, type Run, resumeRun, runScenarios } from "./run/run-scenarios.ts";
export type {
  AskEffect,
  ConversationRecord,
  ConversationState,
  Effect,
  Ending,
  FinishEffect,
  JudgeEffect,
} from "./run/step/conversation-state.ts";
export { type FoldedJournal, foldJournal, type Step, step } from "./run/step/step.ts";
