import { expect, it } from "vitest";
import { FAILED, notEvaluable, PASSED, passedIf } from "./check-result.ts";

it("shares the two plain results, which nobody can change", () => {
  expect(passedIf(true)).toBe(PASSED);
  expect(passedIf(false)).toBe(FAILED);
  expect(Object.isFrozen(PASSED) && Object.isFrozen(FAILED)).toBe(true);
});

it("what cannot be evaluated never passes and never scores", () => {
  expect(notEvaluable("Why.")).toEqual({ evaluable: false, passes: false, score: 0, reason: "Why." });
});
