export type { Check, CheckOf, CheckType, Decay, DistanceMode } from "../../core/checks/check.ts";
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
} from "../../core/checks/check-factories.ts";
export type { CheckResult } from "../../core/checks/check-result.ts";
export { evaluateCheck } from "../../core/checks/evaluate-check.ts";
export type { Normalizer } from "../../core/checks/normalize.ts";
export type { Operators, ShorthandValue } from "../../core/checks/shorthand.ts";
