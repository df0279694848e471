/** Makes a value when it is first asked for, and keeps it: for what costs time to make and is not always needed. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A regular expression made on first use; as a literal, one with `\p{…}` would cost its time when the file is loaded. */
export function lazyPattern(source: string, flags: string): () => RegExp {
  return lazy(() => new RegExp(source, flags));
}

/** What a `Map` and a `WeakMap` have in common. */
export interface Memory<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** What is remembered under a key; made, and remembered, if there is nothing yet. */
export function memoize<Key, Value extends object>(
  memory: Memory<Key, Value>,
  key: Key,
  make: () => Value,
): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = make();
  memory.set(key, made);
  return made;
}
