/** Why a value cannot be part of a definition, and where. */
export interface CopyProblem {
  readonly kind: "cyclic" | "too_deep" | "too_large" | "not_data";
  readonly path: readonly (string | number)[];
  /** For `not_data`: what was found, such as `symbol` or `Map`. */
  readonly found?: string;
}

/** Deeper nesting than this is refused: no scenario needs it, and every later walk may recurse safely. */
export const MAX_DEPTH = 100;

/** More values than this in one scenario are refused: shared references could expand without end. */
export const MAX_VALUES = 5_000_000;

/** How many values may still be copied; several copies may draw on one allowance. */
export interface CopyAllowance {
  remaining: number;
  /** True if functions are refused like other values that are not data. */
  readonly withoutFunctions?: boolean;
}

/**
 * A deeply frozen copy of plain data. Functions are kept as they are, keys with `undefined` are dropped.
 * What cannot be copied is reported and replaced by null, so that copying never throws and always ends.
 */
export function frozenCopy(
  value: unknown,
  onProblem: (problem: CopyProblem) => void,
  allowance: CopyAllowance = { remaining: MAX_VALUES },
): unknown {
  const ancestors: object[] = [];
  const path: (string | number)[] = [];

  const refuse = (kind: CopyProblem["kind"], found?: string): null => {
    onProblem(found === undefined ? { kind, path: [...path] } : { kind, path: [...path], found });
    return null;
  };

  const copyObject = (source: object): unknown => {
    if (ancestors.includes(source)) return refuse("cyclic");
    if (ancestors.length >= MAX_DEPTH) return refuse("too_deep");
    const { length: depth } = ancestors;
    const { length: place } = path;
    ancestors.push(source);
    try {
      return Array.isArray(source) ? copyArray(source) : copyRecord(source);
    } catch {
      // A getter or a proxy threw.
      path.length = place;
      return refuse("not_data", "an object that cannot be read");
    } finally {
      ancestors.length = depth;
    }
  };

  const copyArray = (source: readonly unknown[]): unknown => {
    const items: unknown[] = [];
    for (let index = 0; index < source.length && allowance.remaining > 0; index++) {
      path.push(index);
      items.push(copy(source[index]) ?? null);
      path.pop();
    }
    return Object.freeze(items);
  };

  const copyRecord = (source: object): unknown => {
    const prototype: unknown = Object.getPrototypeOf(source);
    if (prototype !== null && prototype !== Object.prototype && !isForeignPlainObject(prototype)) {
      return refuse("not_data", source.constructor?.name || "object");
    }
    const record: Record<string, unknown> = {};
    for (const key of Object.keys(source)) {
      if (allowance.remaining <= 0) break;
      path.push(key);
      const item = copy((source as Record<string, unknown>)[key]);
      path.pop();
      if (item === undefined) continue;
      // Plain assignment to "__proto__" would set the prototype instead of a key.
      if (key === "__proto__") Object.defineProperty(record, key, { value: item, enumerable: true });
      else record[key] = item;
    }
    return Object.freeze(record);
  };

  const copy = (item: unknown): unknown => {
    allowance.remaining--;
    if (allowance.remaining === 0) return refuse("too_large");
    switch (typeof item) {
      case "object":
        return item === null ? null : copyObject(item);
      case "function":
        return allowance.withoutFunctions ? refuse("not_data", "function") : item;
      case "symbol":
      case "bigint":
        return refuse("not_data", typeof item);
      case "number":
        return Number.isFinite(item) ? item : refuse("not_data", String(item));
      default:
        return item;
    }
  };

  return copy(value);
}

/** Plain objects from another realm (a test runner's, a worker's) have an Object.prototype of their own. */
function isForeignPlainObject(prototype: unknown): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "hasOwnProperty");
}

/** Freezes plain data deeply, in place, and returns it. Objects that are frozen already are not searched. */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  // To ask a list for its keys takes several times as long; lists of values and iterators would be made for every turn.
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) freezeDeep(value[index]);
  else for (const key in value) freezeDeep(value[key]);
  return value;
}

/** True if data is nested more than so many levels deep. */
export function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  for (const key in value) {
    const part = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof part === "object" && part !== null && isDeeper(part, levels - 1)) return true;
  }
  return false;
}
