import type { Normalizer } from "../checks/check.ts";
import { compileNormalizers } from "../checks/normalize.ts";
import { numberValue, textValue } from "../text/text-value.ts";
import { deepEqual } from "../values/json.ts";
import type { Comparison } from "./outcome-check.ts";

/** Compares two values: `target <comparison> source`. What cannot be compared is false. */
export function compareValues(
  target: unknown,
  comparison: Comparison,
  source: unknown,
  normalizers: readonly Normalizer[] = [],
): boolean {
  if (normalizers.length === 0) return compare(target, comparison, source);
  const normalize = compileNormalizers(normalizers);
  if ("problem" in normalize) return false;
  const normalized = (value: unknown): unknown => {
    const text = textValue(value);
    return text === undefined ? value : normalize.apply(text);
  };
  return compare(normalized(target), comparison, normalized(source));
}

function compare(target: unknown, comparison: Comparison, source: unknown): boolean {
  switch (comparison) {
    case "eq":
      return deepEqual(target, source);
    case "neq":
      return !deepEqual(target, source);
    case "contains":
      return contains(target, source);
    case "gt":
      return order(target, source) > 0;
    case "gte":
      return order(target, source) >= 0;
    case "lt":
      return order(target, source) < 0;
    case "lte":
      return order(target, source) <= 0;
  }
}

/** A list contains an item, a text contains a text. */
function contains(target: unknown, source: unknown): boolean {
  if (Array.isArray(target)) return target.some((item) => deepEqual(item, source));
  const text = textValue(target);
  const part = textValue(source);
  return text !== undefined && part !== undefined && text.includes(part);
}

/** Numbers by size, texts by code point; NaN, which no comparison accepts, for anything else. */
function order(left: unknown, right: unknown): number {
  const [a, b] = [numberValue(left), numberValue(right)];
  if (a !== undefined && b !== undefined) return a - b;
  if (typeof left !== "string" || typeof right !== "string") return Number.NaN;
  return left < right ? -1 : left > right ? 1 : 0;
}
