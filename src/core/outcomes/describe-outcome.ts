import { defaultCheck, shorthandCheck } from "../checks/shorthand.ts";
import { describeCode, describeComposed, describeStateCheck } from "../state/describe-condition.ts";
import type {
  AppliesWhen,
  Comparison,
  Measure,
  NodeFilter,
  Outcome,
  OutcomeCheck,
  OutcomeLeaf,
  TurnFields,
  TurnFilter,
  TurnScope,
} from "./outcome-check.ts";
import { isMeasure } from "./outcome-check.ts";

/** An outcome in words, with when it applies: `in every turn at ask: verify_result = true, if knew_it`. */
export function describeOutcome({ check, when }: Pick<Outcome, "check" | "when">): string {
  return `${describeOutcomeCheck(check)}${when === undefined ? "" : `, if ${describeAppliesWhen(when)}`}`;
}

/** When an outcome applies, in words. */
export function describeAppliesWhen(when: AppliesWhen): string {
  if (typeof when === "string") return when;
  if (when.type === "not") return `not ${inBrackets(when.condition)}`;
  const parts = when.conditions.map(inBrackets);
  if (when.type === "at_least_n") return `at least ${when.n} of (${parts.join(", ")})`;
  return parts.join(when.type === "all_of" ? " and " : " or ");
}

function inBrackets(when: AppliesWhen): string {
  return typeof when === "string" ? when : `(${describeAppliesWhen(when)})`;
}

/** What an outcome checks or measures, in words: `in the first turn: verify_result = true`. */
export function describeOutcomeCheck(check: OutcomeCheck): string {
  if (typeof check !== "object") return describeCode(check);
  return isMeasure(check) ? describeMeasure(check) : describeComposed(check, describeLeaf);
}

function describeLeaf(leaf: OutcomeLeaf): string {
  switch (leaf.type) {
    case "turn_check":
      return `${inTurns(leaf.scope)}: ${describeComparison(leaf)}`;
    case "result_check":
      return describeComparison(leaf);
    case "cross_turn_check": {
      const { sourceTurn, sourceField, targetTurn, targetField, comparison, normalize = [] } = leaf;
      const after = normalize.length === 0 ? "" : `, after ${normalize.map(nameOf).join(", ")}`;
      return `${targetField} of ${turnName(targetTurn)} ${SIGNS[comparison]} ${sourceField} of ${turnName(sourceTurn)}${after}`;
    }
    case "measure_check": {
      const { measure, comparison, expected } = leaf;
      const other = typeof expected === "number" ? String(expected) : describeMeasure(expected);
      return `${describeMeasure(measure)} ${SIGNS[comparison]} ${other}`;
    }
  }
}

function nameOf(normalizer: unknown): string {
  return typeof normalizer === "string" ? normalizer : JSON.stringify(normalizer);
}

const SIGNS: Readonly<Record<Comparison, string>> = {
  eq: "=",
  neq: "≠",
  contains: "contains",
  gt: ">",
  gte: "≥",
  lt: "<",
  lte: "≤",
};

function describeComparison({
  field,
  expected,
  verifyWith = defaultCheck(expected ?? null),
}: Pick<Extract<OutcomeLeaf, { readonly type: "turn_check" }>, "field" | "expected" | "verifyWith">): string {
  return describeStateCheck({ field, verifyWith, ...(expected === undefined ? {} : { expected }) });
}

function inTurns(scope: TurnScope): string {
  switch (scope.type) {
    case "any_turn":
      return `in some turn${atNodes(scope.node)}`;
    case "all_turns":
      return `in every turn${atNodes(scope.node)}`;
    default:
      return `in ${turnName(scope)}`;
  }
}

function turnName(scope: Exclude<TurnScope, { readonly type: "any_turn" | "all_turns" }>): string {
  switch (scope.type) {
    case "first_turn":
      return "the first turn";
    case "last_turn":
      return "the last turn";
    case "last_attempt":
      return `the last verified turn${atNodes(scope.node)}`;
    case "turn_at":
      return scope.index >= 0 ? `turn ${scope.index + 1}` : `turn ${-scope.index} from the end`;
  }
}

function atNodes(nodes: NodeFilter | undefined): string {
  return nodes === undefined ? "" : ` at ${[nodes].flat().join(" or ")}`;
}

function describeMeasure(measure: Measure): string {
  switch (measure.type) {
    case "count_turns":
      return `number of turns${filtered(measure)}`;
    case "first_match_index":
      return `position of the first turn${filtered(measure)}`;
    case "longest_run":
      return `most turns in a row${filtered(measure)}`;
    case "turn_of_flip":
      return `right turns${atNodes(measure.node)} before the first that is not`;
    case "number_of_flips":
      return `changes of verdict${atNodes(measure.node)}`;
    case "persistence":
      return `share of turns${atNodes(measure.node)} that keep the first changed verdict`;
    case "min_over_turns":
      return `smallest ${measure.field}${atNodes(measure.node)}`;
    case "mean_over_turns":
      return `mean ${measure.field}${atNodes(measure.node)}`;
    case "last_over_turns":
      return `last ${measure.field}${atNodes(measure.node)}`;
  }
}

function filtered({ node, verifyResult, where }: TurnFilter): string {
  const verdict: TurnFields = verifyResult === undefined ? {} : { verify_result: verifyResult };
  const parts = Object.entries({ ...verdict, ...where }).map(([field, value]) =>
    describeComposed(
      shorthandCheck(value, (verifyWith, expected) => ({ type: "field", field, expected, verifyWith })),
      describeStateCheck,
    ),
  );
  return `${atNodes(node)}${parts.length === 0 ? "" : ` with ${parts.join(" and ")}`}`;
}
