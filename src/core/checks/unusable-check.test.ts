import { expect, it } from "vitest";
import { unusableCheck } from "./unusable-check.ts";

it("gives its reason, whatever it is asked", () => {
  const check = unusableCheck("No.");
  expect(check(1, 1)).toEqual({ evaluable: false, passes: false, score: 0, reason: "No." });
  expect(check(null, "a")).toBe(check(1, 1));
});
