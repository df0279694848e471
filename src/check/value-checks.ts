import { deepEqual } from "../value/deep-equal.ts";
import { type CompiledCheck, passedIf } from "./check-result.ts";
import { incomparable } from "./incomparable.ts";
import { unusableCheck } from "./unusable-check.ts";

/** Both are booleans and equal; null equals only null. */
export function compileBooleanMatch(): CompiledCheck {
  return (value, expected) => {
    if (typeof value === "boolean" && typeof expected === "boolean") return passedIf(value === expected);
    if (!isBooleanOrMissing(value)) return incomparable("value", value, "true or false");
    if (!isBooleanOrMissing(expected)) return incomparable("expected value", expected, "true or false");
    return passedIf((value ?? null) === (expected ?? null));
  };
}

function isBooleanOrMissing(value: unknown): boolean {
  return typeof value === "boolean" || value === null || value === undefined;
}

/** Equal by content, without any conversion. */
export function compileLiteralMatch(): CompiledCheck {
  return (value, expected) => passedIf(deepEqual(value ?? null, expected ?? null));
}

/** Null or missing. */
export function compileIsNull(): CompiledCheck {
  return (value) => passedIf(value === null || value === undefined);
}

/** Needs an embedding model, which only a run can bring. */
export function compileSemanticMatch(): CompiledCheck {
  return unusableCheck("A semantic match needs an embedding model, and none is configured here.");
}
