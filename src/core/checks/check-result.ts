/** What a check says about a value. Not evaluable always means: does not pass, score 0, and a reason in words. */
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
