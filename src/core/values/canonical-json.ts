import { functionSource } from "../source/function-source.ts";

/**
 * JSON with sorted keys and no white space: equal content gives equal text, whatever the order of keys.
 * Functions are written as their source text, so a function and its source string are the same content.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "function") return JSON.stringify(functionSource(value));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const record = value as Record<string, unknown>;
  let text = "{";
  for (const key of Object.keys(record).sort()) {
    if (record[key] === undefined) continue;
    if (text.length > 1) text += ",";
    text += `${JSON.stringify(key)}:${canonicalJson(record[key])}`;
  }
  return `${text}}`;
}
