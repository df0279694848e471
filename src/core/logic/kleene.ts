/** Kleene's three truth values: true, false, and null for unknown. */
export type Truth = boolean | null;

/** False if anything is false, true if everything is true, else unknown. */
export function allTrue(values: Iterable<Truth>): Truth {
  let result: Truth = true;
  for (const value of values) {
    if (value === false) return false;
    if (value === null) result = null;
  }
  return result;
}

/** True if anything is true, false if everything is false, else unknown. */
export function anyTrue(values: Iterable<Truth>): Truth {
  return negate(allTrue(mapped(values, negate)));
}

/** True once `n` values are true, false once `n` can no longer be reached, else unknown. */
export function atLeastTrue(n: number, values: Iterable<Truth>): Truth {
  let proven = 0;
  let possible = 0;
  for (const value of values) {
    if (value === true) proven++;
    if (value !== false) possible++;
  }
  if (proven >= n) return true;
  return possible < n ? false : null;
}

/** Unknown stays unknown. */
export function negate(value: Truth): Truth {
  return value === null ? null : !value;
}

function* mapped(values: Iterable<Truth>, change: (value: Truth) => Truth): Iterable<Truth> {
  for (const value of values) yield change(value);
}
