import { typeName } from "../values/json.ts";

/** The result of a check. Not evaluable always means: does not pass, score 0, and a reason in words. */
export interface CheckResult {
  readonly evaluable: boolean;
  readonly passes: boolean;
  /** From 0 to 1; graded checks give partial credit. */
  readonly score: number;
  readonly reason?: string;
}

/** A check prepared for use: never throws. */
export type CompiledCheck = (value: unknown, expected: unknown) => CheckResult;

/** Shared results, so that routing allocates nothing for plain passes and failures. */
export const PASSED: CheckResult = Object.freeze({ evaluable: true, passes: true, score: 1 });
export const FAILED: CheckResult = Object.freeze({ evaluable: true, passes: false, score: 0 });

export function passedIf(condition: boolean): CheckResult {
  return condition ? PASSED : FAILED;
}

export function notEvaluable(reason: string): CheckResult {
  return { evaluable: false, passes: false, score: 0, reason };
}

const SHOWN_CHARACTERS = 40;

/** Says that one side of a comparison is not what the check needs: `The value is null, but a number is needed.` */
export function incomparable(side: "value" | "expected value", found: unknown, needed: string): CheckResult {
  return notEvaluable(`The ${side} is ${describeValue(found)}, but ${needed} is needed.`);
}

/** A value in a few words, for reasons: `"maybe"`, `the number 3`, `an array`. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(
      value.length <= SHOWN_CHARACTERS ? value : `${value.slice(0, SHOWN_CHARACTERS - 1)}…`,
    );
  }
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  if (value === null || value === undefined) return "null";
  const name = typeName(value);
  return name === "array" || name === "object" ? `an ${name}` : `a ${name}`;
}

/** How a check reads a value; undefined for what it cannot compare. */
type Read<Value> = (value: unknown) => Value | undefined;

/** A check that reads both sides alike, and says which of them is not what it needs. */
export function pairCheck<Value>(
  read: Read<Value>,
  needed: string,
  compare: (value: Value, expected: Value) => CheckResult,
): CompiledCheck {
  return (value, expected) => {
    const left = read(value);
    if (left === undefined) return incomparable("value", value, needed);
    const right = read(expected);
    if (right === undefined) return incomparable("expected value", expected, needed);
    return compare(left, right);
  };
}

/** A check that does not look at the expected value. */
export function valueCheck<Value>(
  read: Read<Value>,
  needed: string,
  test: (value: Value) => CheckResult,
): CompiledCheck {
  return (value) => {
    const found = read(value);
    return found === undefined ? incomparable("value", value, needed) : test(found);
  };
}

/** A check whose parameters are wrong: it can never be evaluated, for this reason. */
export function unusableCheck(reason: string): CompiledCheck {
  const result = Object.freeze(notEvaluable(reason));
  return () => result;
}
