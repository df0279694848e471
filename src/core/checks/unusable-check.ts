import { type CompiledCheck, notEvaluable } from "./check-result.ts";

/** A check whose parameters are wrong: whatever it is asked, it cannot be evaluated, for this reason. */
export function unusableCheck(reason: string): CompiledCheck {
  const result = Object.freeze(notEvaluable(reason));
  return () => result;
}
