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
export { toMermaid } from "./drawing/to-mermaid.ts";
export type { ExtractedField, ExtractRule } from "./extract/extract-rule.ts";
export { parseScenario } from "./file/parse-scenario.ts";
export { parseScenarioFile } from "./file/parse-scenario-file.ts";
export { scenarioFileSchema } from "./file/scenario-file-shape.ts";
export { scenarioToJson, scenarioToYaml } from "./file/scenario-to-json.ts";
export { DefinitionError } from "./issue/definition-error.ts";
export { formatIssue } from "./issue/format-issue.ts";
export type { FilePosition, Issue, IssueCode, IssuePath, NodeRole } from "./issue/issue.ts";
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
export type { JsonObject, JsonValue, UnknownRecord } from "./value/json.ts";
