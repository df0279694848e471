/** Makes a value on first use and keeps it: for values that take time to make and are not always needed. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** V8 compiles a pattern to bytecode for a shorter text, and to machine code only when it is used again. */
const LONG = " ".repeat(1_000);

/**
 * A regular expression made on first use. As a literal, one with `\p{…}` takes time when the file is loaded. The bytecode
 * of a large pattern takes several times as long to make as its machine code, so a first, long text skips it.
 */
export function lazyPattern(source: string, flags: string): () => RegExp {
  return lazy(() => {
    const pattern = new RegExp(source, flags);
    pattern.test(LONG);
    pattern.lastIndex = 0;
    return pattern;
  });
}

/** What a `Map` and a `WeakMap` have in common. */
export interface Memory<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The cached value of a key; made and cached if there is none yet. */
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
