import type { Check, Normalizer } from "../checks/check.ts";
import { exactMatch, numericExact, numericRange } from "../checks/check-factories.ts";
import { type ShorthandValue, shorthandCheck } from "../checks/shorthand.ts";
import type { Composed } from "../logic/composition.ts";
import type { ConversationStatus } from "../state/state.ts";
import type { JsonValue } from "../values/json.ts";
import type {
  Comparison,
  CrossTurnCheck,
  Measure,
  MeasureCheck,
  NodeFilter,
  ResultCheck,
  SingleTurn,
  TurnCheck,
  TurnScope,
} from "./outcome-check.ts";

/** Fields of a turn and the values they must have: `{ verify_result: true, "parsed.n": { gte: 3 } }`. */
export type TurnFields = Readonly<Record<string, ShorthandValue>>;

type Assertion = Composed<TurnCheck>;

function turnChecks(scope: TurnScope, fields: TurnFields): Assertion {
  const checks = Object.entries(fields).map(([field, value]) =>
    shorthandCheck<TurnCheck>(value, (verifyWith: Check, expected: JsonValue) => ({
      type: "turn_check",
      scope,
      field,
      expected,
      verifyWith,
    })),
  );
  return checks.length === 1 ? (checks[0] as Assertion) : { type: "all_of", conditions: checks };
}

/** The first turn: as a check with fields, as a choice of turn for `crossTurn` without. */
export function firstTurn(): SingleTurn;
export function firstTurn(fields: TurnFields): Assertion;
export function firstTurn(fields?: TurnFields): SingleTurn | Assertion {
  return checkOrTurn({ type: "first_turn" }, fields);
}

/** The last turn: as a check with fields, as a choice of turn for `crossTurn` without. */
export function lastTurn(): SingleTurn;
export function lastTurn(fields: TurnFields): Assertion;
export function lastTurn(fields?: TurnFields): SingleTurn | Assertion {
  return checkOrTurn({ type: "last_turn" }, fields);
}

/** One turn by index, from 0 or from the end (-1): as a check with fields, as a choice of turn without. */
export function turnAt(index: number): SingleTurn;
export function turnAt(index: number, fields: TurnFields): Assertion;
export function turnAt(index: number, fields?: TurnFields): SingleTurn | Assertion {
  return checkOrTurn({ type: "turn_at", index }, fields);
}

function checkOrTurn(turn: SingleTurn, fields: TurnFields | undefined): SingleTurn | Assertion {
  return fields === undefined ? turn : turnChecks(turn, fields);
}

interface AtNode {
  /** Only turns of this node, or of one of these. */
  readonly node?: NodeFilter;
}

/** At least one turn (of a node) has these values; false if there is no such turn. */
export function anyTurn(fields: TurnFields, { node }: AtNode = {}): Assertion {
  return turnChecks({ type: "any_turn", ...atNode(node) }, fields);
}

/** Every turn (of a node) has these values; false if there is no such turn. */
export function allTurns(fields: TurnFields, { node }: AtNode = {}): Assertion {
  return turnChecks({ type: "all_turns", ...atNode(node) }, fields);
}

/** The conversation ended with this status. */
export function statusIs(status: ConversationStatus): ResultCheck {
  return { type: "result_check", field: "status", expected: status, verifyWith: exactMatch() };
}

/** The conversation had at least `n` turns. */
export function turnCountGte(n: number): ResultCheck {
  return { type: "result_check", field: "turn_count", verifyWith: numericRange({ min: n }) };
}

/** The conversation had exactly `n` turns. */
export function turnCountEq(n: number): ResultCheck {
  return { type: "result_check", field: "turn_count", expected: n, verifyWith: numericExact() };
}

/** A field of the whole conversation: `resultIs("accumulated.attempts", { lte: 3 })`. */
export function resultIs(field: string, value: ShorthandValue): Composed<ResultCheck> {
  return shorthandCheck<ResultCheck>(value, (verifyWith: Check, expected: JsonValue) => ({
    type: "result_check",
    field,
    expected,
    verifyWith,
  }));
}

/** Compares a field of one turn with a field of another: `target <comparison> source`. */
export function crossTurn(options: {
  readonly source: SingleTurn;
  readonly sourceField: string;
  readonly target: SingleTurn;
  readonly targetField: string;
  readonly comparison: Comparison;
  readonly normalize?: readonly Normalizer[];
}): CrossTurnCheck {
  const { source, target, ...rest } = options;
  return { type: "cross_turn_check", sourceTurn: source, targetTurn: target, ...rest };
}

interface CountedTurns extends AtNode {
  readonly verifyResult?: boolean;
}

/** How many turns there were, at a node, with a verdict, or both. */
export function countTurns({ node, verifyResult }: CountedTurns = {}): Measure {
  return { type: "count_turns", ...atNode(node), ...withVerdict(verifyResult) };
}

/** The index of the first such turn, from 0; -1 if there is none. */
export function firstMatchIndex({ node, verifyResult }: CountedTurns = {}): Measure {
  return { type: "first_match_index", ...atNode(node), ...withVerdict(verifyResult) };
}

/** How many turns from the start passed in a row: the number of all turns if none ever failed. */
export function turnOfFlip({ node }: AtNode = {}): Measure {
  return { type: "turn_of_flip", ...atNode(node) };
}

/** How often the verdict changed between neighbouring turns. */
export function numberOfFlips({ node }: AtNode = {}): Measure {
  return { type: "number_of_flips", ...atNode(node) };
}

/** The smallest number that a field had. */
export function minOverTurns(field: string, { node }: AtNode = {}): Measure {
  return { type: "min_over_turns", field, ...atNode(node) };
}

/** The mean of the numbers that a field had. */
export function meanOverTurns(field: string, { node }: AtNode = {}): Measure {
  return { type: "mean_over_turns", field, ...atNode(node) };
}

/** The last number that a field had. */
export function lastOverTurns(field: string, { node }: AtNode = {}): Measure {
  return { type: "last_over_turns", field, ...atNode(node) };
}

/** Compares a measure with a number or another measure: `measureIs(countTurns({ verifyResult: true }), "gte", 3)`. */
export function measureIs(
  measure: Measure,
  comparison: MeasureCheck["comparison"],
  expected: number | Measure,
): MeasureCheck {
  return { type: "measure_check", measure, comparison, expected };
}

function atNode(node: NodeFilter | undefined): { readonly node?: NodeFilter } {
  return node === undefined ? {} : { node: node };
}

function withVerdict(verifyResult: boolean | undefined): { readonly verifyResult?: boolean } {
  return verifyResult === undefined ? {} : { verifyResult };
}
