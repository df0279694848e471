import { CHECK_SHAPE } from "../checks/check.ts";
import { NORMALIZERS_SHAPE } from "../checks/normalize.ts";
import { SHORTHAND_SHAPE } from "../checks/shorthand.ts";
import { compositionShapes } from "../logic/composition.ts";
import {
  boolean,
  described,
  either,
  functionOrSource,
  json,
  list,
  nonEmptyText,
  number,
  type ObjectShape,
  object,
  oneOfTexts,
  type ReferenceShape,
  reference,
  type Shape,
  text,
} from "../schema/shape.ts";

/** One node, or one of several. */
export const NODE_FILTER: Shape = described(
  either(text, list(text)),
  "Only turns of this node, or of one of these.",
);
const NODE_FILTERS = { node: NODE_FILTER };
const WITH_NODE_FILTER = { optional: NODE_FILTERS };

function typed(type: string): Shape {
  return { kind: "literal", values: [type] };
}

const SINGLE_TURNS: Readonly<Record<string, ObjectShape>> = {
  first_turn: object("a first_turn", { type: typed("first_turn") }),
  last_turn: object("a last_turn", { type: typed("last_turn") }),
  turn_at: object("a turn_at", { type: typed("turn_at"), index: { kind: "number", integer: true } }),
  last_attempt: object("a last_attempt", { type: typed("last_attempt") }, WITH_NODE_FILTER),
};

const SINGLE_TURN: Shape = reference("singleTurn", () => ({
  kind: "variant",
  owner: "a single turn",
  variants: SINGLE_TURNS,
}));

const SCOPE: Shape = reference("scope", () => ({
  kind: "variant",
  owner: "a scope",
  variants: {
    ...SINGLE_TURNS,
    any_turn: object("an any_turn", { type: typed("any_turn") }, WITH_NODE_FILTER),
    all_turns: object("an all_turns", { type: typed("all_turns") }, WITH_NODE_FILTER),
  },
}));

/** Fields of a turn and the values they must have. */
export const TURN_FIELDS: Shape = {
  kind: "record",
  values: SHORTHAND_SHAPE,
  description: "Fields of a turn and the values they must have.",
};

const TURN_FILTER = { optional: { ...NODE_FILTERS, verifyResult: boolean, where: TURN_FIELDS } };

function overTurns(type: string): ObjectShape {
  return object(`a ${type}`, { type: typed(type), field: text }, WITH_NODE_FILTER);
}

const MEASURES: Readonly<Record<string, ObjectShape>> = {
  count_turns: object("a count_turns", { type: typed("count_turns") }, TURN_FILTER),
  first_match_index: object("a first_match_index", { type: typed("first_match_index") }, TURN_FILTER),
  longest_run: object("a longest_run", { type: typed("longest_run") }, TURN_FILTER),
  persistence: object("a persistence", { type: typed("persistence") }, WITH_NODE_FILTER),
  turn_of_flip: object("a turn_of_flip", { type: typed("turn_of_flip") }, WITH_NODE_FILTER),
  number_of_flips: object("a number_of_flips", { type: typed("number_of_flips") }, WITH_NODE_FILTER),
  min_over_turns: overTurns("min_over_turns"),
  mean_over_turns: overTurns("mean_over_turns"),
  last_over_turns: overTurns("last_over_turns"),
};

const MEASURE: Shape = reference("measure", () => ({
  kind: "variant",
  owner: "a measure",
  variants: MEASURES,
}));

const COMPARISON = { optional: { expected: json, verifyWith: CHECK_SHAPE } };

const LEAVES: Readonly<Record<string, ObjectShape>> = {
  turn_check: object("a turn_check", { type: typed("turn_check"), scope: SCOPE, field: text }, COMPARISON),
  result_check: object("a result_check", { type: typed("result_check"), field: text }, COMPARISON),
  cross_turn_check: object(
    "a cross_turn_check",
    {
      type: typed("cross_turn_check"),
      sourceTurn: SINGLE_TURN,
      sourceField: text,
      targetTurn: SINGLE_TURN,
      targetField: text,
      comparison: oneOfTexts("eq", "neq", "contains", "gt", "gte", "lt", "lte"),
    },
    { optional: { normalize: NORMALIZERS_SHAPE } },
  ),
  measure_check: object("a measure_check", {
    type: typed("measure_check"),
    measure: MEASURE,
    comparison: oneOfTexts("eq", "neq", "gt", "gte", "lt", "lte"),
    expected: either(number, MEASURE),
  }),
};

const ASSERTION: Shape = reference("assertion", () => ({
  kind: "variant",
  owner: "an assertion",
  variants: { ...LEAVES, ...compositionShapes(ASSERTION) },
}));

/** The check of an outcome. */
export const OUTCOME_CHECK: Shape = reference("outcomeCheck", () =>
  either(
    {
      kind: "variant",
      owner: "an outcome check",
      variants: { ...LEAVES, ...compositionShapes(ASSERTION), ...MEASURES },
    },
    functionOrSource,
  ),
);

/** A condition over other outcomes. */
export const APPLIES: Shape = reference("applies", () =>
  either(nonEmptyText, {
    kind: "variant",
    owner: "a condition over outcomes",
    variants: compositionShapes(APPLIES),
  }),
);

/** What an outcome may have besides its name and its check. */
export const OUTCOME_OPTIONS: Readonly<Record<string, Shape>> = {
  description: text,
  when: described(
    APPLIES,
    "When the outcome applies: the name of another outcome that must be true, or a composition of names.",
  ),
  good: described(boolean, "Whether it is good if the outcome is true, or bad; for reports."),
};

/** A named assertion or number over the finished conversation. */
export const OUTCOME_SHAPE: ReferenceShape = reference("outcome", () =>
  object(
    "an outcome",
    {
      name: described(nonEmptyText, "The name under which the outcome is reported."),
      check: OUTCOME_CHECK,
    },
    { optional: OUTCOME_OPTIONS },
  ),
);
