import type { Check } from "../../../core/checks/check.ts";
import { evaluateCheck } from "../../../core/checks/evaluate-check.ts";
import { type Composed, isComposition } from "../../../core/logic/composition.ts";
import type { FieldType } from "../../../core/templates/template.ts";
import type { JsonObject, JsonValue } from "../../../core/values/json.ts";
import { isTruthy, type Note, NotTranslatable, type Primitive, toCheck } from "./primitives.ts";

/** What is known of the value that is compared. */
export type ValueType =
  | FieldType
  /** Not known before the run. */
  | { readonly type: "any" }
  /** The name of one of these classes here, its position upstream. */
  | { readonly type: "class"; readonly names: readonly string[] };

/** One comparison of a value. */
export interface Comparison {
  readonly check: Check;
  readonly expected: JsonValue;
}

/** Comparisons that together mean what one of upstream means; with no parts one that never holds. */
export type Compared = Composed<Comparison>;

/** What upstream compares: a primitive with the value that it expects. */
export interface UpstreamComparison {
  readonly primitive: Primitive;
  readonly expected: JsonValue;
}

/** Translates a comparison so that it means here what it means in Python, for values of this type. Throws `NotTranslatable`. */
export function translateComparison(type: ValueType, upstream: UpstreamComparison, note: Note): Compared {
  const { primitive, expected } = upstream;
  if (primitive.type.startsWith("Trace"))
    throw new NotTranslatable(`${primitive.type} belongs into a template; upstream fails on it here`);
  const check = toCheck(primitive, note);
  if (type.type === "boolean") {
    const values = [true, false].filter((value) => holdsFor(value, upstream, check));
    const parts = values.map((value): Comparison => ({ check: { type: "boolean_match" }, expected: value }));
    return anyOf(holdsFor(null, upstream, check) ? [...parts, NULL] : parts);
  }
  if (type.type === "class") {
    const names = type.names.filter((_, position) => holdsFor(position, upstream, check));
    return names.length === 0 ? anyOf([]) : oneOf(names, type.names);
  }
  switch (primitive.type) {
    case "BooleanMatch":
      if (expected === null) return NULL;
      if (type.type !== "any")
        throw new NotTranslatable("upstream compares by truthiness, which no check here does");
      note("upstream compares by truthiness: a number that is not 0 and a text that is not empty are true");
      return { check, expected: isTruthy(expected) };
    case "ExactMatch":
      return textMatch(type, { check, expected }, note);
    case "LiteralMatch":
      if (expected === null) return NULL;
      if (typeof expected === "boolean" && ["integer", "number", "any"].includes(type.type))
        return anyOf([
          { check, expected },
          { check, expected: Number(expected) },
        ]);
  }
  if (primitive.type.startsWith("Numeric") && typeof expected === "boolean")
    return { check, expected: Number(expected) };
  if (type.type === "number" && /^(?:Regex|Contains)/.test(primitive.type))
    note("upstream looks at Python's text of a number, in which 5 is 5.0");
  return { check, expected };
}

/** Whether a comparison holds upstream for a value that Python computes with; what raises does not hold. */
function holdsFor(
  value: boolean | number | null,
  { primitive, expected }: UpstreamComparison,
  check: Check,
): boolean {
  switch (primitive.type) {
    case "BooleanMatch":
      return value === null || expected === null
        ? value === expected
        : isTruthy(value) === isTruthy(expected);
    case "LiteralMatch":
      if (value === null || typeof expected === "string" || typeof expected === "object")
        return value === expected;
      return Number(value) === Number(expected);
    case "ExactMatch": {
      const text = pythonText(expected);
      return text !== null && evaluateCheck(check, pythonText(value), text).passes;
    }
  }
  if (value === null) return false;
  const compared = primitive.type.startsWith("Numeric") ? Number(value) : pythonText(value);
  return evaluateCheck(check, compared, typeof expected === "boolean" ? Number(expected) : expected).passes;
}

/** `ExactMatch` compares Python's texts of values; that of null is None. */
function textMatch(type: ValueType, { check, expected }: Comparison, note: Note): Compared {
  const text = pythonText(expected);
  if (text === null || type.type === "array" || type.type === "number")
    throw new NotTranslatable(
      "upstream compares Python's text of a list or a float, which no check here does",
    );
  if (type.type === "any" && typeof expected !== "string")
    note("upstream compares the text of the value; here it is compared by its type");
  const part: Comparison = { check, expected: text };
  return evaluateCheck(check, "None", text).passes ? anyOf([part, NULL]) : part;
}

/** The text that Python's `str` gives for plain values; null for lists and objects. */
function pythonText(value: JsonValue): string | null {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "object" ? null : String(value);
}

const NULL: Comparison = { check: { type: "is_null" }, expected: null };

/** The value is one of these classes. Names that differ in more than case and space need no exact comparison. */
function oneOf(names: readonly string[], all: readonly string[]): Comparison {
  const isPlain = new Set(all.map((name) => name.trim().toLowerCase())).size === all.length;
  const exact = isPlain ? {} : { normalize: [] };
  if (names.length > 1) return { check: { type: "one_of", values: names, ...exact }, expected: null };
  return { check: { type: "exact_match", ...exact }, expected: names[0] as string };
}

function anyOf(parts: readonly Comparison[]): Compared {
  return parts.length === 1 ? (parts[0] as Comparison) : { type: "any_of", conditions: [...parts] };
}

/** What always holds after a turn, as a condition. */
export const ALWAYS: JsonObject = { turn: { gte: 1 } };

/** What never holds, as a condition or an outcome. */
export const NEVER: JsonObject = { type: "any_of", conditions: [] };

/** A comparison as people write it, or undefined if only the long form says it. */
export function shortValue({ check, expected }: Comparison): JsonValue | undefined {
  const isPlain = Object.keys(check).length === 1;
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
export function mapComposition(composed: Compared, leaf: (comparison: Comparison) => JsonObject): JsonObject {
  if (!isComposition(composed)) return leaf(composed);
  return composed.type === "not"
    ? { type: "not", condition: mapComposition(composed.condition, leaf) }
    : { ...composed, conditions: composed.conditions.map((part) => mapComposition(part, leaf)) };
}

/** The long form of a comparison: what belongs into a `state_check`, a `turn_check` or a `result_check`. */
export function longForm({ check, expected }: Comparison): JsonObject {
  return { ...(expected === null ? {} : { expected }), verifyWith: check as unknown as JsonObject };
}
