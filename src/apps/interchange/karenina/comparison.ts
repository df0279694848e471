import type { Check } from "../../../core/checks/check.ts";
import { evaluateCheck } from "../../../core/checks/evaluate-check.ts";
import { type Composed, isComposition } from "../../../core/logic/composition.ts";
import type { JsonObject, JsonValue } from "../../../core/values/json.ts";
import {
  isTruthy,
  type Note,
  NotTranslatable,
  type Primitive,
  type PythonType,
  pythonText,
  toCheck,
} from "./primitives.ts";

/** What is known of the value that is compared. */
export type ValueType =
  | PythonType
  /** Null, always: a path that does not exist. */
  | { readonly type: "none" }
  /** Not known before the run. */
  | { readonly type: "any" }
  /** The name of one of these classes here, its position upstream. */
  | { readonly type: "class"; readonly names: readonly string[] };

/** One comparison of a value. */
export interface Comparison {
  readonly check: Check;
  readonly expected: JsonValue;
}

/** Comparisons that together mean what one of upstream means; true and false are what always and never holds. */
export type Compared = Composed<Comparison> | boolean;

/** What upstream compares: a primitive with the value that it expects. */
export interface UpstreamComparison {
  readonly primitive: Primitive;
  readonly expected: JsonValue;
}

/** Translates a comparison so that it means here what it means in Python, for values of this type. */
export function translateComparison(
  type: ValueType,
  { primitive, expected }: UpstreamComparison,
  note: Note,
): Compared {
  const upstream = { primitive, expected };
  if (primitive.type.startsWith("Trace"))
    throw new NotTranslatable(`${primitive.type} belongs into a template; upstream fails on it here`);
  const check = toCheck(primitive, note);
  if (type.type === "none") return holdsFor(null, upstream, check);
  if (type.type === "bool") return among([true, false], upstream, check, boolean);
  if (type.type === "class") {
    const names = type.names.filter((_, position) => holdsFor(position, upstream, check));
    return names.length === 0 ? false : oneOf(names, type.names);
  }
  if (primitive.type === "BooleanMatch") return translateTruthiness(type, expected, note);
  if (primitive.type === "ExactMatch") return translateTextMatch(type, upstream, check, note);
  if (primitive.type === "LiteralMatch" && typeof expected === "boolean")
    return type.type === "int" || type.type === "float" || type.type === "any"
      ? anyOf([
          { check, expected },
          { check, expected: Number(expected) },
        ])
      : { check, expected };
  if (primitive.type === "LiteralMatch" && expected === null)
    return { check: { type: "is_null" }, expected: null };
  if (primitive.type.startsWith("Numeric") && typeof expected === "boolean")
    return { check, expected: Number(expected) };
  if (type.type === "float" && /^(?:Regex|Contains)/.test(primitive.type))
    note("upstream looks at Python's text of a number, in which 5 is 5.0");
  return { check, expected };
}

/** Those of some values for which a comparison holds upstream, and null, each as a comparison of its own. */
function among(
  values: readonly boolean[],
  upstream: UpstreamComparison,
  check: Check,
  equal: (value: boolean) => Comparison,
): Compared {
  const parts = values.filter((value) => holdsFor(value, upstream, check)).map(equal);
  return anyOf(holdsFor(null, upstream, check) ? [...parts, NULL] : parts);
}

/** Whether a comparison holds upstream for a value that Python computes with; what raises does not hold. */
export function holdsFor(
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
      return value === null ||
        expected === null ||
        typeof expected === "string" ||
        typeof expected === "object"
        ? value === expected
        : Number(value) === Number(expected);
    case "ExactMatch": {
      const text = pythonText(expected);
      return text !== null && evaluateCheck(check, pythonText(value), text).passes;
    }
  }
  if (value === null) return false;
  const isNumeric = primitive.type.startsWith("Numeric");
  const compared = isNumeric ? Number(value) : pythonText(value);
  return evaluateCheck(check, compared, typeof expected === "boolean" ? Number(expected) : expected).passes;
}

/** `BooleanMatch` compares by truthiness, which knows numbers, texts and lists. */
function translateTruthiness(type: ValueType, expected: JsonValue, note: Note): Compared {
  if (expected === null) return NULL;
  const wanted = isTruthy(expected);
  const number: readonly Comparison[] = wanted
    ? [
        { check: { type: "numeric_minimum", exclusive: true }, expected: 0 },
        { check: { type: "numeric_maximum", exclusive: true }, expected: 0 },
      ]
    : [{ check: { type: "numeric_exact" }, expected: 0 }];
  const text: Comparison = wanted
    ? { check: { type: "regex_match", pattern: ".", flags: "s" }, expected: null }
    : { check: { type: "exact_match", normalize: [] }, expected: "" };
  switch (type.type) {
    case "int":
    case "float":
      return anyOf(number);
    case "str":
    case "literal":
      return text;
    case "any":
      note("upstream compares by truthiness: a number that is not 0 and a text that is not empty are true");
      return boolean(wanted);
    default:
      throw new NotTranslatable("upstream compares a list by whether it is empty, which no check here does");
  }
}

/** `ExactMatch` compares Python's texts of values. */
function translateTextMatch(
  type: ValueType,
  { expected }: UpstreamComparison,
  check: Check,
  note: Note,
): Compared {
  const text = pythonText(expected);
  if (text === null || type.type === "list") {
    note("upstream compares the Python text of a list, here lists are compared as lists");
    return { check: { type: "literal_match" }, expected };
  }
  if (type.type === "float") {
    const number = Number(text);
    const isNumber = text.trim() !== "" && Number.isFinite(number);
    if (
      isNumber &&
      check.type === "exact_match" &&
      check.normalize?.some((step) => step !== "lowercase" && step !== "strip")
    )
      throw new NotTranslatable("upstream compares the text of a number, changed by these normalisers");
    // 5.0 is the text 5.0 in Python; whether a file has 5 or 5.0 cannot be told once it is read.
    if (!isNumber || (typeof expected === "string" && !evaluateCheck(check, floatText(number), text).passes))
      return equalToNone(text, check) ? NULL : false;
    if (Number.isInteger(expected))
      note(`upstream, the text of a float is ${number}.0, and ${number} never equals it`);
    return { check: { type: "numeric_exact" }, expected: number };
  }
  if (type.type === "any" && typeof expected !== "string")
    note("upstream compares the text of the value; here it is compared by its type");
  const part: Comparison = { check, expected: typeof expected === "string" ? expected : text };
  return equalToNone(text, check) ? anyOf([part, NULL]) : part;
}

/** The text of a float in Python. */
function floatText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4))
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Upstream's null is the text None. */
function equalToNone(text: string, check: Check): boolean {
  return evaluateCheck(check, "None", text).passes;
}

const NULL: Comparison = { check: { type: "is_null" }, expected: null };

function boolean(value: boolean): Comparison {
  return { check: { type: "boolean_match" }, expected: value };
}

/** The value is one of these classes. Names that differ in more than case and space need no exact comparison. */
function oneOf(names: readonly string[], all: readonly string[]): Comparison {
  const isPlain = new Set(all.map((name) => name.trim().toLowerCase())).size === all.length;
  const exact = isPlain ? {} : { normalize: [] };
  if (names.length > 1) return { check: { type: "one_of", values: names, ...exact }, expected: null };
  return { check: { type: "exact_match", ...exact }, expected: names[0] as string };
}

function anyOf(parts: readonly Comparison[]): Compared {
  if (parts.length === 0) return false;
  return parts.length === 1 ? (parts[0] as Comparison) : { type: "any_of", conditions: [...parts] };
}

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
