import { functionSource } from "../source/function-source.ts";

/** A value that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** An object that JSON can hold. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** An object with string keys whose values are not known yet. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** True for `{}`-like values: not null, not an array, not a function. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The own value of `key`, or undefined; never what a prototype holds. */
export function ownValue(record: object, key: string): unknown {
  return Object.hasOwn(record, key) ? (record as UnknownRecord)[key] : undefined;
}

/** What a person would call the type of a value: `null`, `array`, `object`, `string`, … */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

const RESERVED_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** True for keys that mean something else on JavaScript objects; as names of nodes or fields they are refused. */
export function isReservedKey(key: string): boolean {
  return RESERVED_KEYS.has(key);
}

/** Equality of JSON values by content, without any conversion; key order does not matter. */
export function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => deepEqual(item, right[index]));
  }
  if (isRecord(left) && isRecord(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && deepEqual(left[key], right[key]))
    );
  }
  return false;
}

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

/** Sets a key of any name. Plain assignment to "__proto__" would set the prototype; defining every key would make objects slow. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else (target as Record<string, unknown>)[key] = value;
}

/** The record without the keys whose values are undefined: an optional property may be missing, but not undefined. */
export function withoutUndefined<Given extends object>(record: Given): WithoutUndefined<Given> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<Given>;
}

type WithoutUndefined<Given> = {
  [Key in keyof Given as undefined extends Given[Key] ? never : Key]: Given[Key];
} & { [Key in keyof Given as undefined extends Given[Key] ? Key : never]?: Exclude<Given[Key], undefined> };
