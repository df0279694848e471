/** Freezes plain data all the way down, in place, and returns it; what is frozen already is taken to be so throughout. */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  // Plain data has no inherited keys; this is quicker than a list of its values.
  for (const key in value) {
    const part = value[key];
    if (typeof part === "object" && part !== null) freezeDeep(part);
  }
  return value;
}
