/** Throws a `RangeError` that names the argument, what was expected of it and what came. */
export function refuse(name: string, expected: string, actual: unknown): never {
  throw new RangeError(
    `Expected \`${name}\` to be ${expected}, got \`${String(actual)}\` (${typeof actual}).`,
  );
}

/** A result too large for a number is not known. */
export const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** A number of things: whole and not negative. */
export function requireCount(name: string, value: number, least = 0): void {
  if (!Number.isSafeInteger(value) || value < least)
    refuse(name, `a whole number from ${least} and up`, value);
}

/** Successes among trials: both counts, and no more successes than trials. */
export function requireTrials(names: readonly [string, string], successes: number, n: number): void {
  requireCount(names[1], n);
  requireCount(names[0], successes);
  if (successes > n) refuse(names[0], `at most \`${names[1]}\` (${n})`, successes);
}

/** A number strictly between 0 and 1, such as a confidence. */
export function requireBetween0And1(name: string, value: number): void {
  if (!(typeof value === "number" && value > 0 && value < 1)) refuse(name, "a number between 0 and 1", value);
}

/** A finite number from `low` to `high`, both included. */
export function requireWithin(name: string, value: number, low: number, high: number): void {
  if (!(Number.isFinite(value) && value >= low && value <= high))
    refuse(
      name,
      high === Number.POSITIVE_INFINITY ? `a number from ${low} and up` : `a number from ${low} to ${high}`,
      value,
    );
}

/** An object of options or values, and not null. */
export function requireObject(name: string, value: object): void {
  if (typeof value !== "object" || value === null) refuse(name, "an object", value);
}

/** A list, and not a single value or nothing at all. */
export function requireList(name: string, value: readonly unknown[]): void {
  if (!Array.isArray(value)) refuse(name, "a list", value);
}

/** A list of finite numbers. */
export function requireNumbers(name: string, values: readonly number[]): void {
  requireList(name, values);
  for (let i = 0; i < values.length; i++)
    if (!Number.isFinite(values[i])) refuse(`${name}[${i}]`, "a finite number", values[i]);
}

/** Two lists that belong together, entry by entry. */
export function requireSameLength(
  names: readonly [string, string],
  first: readonly unknown[],
  second: readonly unknown[],
): void {
  requireList(names[0], first);
  requireList(names[1], second);
  if (first.length !== second.length)
    refuse(names[1], `as long as \`${names[0]}\` (${first.length})`, second.length);
}
