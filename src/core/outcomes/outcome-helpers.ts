import type { Check } from "../checks/check.ts";
import { exactMatch, literalMatch, numericExact, numericRange } from "../checks/check-factories.ts";
import type { Normalizer } from "../checks/normalize.ts";
import { type ShorthandValue, shorthandCheck } from "../checks/shorthand.ts";
import type { Composed } from "../logic/composition.ts";
import type { About, KnownNode, NodeEntry, TypedTurnField, TypedTurnFields } from "../state/node-entry.ts";
import type { ConversationStatus } from "../state/state.ts";
import type { JsonValue } from "../values/json.ts";
import type {
  Comparison,
  CrossTurnCheck,
  Measure,
  MeasureCheck,
  NodeFilter,
  OutcomeFunction,
  OutcomeLeaf,
  ResultCheck,
  SingleTurn,
  TurnCheck,
  TurnFields,
  TurnFilter,
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
type AtNodeOf<Nodes extends NodeEntry> = NoInfer<AtNode<KnownNode<Nodes>>>;

function turnChecks<Nodes extends NodeEntry>(scope: TurnScope, fields: Fields<Nodes>): Assertion<Nodes> {
  // Whatever the nodes are, fields have names and values to be compared with.
  const checks = Object.entries(fields as TurnFields).map(([field, value]) =>
    shorthandCheck<TurnCheck>(value, (verifyWith: Check, expected: JsonValue) => ({
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
  options?: AtNodeOf<Nodes>,
): Assertion<Nodes>;
export function lastAttempt(
  fields?: TurnFields,
  { node }: AtNode<string> = {},
): SingleTurn | Assertion<NodeEntry> {
  return checkOrTurn({ type: "last_attempt", ...atNode(node) }, fields);
}

function checkOrTurn(turn: SingleTurn, fields: TurnFields | undefined): SingleTurn | Assertion<NodeEntry> {
  return fields === undefined ? turn : turnChecks<NodeEntry>(turn, fields);
}

interface AtNode<Id extends string> {
  /** Only turns of this node, or of one of these. */
  readonly node?: Id | readonly Id[];
}

/** At least one turn (of a node) has these values; false if there is no such turn. */
export function anyTurn<Nodes extends NodeEntry = NodeEntry>(
  fields: Fields<Nodes>,
  { node }: AtNodeOf<Nodes> = {},
): Assertion<Nodes> {
  return turnChecks({ type: "any_turn", ...atNode(node) }, fields);
}

/** Every turn (of a node) has these values; false if there is no such turn. */
export function allTurns<Nodes extends NodeEntry = NodeEntry>(
  fields: Fields<Nodes>,
  { node }: AtNodeOf<Nodes> = {},
): Assertion<Nodes> {
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
    // The order of the path matters, where other lists are compared as sets.
    verifyWith: field === "path" && isSetEquality(verifyWith) ? literalMatch() : verifyWith,
  }));
}

function isSetEquality(check: Check): boolean {
  return check.type === "set_containment" && check.mode === "exact";
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

interface CountedTurns<Nodes extends NodeEntry> extends AtNode<KnownNode<Nodes>> {
  readonly verifyResult?: boolean;
  /** Fields of the turn and the values they must have: `{ "parsed.kind": "question" }`. */
  readonly where?: TypedTurnFields<Nodes>;
}

/** How many turns there were: at a node, with a verdict, with values of fields. */
export function countTurns<Nodes extends NodeEntry = NodeEntry>(
  filter: NoInfer<CountedTurns<Nodes>> = {},
): TypedMeasure<Nodes> {
  return { type: "count_turns", ...turnFilter(filter) };
}

/** The index of the first such turn, from 0; -1 if there is none. */
export function firstMatchIndex<Nodes extends NodeEntry = NodeEntry>(
  filter: NoInfer<CountedTurns<Nodes>> = {},
): TypedMeasure<Nodes> {
  return { type: "first_match_index", ...turnFilter(filter) };
}

/** The most such turns in a row; without a filter, the most turns in a row that passed. */
export function longestRun<Nodes extends NodeEntry = NodeEntry>(
  filter: NoInfer<CountedTurns<Nodes>> = {},
): TypedMeasure<Nodes> {
  return { type: "longest_run", ...turnFilter(filter) };
}

/** After the first change of verdict: the share of later turns that have the new verdict; null if there are none. */
export function persistence<Nodes extends NodeEntry = NodeEntry>({
  node,
}: AtNodeOf<Nodes> = {}): TypedMeasure<Nodes> {
  return { type: "persistence", ...atNode(node) };
}

/** How many turns from the start passed in a row: the number of all turns if none ever failed. */
export function turnOfFlip<Nodes extends NodeEntry = NodeEntry>({
  node,
}: AtNodeOf<Nodes> = {}): TypedMeasure<Nodes> {
  return { type: "turn_of_flip", ...atNode(node) };
}

/** How often the verdict changed between neighbouring turns. */
export function numberOfFlips<Nodes extends NodeEntry = NodeEntry>({
  node,
}: AtNodeOf<Nodes> = {}): TypedMeasure<Nodes> {
  return { type: "number_of_flips", ...atNode(node) };
}

/** The smallest number that a field had. */
export function minOverTurns<Nodes extends NodeEntry = NodeEntry>(
  field: Field<Nodes>,
  { node }: AtNodeOf<Nodes> = {},
): TypedMeasure<Nodes> {
  return { type: "min_over_turns", field, ...atNode(node) };
}

/** The mean of the numbers that a field had. */
export function meanOverTurns<Nodes extends NodeEntry = NodeEntry>(
  field: Field<Nodes>,
  { node }: AtNodeOf<Nodes> = {},
): TypedMeasure<Nodes> {
  return { type: "mean_over_turns", field, ...atNode(node) };
}

/** The last number that a field had. */
export function lastOverTurns<Nodes extends NodeEntry = NodeEntry>(
  field: Field<Nodes>,
  { node }: AtNodeOf<Nodes> = {},
): TypedMeasure<Nodes> {
  return { type: "last_over_turns", field, ...atNode(node) };
}

/** Compares a measure with a number or another measure: `measureIs(countTurns({ verifyResult: true }), "gte", 3)`. */
export function measureIs<Nodes extends NodeEntry = NodeEntry>(
  measure: NoInfer<TypedMeasure<Nodes>>,
  comparison: MeasureCheck["comparison"],
  expected: number | NoInfer<TypedMeasure<Nodes>>,
): MeasureCheck & About<Nodes> {
  return { type: "measure_check", measure, comparison, expected };
}

function atNode(node: NodeFilter | undefined): { readonly node?: NodeFilter } {
  return node === undefined ? {} : { node: node };
}

function turnFilter<Nodes extends NodeEntry>({ node, verifyResult, where }: CountedTurns<Nodes>): TurnFilter {
  return {
    ...atNode(node),
    ...(verifyResult === undefined ? {} : { verifyResult }),
    // Whatever the nodes are, fields have names and values to be compared with.
    ...(where === undefined ? {} : { where: where as TurnFields }),
  };
}
