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
export { parseScenario } from "./file/parse-scenario.ts";
export { parseScenarioFile } from "./file/parse-scenario-file.ts";
export { scenarioFileSchema } from "./file/scenario-file-shape.ts";
export { scenarioToJson, scenarioToYaml } from "./file/scenario-to-json.ts";
export { DefinitionError } from "./issue/definition-error.ts";
export { formatIssue } from "./issue/format-issue.ts";
export type { FilePosition, Issue, IssueCode, IssuePath, NodeRole } from "./issue/issue.ts";
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
export type { FunctionTrait, LlmTrait, MetricTrait, RegexTrait, Rubric, Trait } from "./template/rubric.ts";
export {
  type FieldLeaf,
  type FieldType,
  type ParsedOf,
  type ScalarType,
  type Template,
  type TemplateField,
  type TemplateFields,
  template,
} from "./template/template.ts";
export type { JsonObject, JsonValue, UnknownRecord } from "./value/json.ts";
