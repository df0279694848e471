import type { Check } from "../checks/check.ts";
import { CHECK_SHAPE } from "../checks/check.ts";
import { defaultCheck, SHORTHAND_SHAPE, type ShorthandValue, shorthandCheck } from "../checks/shorthand.ts";
import { type Composed, compositionShapes, isComposition } from "../logic/composition.ts";
import {
  code,
  described,
  either,
  json,
  list,
  nothing,
  object,
  oneOfTexts,
  record,
  reference,
  type Shape,
  type ShapeOf,
  text,
  variant,
} from "../schema/shape.ts";
import type { JsonValue, UnknownRecord } from "../values/json.ts";
import type { ScenarioState } from "./state.ts";

/** Compares the value at a path of the state. */
export interface StateCheck<Field extends string = string> {
  readonly type: "state_check";
  readonly field: Field;
  readonly expected?: JsonValue;
  /** How to compare; the default follows from the type of `expected`. */
  readonly verifyWith?: Check;
}

/** Decides from what has happened so far; must answer with true or false. */
export type ConditionFunction<Parsed = never> = (
  accumulated: UnknownRecord,
  parsed: Parsed,
  state: ScenarioState,
) => boolean;

/** One path and the value it must have: `{ verify_result: true }`, `{ "parsed.n": { gte: 3 } }`. */
export type StateShorthand = Readonly<Record<string, ShorthandValue>>;

/** What may stand inside `allOf`, `anyOf`, `atLeastN` and `not` of a condition. */
export type WhenLeaf = StateCheck | StateShorthand | ConditionFunction | string;

/** Everything that an author may write as `when`. */
export type When = Composed<WhenLeaf> | readonly (StateShorthand | StateCheck)[] | null;

/** A leaf of the one form that all conditions are compiled to. */
export type ConditionLeaf = ExplicitStateCheck | FunctionLeaf;

/** A state check that says how to compare. */
export type ExplicitStateCheck = StateCheck & Required<Pick<StateCheck, "verifyWith">>;

/** A condition that is code: a function, or source text that a sandbox must run. */
interface FunctionLeaf {
  readonly type: "function";
  readonly code: ConditionFunction | string;
}

/** The one form that all conditions are compiled to. */
export type Condition = Composed<ConditionLeaf>;

/** An explicit comparison: `stateCheck({ field: "parsed.n", expected: 3, verifyWith: numericTolerance({ tolerance: 0.1 }) })`. */
export function stateCheck<const Field extends string>(
  check: Omit<StateCheck<Field>, "type">,
): StateCheck<Field> {
  return { type: "state_check", ...check };
}

/** Brings any form of `when` (already known to have the right shape) into the one form; null means unconditional. */
export function compileWhen(when: When | undefined): Condition | null {
  if (when === undefined || when === null) return null;
  if (isWhenList(when)) return { type: "all_of", conditions: when.map(compilePart) };
  return compilePart(when);
}

/** True for the form that lists what must all hold. */
export function isWhenList(when: When): when is readonly (StateShorthand | StateCheck)[] {
  return Array.isArray(when);
}

function compilePart(part: Composed<WhenLeaf>): Condition {
  // Among the leaves only conditions are callable; `typeof` alone narrows to any function.
  if (typeof part === "function") return { type: "function", code: part as ConditionFunction };
  if (typeof part === "string") return { type: "function", code: part };
  if (isComposition(part)) {
    return part.type === "not"
      ? { type: "not", condition: compilePart(part.condition) }
      : { ...part, conditions: part.conditions.map(compilePart) };
  }
  if (isStateCheck(part))
    return { ...part, verifyWith: part.verifyWith ?? defaultCheck(part.expected ?? null) };
  const parts = Object.entries(part).map(([field, value]) =>
    shorthandCheck<ConditionLeaf>(value, (verifyWith, expected) => ({
      type: "state_check",
      field,
      expected,
      verifyWith,
    })),
  );
  return parts.length === 1 ? (parts[0] as Condition) : { type: "all_of", conditions: parts };
}

/** True for an explicit comparison, false for a shorthand. */
export function isStateCheck(part: StateCheck | StateShorthand): part is StateCheck {
  // No path of the state starts with "type".
  return part.type === "state_check";
}

const STATE_CHECK = object(
  "a state check",
  { type: oneOfTexts("state_check"), field: text },
  { optional: { expected: json, verifyWith: CHECK_SHAPE } },
);

const ALL_OF = "{ type: all_of, conditions: [ … ] }";
const ANY_OF = "{ type: any_of, conditions: [ … ] }";
const AT_LEAST_N = "{ type: at_least_n, n: 2, conditions: [ … ] }";
/** How compositions are written, by the names under which outcomes and other tools know them. */
const COMPOSITION_FORMS: ReadonlyMap<string, string> = new Map([
  ...["allOf", "all_of", "all", "and"].map((key) => [key, ALL_OF] as const),
  ...["anyOf", "any_of", "any", "or"].map((key) => [key, ANY_OF] as const),
  ...["atLeastN", "at_least_n"].map((key) => [key, AT_LEAST_N] as const),
  ["not", "{ type: not, condition: { … } }"],
]);

const SHORTHAND = described(
  record(SHORTHAND_SHAPE, { ifEmpty: "empty_condition", single: true, otherForms: COMPOSITION_FORMS }),
  "One path of the state and the value it must have.",
);

const ALL = described(
  list(either(variant("a condition", { state_check: STATE_CHECK }), SHORTHAND), {
    ifEmpty: "empty_condition",
  }),
  "All of these must hold.",
);

const COMPOSED: ShapeOf<Composed<WhenLeaf>> = reference("condition", () =>
  variant("a condition", {
    state_check: STATE_CHECK,
    ...compositionShapes<WhenLeaf>(either(COMPOSED, code<ConditionFunction>(), SHORTHAND)),
  }),
);

const COMPOSED_DATA: ShapeOf<Composed<StateCheck | StateShorthand>> = reference("dataCondition", () =>
  variant("a condition", {
    state_check: STATE_CHECK,
    ...compositionShapes<StateCheck | StateShorthand>(either(COMPOSED_DATA, SHORTHAND)),
  }),
);

/** A condition without code. */
export const DATA_CONDITION_SHAPE: Shape = either(SHORTHAND, COMPOSED_DATA, ALL);

/** Everything that may stand as `when` on an edge. */
export const WHEN_SHAPE: ShapeOf<When> = described(
  {
    ...either(SHORTHAND, COMPOSED, ALL, code<ConditionFunction>(), nothing),
    owner: "a condition such as { verify_result: true }",
  },
  "When the edge may be taken; without it the edge is the fallback.",
);
