import { deepEqual, isRecord, type JsonValue } from "../../../core/values/json.ts";

/** What a tool gave back, as the model sees it. */
export interface ToolOutput {
  readonly output: JsonValue;
  /** True if the tool says that it failed. */
  readonly isError: boolean;
}

const LARGEST_OUTPUT = 200_000;

/** Turns the result of a call into text or JSON of a limited size. */
export function toolOutput(result: unknown): ToolOutput {
  if (!isRecord(result)) return { output: null, isError: false };
  const isError = result.isError === true;
  const data = plainJson(result.structuredContent ?? result.toolResult);
  const content = Array.isArray(result.content) ? result.content : [];
  const text = content.map(partText).join("\n").toWellFormed();
  if (data === undefined) return { output: cutText(text), isError };
  // Servers repeat structured content as text, for clients that do not know it.
  if (text === "" || repeats(text, data)) return { output: cutData(data), isError };
  return { output: cutData({ text, data }), isError };
}

/** A text no longer than a result may be; what is missing is said. */
export function cutText(text: string): string {
  if (text.length <= LARGEST_OUTPUT) return text;
  const left = text.length - LARGEST_OUTPUT;
  return `${text.slice(0, LARGEST_OUTPUT).toWellFormed()}\n[cut: ${left} more characters]`;
}

function cutData(data: JsonValue): JsonValue {
  const text = JSON.stringify(data);
  return text.length <= LARGEST_OUTPUT ? data : cutText(text);
}

function repeats(text: string, data: JsonValue): boolean {
  try {
    return deepEqual(plainJson(JSON.parse(text)), data);
  } catch {
    return false;
  }
}

/** Text as it is; of what is not text, a short note. */
function partText(part: unknown): string {
  if (!isRecord(part)) return "";
  const { type, text, resource } = part;
  if (type === "text") return typeof text === "string" ? text : "";
  if (type === "resource" && isRecord(resource)) {
    const name = `resource ${short(resource.uri)}`;
    return typeof resource.text === "string"
      ? `[${name}]\n${resource.text}`
      : note(name, resource.blob, resource);
  }
  if (type === "resource_link") return `[link to the resource ${short(part.uri)}]`;
  return note(short(type), part.data, part);
}

function note(what: string, base64: unknown, { mimeType }: { readonly mimeType?: unknown }): string {
  const kind = typeof mimeType === "string" ? `, ${short(mimeType)}` : "";
  const bytes = typeof base64 === "string" ? `, ${Math.ceil((base64.length * 3) / 4 / 1_000)} kB` : "";
  return `[${what}${kind}${bytes}: not shown]`;
}

function short(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 200) : "of an unknown kind";
}

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
