import { exactMatch, literalMatch, numericExact, numericRange } from "../checks/check-factories.ts";
import type { Normalizer } from "../checks/normalize.ts";
import { type ShorthandValue, shorthandCheck } from "../checks/shorthand.ts";
import type { Composed } from "../logic/composition.ts";
import type { About, KnownNode, NodeEntry, TypedTurnField, TypedTurnFields } from "../state/node-entry.ts";
import type { ConversationStatus } from "../state/state.ts";
import type {
  Comparison,
  CrossTurnCheck,
  Measure,
  MeasureCheck,
  OutcomeFunction,
  OutcomeLeaf,
  ResultCheck,
  SingleTurn,
  TurnCheck,
  TurnFields,
  TurnScope,
} from "./outcome-check.ts";

/** An outcome of a scenario with these nodes: what names another node or field is a compile error. */
export type TypedOutcome<Nodes extends NodeEntry> =
  | Composed<OutcomeLeaf & About<Nodes>>
  | TypedMeasure<Nodes>
  | OutcomeFunction
  | string;

// Each helper takes the nodes of the scenario from where it stands, and its arguments are compared with them: so an editor
// offers the ids and fields there are, and a wrong one is an error at that word.
type Assertion<Nodes extends NodeEntry> = Composed<TurnCheck> & About<Nodes>;
type TypedMeasure<Nodes extends NodeEntry> = Measure & About<Nodes>;
type Fields<Nodes extends NodeEntry> = NoInfer<TypedTurnFields<Nodes>>;
type Field<Nodes extends NodeEntry> = NoInfer<TypedTurnField<Nodes>>;
type AtNode<Nodes extends NodeEntry> = NoInfer<{
  /** Only turns of this node, or of one of these. */
  readonly node?: KnownNode<Nodes> | readonly KnownNode<Nodes>[];
}>;

/** Checks of fields of the turns in scope. */
export function turnChecks<Nodes extends NodeEntry>(
  scope: TurnScope,
  fields: Fields<Nodes>,
): Assertion<Nodes> {
  // Whatever the nodes are, fields have names and values to be compared with.
  const checks = Object.entries(fields as TurnFields).map(([field, value]) =>
    shorthandCheck<TurnCheck>(value, (verifyWith, expected) => ({
      type: "turn_check",
      scope,
      field,
      expected,
      verifyWith,
    })),
  );
  // Without fields it asks whether there is such a turn: every turn has a node.
  if (checks.length === 0) {
    const verifyWith = { type: "contains_all", substrings: [] } as const;
    return { type: "turn_check", scope, field: "node_id", verifyWith };
  }
  return checks.length === 1 ? (checks[0] as Assertion<Nodes>) : { type: "all_of", conditions: checks };
}

/** The first turn: as a check with fields, as a choice of turn for `crossTurn` without. */
export function firstTurn(): SingleTurn;
export function firstTurn<Nodes extends NodeEntry = NodeEntry>(fields: Fields<Nodes>): Assertion<Nodes>;
export function firstTurn(fields?: TurnFields): SingleTurn | Assertion<NodeEntry> {
  return checkOrTurn({ type: "first_turn" }, fields);
}

/** The last turn: as a check with fields, as a choice of turn for `crossTurn` without. */
export function lastTurn(): SingleTurn;
export function lastTurn<Nodes extends NodeEntry = NodeEntry>(fields: Fields<Nodes>): Assertion<Nodes>;
export function lastTurn(fields?: TurnFields): SingleTurn | Assertion<NodeEntry> {
  return checkOrTurn({ type: "last_turn" }, fields);
}

/** One turn by index, from 0 or from the end (-1): as a check with fields, as a choice of turn without. */
export function turnAt(index: number): SingleTurn;
export function turnAt<Nodes extends NodeEntry = NodeEntry>(
  index: number,
  fields: Fields<Nodes>,
): Assertion<Nodes>;
export function turnAt(index: number, fields?: TurnFields): SingleTurn | Assertion<NodeEntry> {
  return checkOrTurn({ type: "turn_at", index }, fields);
}

/** The last turn that was verified: as a check with fields, as a choice of turn for `crossTurn` without. */
export function lastAttempt(): SingleTurn;
export function lastAttempt<Nodes extends NodeEntry = NodeEntry>(
  fields: Fields<Nodes>,
  options?: AtNode<Nodes>,
): Assertion<Nodes>;
export function lastAttempt(
  fields?: TurnFields,
  options?: AtNode<NodeEntry>,
): SingleTurn | Assertion<NodeEntry> {
  return checkOrTurn({ type: "last_attempt", ...options }, fields);
}

function checkOrTurn(turn: SingleTurn, fields: TurnFields | undefined): SingleTurn | Assertion<NodeEntry> {
  return fields === undefined ? turn : turnChecks<NodeEntry>(turn, fields);
}

/** At least one turn (of a node) has these values; false if there is no such turn. */
export function anyTurn<Nodes extends NodeEntry = NodeEntry>(
  fields: Fields<Nodes>,
  options?: AtNode<Nodes>,
): Assertion<Nodes> {
  return turnChecks({ type: "any_turn", ...options }, fields);
}

/** Every turn (of a node) has these values; false if there is no such turn. */
export function allTurns<Nodes extends NodeEntry = NodeEntry>(
  fields: Fields<Nodes>,
  options?: AtNode<Nodes>,
): Assertion<Nodes> {
  return turnChecks({ type: "all_turns", ...options }, fields);
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
  return shorthandCheck<ResultCheck>(value, (check, expected) => {
    // The order of the path matters, where other lists are compared as sets.
    const isOrdered = field === "path" && check.type === "set_containment" && check.mode === "exact";
    return { type: "result_check", field, expected, verifyWith: isOrdered ? literalMatch() : check };
  });
}

/** Compares a field of one turn with a field of another: `target <comparison> source`. */
export function crossTurn<Nodes extends NodeEntry = NodeEntry>(options: {
  readonly source: SingleTurn;
  readonly sourceField: Field<Nodes>;
  readonly target: SingleTurn;
  readonly targetField: Field<Nodes>;
  readonly comparison: Comparison;
  readonly normalize?: readonly Normalizer[];
}): CrossTurnCheck & About<Nodes> {
  const { source, target, ...rest } = options;
  return { type: "cross_turn_check", sourceTurn: source, targetTurn: target, ...rest };
}

type CountedTurns<Nodes extends NodeEntry> = AtNode<Nodes> & {
  readonly verifyResult?: boolean;
  /** Fields of the turn and the values they must have: `{ "parsed.kind": "question" }`. */
  readonly where?: Fields<Nodes>;
};

/** A measure of all turns of a conversation, or of those of a node. */
type MeasureAtNode = <Nodes extends NodeEntry = NodeEntry>(options?: AtNode<Nodes>) => TypedMeasure<Nodes>;
/** A measure of turns at a node, with a verdict, with values of fields. */
type MeasureOfTurns = <Nodes extends NodeEntry = NodeEntry>(
  filter?: CountedTurns<Nodes>,
) => TypedMeasure<Nodes>;
/** A measure of the numbers that a field had. */
type MeasureOfField = <Nodes extends NodeEntry = NodeEntry>(
  field: Field<Nodes>,
  options?: AtNode<Nodes>,
) => TypedMeasure<Nodes>;

/** How many turns there were: at a node, with a verdict, with values of fields. */
export const countTurns: MeasureOfTurns = (filter) => measure({ type: "count_turns", ...filter });
/** The index of the first such turn, from 0; -1 if there is none. */
export const firstMatchIndex: MeasureOfTurns = (filter) => measure({ type: "first_match_index", ...filter });
/** The most such turns in a row; without a filter, the most turns in a row that passed. */
export const longestRun: MeasureOfTurns = (filter) => measure({ type: "longest_run", ...filter });
/** After the first change of verdict: the share of later turns that have the new verdict; null if there are none. */
export const persistence: MeasureAtNode = (options) => measure({ type: "persistence", ...options });
/** How many turns from the start passed in a row: the number of all turns if none ever failed. */
export const turnOfFlip: MeasureAtNode = (options) => measure({ type: "turn_of_flip", ...options });
/** How often the verdict changed between neighbouring turns. */
export const numberOfFlips: MeasureAtNode = (options) => measure({ type: "number_of_flips", ...options });
/** The smallest number that a field had. */
export const minOverTurns: MeasureOfField = (field, options) =>
  measure({ type: "min_over_turns", field, ...options });
/** The mean of the numbers that a field had. */
export const meanOverTurns: MeasureOfField = (field, options) =>
  measure({ type: "mean_over_turns", field, ...options });
/** The last number that a field had. */
export const lastOverTurns: MeasureOfField = (field, options) =>
  measure({ type: "last_over_turns", field, ...options });

function measure(parts: object): Measure {
  // Whatever the nodes are, their ids are texts, and fields have names and values to be compared with.
  return parts as Measure;
}

/** Compares a measure with a number or another measure: `measureIs(countTurns({ verifyResult: true }), "gte", 3)`. */
export function measureIs<Nodes extends NodeEntry = NodeEntry>(
  measure: NoInfer<TypedMeasure<Nodes>>,
  comparison: MeasureCheck["comparison"],
  expected: number | NoInfer<TypedMeasure<Nodes>>,
): MeasureCheck & About<Nodes> {
  return { type: "measure_check", measure, comparison, expected };
}
