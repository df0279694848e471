import { canonicalJson } from "../../core/values/canonical-json.ts";
import { deepEqual } from "../../core/values/deep-equal.ts";
import { StoreError, type StoreErrorCode } from "../../journal/store/store-error.ts";

/** Throws unless something holds that the contract asks for. */
export function demand(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Error(`The contract of stores is broken: ${problem}.`);
}

/** Throws unless a value is as it should be. */
export function demandEqual(found: unknown, expected: unknown, what: string): void {
  demand(
    deepEqual(found, expected),
    `${what}: expected ${canonicalJson(expected)}, got ${canonicalJson(found)}`,
  );
}

/** Throws unless an action throws the error that it should. */
export function demandError(code: StoreErrorCode, action: () => unknown): void {
  let thrown: unknown;
  try {
    action();
  } catch (error) {
    thrown = error;
  }
  demand(thrown instanceof StoreError, `it threw ${String(thrown)} instead of a StoreError`);
  demandEqual(thrown.code, code, "the code of the error");
}
