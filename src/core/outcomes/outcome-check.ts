import { CHECK_SHAPE } from "../checks/check.ts";
import { NORMALIZERS_SHAPE } from "../checks/normalize.ts";
import { SHORTHAND_SHAPE } from "../checks/shorthand.ts";
import { type Composed, compositionShapes } from "../logic/composition.ts";
import {
  boolean,
  code,
  described,
  either,
  integer,
  json,
  list,
  nonEmptyText,
  number,
  object,
  oneOfTexts,
  record,
  reference,
  type ShapeOf,
  type TypeOf,
  text,
  variant,
  variantShapes,
} from "../schema/shape.ts";
import type { ConversationResult } from "../state/state.ts";

export const NODE_FILTER = described(
  either(text, list(text)),
  "Only turns of this node, or of one of these.",
);

/** One node, or one of several. */
export type NodeFilter = TypeOf<typeof NODE_FILTER>;

const AT_NODE = { optional: { node: NODE_FILTER } };

const SINGLE_TURNS = {
  first_turn: {},
  last_turn: {},
  turn_at: { required: { index: integer } },
  // The last turn that was verified: at a node with a template, and not left out by its gate.
  last_attempt: AT_NODE,
};

const SINGLE_TURN = reference("singleTurn", () => variant("a single turn", variantShapes(SINGLE_TURNS)));

/** Picks exactly one turn; a negative index counts from the end. */
export type SingleTurn = TypeOf<typeof SINGLE_TURN>;

const SCOPE = reference("scope", () =>
  variant("a scope", variantShapes({ ...SINGLE_TURNS, any_turn: AT_NODE, all_turns: AT_NODE })),
);

/** Picks the turns that a check looks at. */
export type TurnScope = TypeOf<typeof SCOPE>;

/** The node filter of a scope that has one. */
export function nodeFilter(scope: TurnScope): NodeFilter | undefined {
  return "node" in scope ? scope.node : undefined;
}

export const TURN_FIELDS = described(
  record(SHORTHAND_SHAPE),
  "Fields of a turn and the values they must have.",
);

/** Fields of a turn and the values they must have: `{ verify_result: true, "parsed.n": { gte: 3 } }`. */
export type TurnFields = TypeOf<typeof TURN_FIELDS>;

const TURN_FILTER = { optional: { node: NODE_FILTER, verifyResult: boolean, where: TURN_FIELDS } };

/** Which turns are counted: by node, by verdict, by what was read of the reply. */
export type TurnFilter = Omit<Extract<Measure, { readonly type: "count_turns" }>, "type">;

const OVER_TURNS = { required: { field: text }, ...AT_NODE };

const MEASURES = variantShapes({
  count_turns: TURN_FILTER,
  // From 0; -1 if no turn matches.
  first_match_index: TURN_FILTER,
  // The most such turns in a row; without a filter, the most passes in a row.
  longest_run: TURN_FILTER,
  // After the first change of verdict: the share of later turns that have the new verdict.
  persistence: AT_NODE,
  // Length of the leading run of passes.
  turn_of_flip: AT_NODE,
  // Changes of verdict between neighbouring turns.
  number_of_flips: AT_NODE,
  min_over_turns: OVER_TURNS,
  mean_over_turns: OVER_TURNS,
  last_over_turns: OVER_TURNS,
});

const MEASURE = reference("measure", () => variant("a measure", MEASURES));

/** A number over the turns of a conversation. */
export type Measure = TypeOf<typeof MEASURE>;

/** True for the checks that give a number. */
export function isMeasure(check: { readonly type: string }): check is Measure {
  return Object.hasOwn(MEASURES, check.type);
}

const COMPARED = { expected: json, verifyWith: CHECK_SHAPE };

const LEAVES = variantShapes({
  turn_check: { required: { scope: SCOPE, field: text }, optional: COMPARED },
  result_check: { required: { field: text }, optional: COMPARED },
  cross_turn_check: {
    required: {
      sourceTurn: SINGLE_TURN,
      sourceField: text,
      targetTurn: SINGLE_TURN,
      targetField: text,
      comparison: oneOfTexts("eq", "neq", "contains", "gt", "gte", "lt", "lte"),
    },
    optional: { normalize: NORMALIZERS_SHAPE },
  },
  measure_check: {
    required: {
      measure: MEASURE,
      comparison: oneOfTexts("eq", "neq", "gt", "gte", "lt", "lte"),
      expected: either(number, MEASURE),
    },
  },
});

/** Compares a field of the turns in scope; how follows from the type of `expected`, unless `verifyWith` says it. */
export interface TurnCheck extends TypeOf<typeof LEAVES.turn_check> {}
/** Compares a field of the whole conversation. */
export interface ResultCheck extends TypeOf<typeof LEAVES.result_check> {}
/** Compares a field of one turn with a field of another: `target <comparison> source`. */
export interface CrossTurnCheck extends TypeOf<typeof LEAVES.cross_turn_check> {}
/** Compares a measure with a number or with another measure. */
export interface MeasureCheck extends TypeOf<typeof LEAVES.measure_check> {}

/** How two values are compared: `target <comparison> source`. */
export type Comparison = CrossTurnCheck["comparison"];

/** A leaf of an outcome that is true, false or inconclusive. */
export type OutcomeLeaf = TurnCheck | ResultCheck | CrossTurnCheck | MeasureCheck;

/** Decides over the finished conversation; null means that it cannot tell. */
export type OutcomeFunction = (result: ConversationResult) => boolean | number | null;

/** What an outcome can be: an assertion, a number, or a function. */
export type OutcomeCheck = Composed<OutcomeLeaf> | Measure | OutcomeFunction | string;

const ASSERTION: ShapeOf<Composed<OutcomeLeaf>> = reference("assertion", () =>
  variant("an assertion", { ...LEAVES, ...compositionShapes(ASSERTION) }),
);

/** The check of an outcome. */
export const OUTCOME_CHECK: ShapeOf<OutcomeCheck> = reference("outcomeCheck", () =>
  either(
    variant("an outcome check", { ...LEAVES, ...compositionShapes(ASSERTION), ...MEASURES }),
    code<OutcomeFunction>(),
  ),
);

/** A condition over other outcomes: `"knew_it"`, `not("refused")`. */
export type AppliesWhen = Composed<string>;

export const APPLIES: ShapeOf<AppliesWhen> = reference("applies", () =>
  either(nonEmptyText, variant("a condition over outcomes", compositionShapes(APPLIES))),
);

/** What an outcome may have besides its name and its check. */
export const OUTCOME_OPTIONS = {
  description: text,
  when: described(
    APPLIES,
    "When the outcome applies: the name of another outcome that must be true, or a composition of names.",
  ),
  good: described(boolean, "Whether it is good if the outcome is true, or bad; for reports."),
  shown: described(boolean, "False to leave it out of tables, lists and pages unless it is named."),
};

/** An outcome, as it stands in files. */
export const OUTCOME_SHAPE = reference("outcome", () =>
  object(
    "an outcome",
    {
      name: described(nonEmptyText, "The name under which the outcome is reported."),
      check: OUTCOME_CHECK,
    },
    { optional: OUTCOME_OPTIONS },
  ),
);

/** A named assertion or number over the finished conversation. */
export interface Outcome extends TypeOf<typeof OUTCOME_SHAPE> {}
