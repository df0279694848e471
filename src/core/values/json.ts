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
