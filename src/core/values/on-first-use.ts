/** Makes a value when it is first asked for, and keeps it: for what costs time to make and is not always needed. */
export function onFirstUse<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A regular expression made on first use; as a literal, one with `\p{…}` would cost its time when the file is loaded. */
export function patternOnFirstUse(source: string, flags: string): () => RegExp {
  return onFirstUse(() => new RegExp(source, flags));
}
