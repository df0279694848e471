import type { Composed } from "../logic/composition.ts";
import {
  boolean,
  either,
  json,
  list,
  nothing,
  number,
  numberOrExpression,
  object,
  type ShapeOf,
  type TypeOf,
  text,
} from "../schema/shape.ts";
import type { JsonValue } from "../values/json.ts";
import type { Check } from "./check.ts";
import type { CompiledCheck } from "./check-result.ts";
import { compileCheck } from "./evaluate-check.ts";

const PLAIN_OPTIONS = [text, number, boolean, nothing, list(json)] as const;
const PLAIN = either(...PLAIN_OPTIONS);

/** A plain value that must be equal. */
export type PlainValue = TypeOf<typeof PLAIN>;

const OPERANDS = {
  gte: numberOrExpression,
  gt: numberOrExpression,
  lte: numberOrExpression,
  lt: numberOrExpression,
  eq: PLAIN,
  ne: PLAIN,
  /** Equal to one of these. */
  in: list(PLAIN),
  /** A text has this part, or an array has this value or all of these. */
  contains: either(text, number, boolean, list(json)),
};

// The keys of the table, which `keys` forgets.
/** The names of the operators. */
export const OPERATORS = Object.keys(OPERANDS) as readonly (keyof Operators)[];

const OPERATORS_SHAPE = object(
  "a comparison",
  {},
  {
    optional: OPERANDS,
    rule: (value, report) => {
      if (Object.keys(value).length > 0) return;
      const message = `A comparison needs one of ${OPERATORS.join(", ")}.`;
      report(null, { code: "invalid_parameter", message });
    },
  },
);

/** Comparisons by name; several of them must all hold. */
export interface Operators extends TypeOf<typeof OPERATORS_SHAPE> {}

/** A comparison in short: `true`, `"bcl2"`, `3`, `["a", "b"]`, `null`, `{ gte: 2 }`. */
export type ShorthandValue = PlainValue | Operators;

/** What may stand as a shorthand. */
export const SHORTHAND_SHAPE: ShapeOf<ShorthandValue> = either(...PLAIN_OPTIONS, OPERATORS_SHAPE);

/** How one comparison becomes a leaf of a condition or an outcome. */
type MakeLeaf<Leaf> = (verifyWith: Check, expected: JsonValue) => Leaf;

/** Writes a shorthand (already known to have the right shape) out as checks; `leaf` says what is compared. */
export function shorthandCheck<Leaf>(value: ShorthandValue, leaf: MakeLeaf<Leaf>): Composed<Leaf> {
  if (!isOperators(value)) return equalTo(value, leaf);
  const parts = Object.entries(value)
    .filter(([, operand]) => operand !== undefined)
    // The shape has made sure that the keys are operators, each with its operand.
    .map(([operator, operand]) => operatorCheck(operator as keyof Operators, operand as JsonValue, leaf));
  return parts.length === 1 ? (parts[0] as Composed<Leaf>) : { type: "all_of", conditions: parts };
}

function isOperators(value: ShorthandValue): value is Operators {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function equalTo<Leaf>(value: PlainValue, leaf: MakeLeaf<Leaf>): Leaf {
  return leaf(defaultCheck(value), value);
}

/** How a value is compared by default: by its type. */
export function defaultCheck(expected: JsonValue): Check {
  switch (typeof expected) {
    case "boolean":
      return { type: "boolean_match" };
    case "string":
      return { type: "exact_match" };
    case "number":
      return { type: "numeric_exact" };
    default:
      if (expected === null) return { type: "is_null" };
      return Array.isArray(expected) ? { type: "set_containment", mode: "exact" } : { type: "literal_match" };
  }
}

function operatorCheck<Leaf>(
  operator: keyof Operators,
  operand: JsonValue,
  leaf: MakeLeaf<Leaf>,
): Composed<Leaf> {
  // Each cast below states what the shape demands of the operand of that operator.
  switch (operator) {
    case "gte":
      return leaf({ type: "numeric_minimum" }, operand);
    case "gt":
      return leaf({ type: "numeric_minimum", exclusive: true }, operand);
    case "lte":
      return leaf({ type: "numeric_maximum" }, operand);
    case "lt":
      return leaf({ type: "numeric_maximum", exclusive: true }, operand);
    case "eq":
      return equalTo(operand as PlainValue, leaf);
    case "ne":
      return { type: "not", condition: equalTo(operand as PlainValue, leaf) };
    case "in":
      return oneOf(operand as readonly PlainValue[], leaf);
    case "contains":
      return containing(operand, leaf);
  }
}

function oneOf<Leaf>(values: readonly PlainValue[], leaf: MakeLeaf<Leaf>): Composed<Leaf> {
  if (areTexts(values)) return leaf({ type: "one_of", values }, null);
  return { type: "any_of", conditions: values.map((value) => equalTo(value, leaf)) };
}

function areTexts(values: readonly PlainValue[]): values is readonly string[] {
  return values.every((value) => typeof value === "string");
}

/** Prepares the check of a comparison. Unlike the check alone, `contains` also finds a text among the items of a list. */
export function compileComparison(check: Check): CompiledCheck {
  const compiled = compileCheck(check);
  if (check.type !== "contains_any" && check.type !== "contains_all") return compiled;
  const mode = check.type === "contains_any" ? "overlap" : "superset";
  const items = compileCheck({ type: "set_containment", mode });
  return (value, expected) =>
    Array.isArray(value) ? items(value, check.substrings) : compiled(value, expected);
}

function containing<Leaf>(operand: JsonValue, leaf: MakeLeaf<Leaf>): Leaf {
  if (typeof operand === "string") return leaf({ type: "contains_any", substrings: [operand] }, null);
  const values = Array.isArray(operand) ? operand : [operand];
  return leaf({ type: "set_containment", mode: "superset" }, values);
}
