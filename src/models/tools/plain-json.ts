import type { JsonValue } from "../../core/values/json.ts";

const DEEPEST = 64;

/** A copy of a value that JSON holds, or undefined if it holds anything else or is so deep that walking it may fail. */
export function plainJson(value: unknown, depth: number = DEEPEST): JsonValue | undefined {
  if (typeof value === "string") return value.toWellFormed();
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object" || depth === 0) return undefined;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) {
      const copy = plainJson(item, depth - 1);
      if (copy === undefined) return undefined;
      items.push(copy);
    }
    return items;
  }
  const copied: Record<string, JsonValue> = {};
  for (const [key, item] of Object.entries(value)) {
    // As a key of a schema or an output it means nothing; assigned, it would change the copy's prototype.
    if (key === "__proto__" || item === undefined) continue;
    const copy = plainJson(item, depth - 1);
    if (copy === undefined) return undefined;
    copied[key.toWellFormed()] = copy;
  }
  return copied;
}
