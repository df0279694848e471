import { type Composed, isComposition } from "../../core/logic/composition.ts";
import type { JsonObject, JsonValue } from "../../core/values/json.ts";
import type { Comparison } from "./comparison.ts";

/** What always holds after a turn, as a condition. */
export const ALWAYS: JsonObject = { turn: { gte: 1 } };

/** What never holds, as a condition or an outcome. */
export const NEVER: JsonObject = { type: "any_of", conditions: [] };

/** A comparison as people write it, or undefined if only the long form says it. */
export function shortValue({ check, expected }: Comparison): JsonValue | undefined {
  const { type, ...parameters } = check;
  const isPlain = Object.keys(parameters).length === 0;
  switch (check.type) {
    case "boolean_match":
      return typeof expected === "boolean" ? expected : undefined;
    case "exact_match":
      return isPlain && typeof expected === "string" ? expected : undefined;
    case "numeric_exact":
      return typeof expected === "number" ? expected : undefined;
    case "is_null":
      return null;
    case "set_containment":
      return isPlain && Array.isArray(expected) ? expected : undefined;
    case "one_of":
      return check.normalize === undefined ? { in: check.values } : undefined;
    case "numeric_minimum":
      return typeof expected === "number" ? { [check.exclusive ? "gt" : "gte"]: expected } : undefined;
    case "numeric_maximum":
      return typeof expected === "number" ? { [check.exclusive ? "lt" : "lte"]: expected } : undefined;
    case "numeric_range": {
      const { min, max, exclusiveMin, exclusiveMax } = check;
      if (min === undefined && max === undefined) return undefined;
      return {
        ...(min === undefined ? {} : { [exclusiveMin ? "gt" : "gte"]: min }),
        ...(max === undefined ? {} : { [exclusiveMax ? "lt" : "lte"]: max }),
      };
    }
    default:
      return undefined;
  }
}

/** A composition with every comparison written by `leaf`. */
export function mapComposition(
  composed: Composed<Comparison>,
  leaf: (comparison: Comparison) => JsonObject,
): JsonObject {
  if (!isComposition(composed)) return leaf(composed);
  return composed.type === "not"
    ? { type: "not", condition: mapComposition(composed.condition, leaf) }
    : { ...composed, conditions: composed.conditions.map((part) => mapComposition(part, leaf)) };
}

/** The long form of a comparison: what belongs into a `state_check`, a `turn_check` or a `result_check`. */
export function longForm({ check, expected }: Comparison): JsonObject {
  return { ...(expected === null ? {} : { expected }), verifyWith: check as unknown as JsonObject };
}
