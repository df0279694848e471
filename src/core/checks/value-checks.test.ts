import { describe, expect, it } from "vitest";
import type { CheckType } from "./check.ts";
import { evaluateCheck } from "./evaluate-check.ts";

/** true and false as the check says, null if it cannot be evaluated. */
function answer(
  type: Extract<CheckType, "boolean_match" | "literal_match" | "is_null">,
  value: unknown,
  expected: unknown,
): boolean | null {
  const result = evaluateCheck({ type }, value, expected);
  return result.evaluable ? result.passes : null;
}

describe("boolean_match", () => {
  it.each<[unknown, unknown, boolean | null]>([
    [true, true, true],
    [false, false, true],
    [true, false, false],
    [null, null, true],
    [undefined, null, true],
    [null, true, false],
    [false, null, false],
    [undefined, false, false],
    ["true", true, null],
    [true, "true", null],
    [1, true, null],
    [true, 1, null],
    [0, null, null],
    [null, "", null],
    [[], true, null],
    [{}, {}, null],
  ])("%j against %j: %j", (value, expected, verdict) => {
    expect(answer("boolean_match", value, expected)).toBe(verdict);
  });
});

describe("literal_match", () => {
  it.each<[unknown, unknown, boolean]>([
    ["a", "a", true],
    ["A", "a", false],
    ["a ", "a", false],
    [1, 1, true],
    [1, "1", false],
    [0, false, false],
    [null, null, true],
    [undefined, null, true],
    [null, 0, false],
    [[1, [2]], [1, [2]], true],
    [[1, 2], [2, 1], false],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: null }, false],
    [{}, [], false],
  ])("%j against %j: %j", (value, expected, verdict) => {
    expect(answer("literal_match", value, expected)).toBe(verdict);
  });
});

describe("is_null", () => {
  it.each([
    [null, true],
    [undefined, true],
    [0, false],
    ["", false],
    [false, false],
    ["null", false],
    [[], false],
    [Number.NaN, false],
  ])("%j: %j", (value, verdict) => expect(answer("is_null", value, "ignored")).toBe(verdict));
});

it("semantic_match says that it needs an embedding model", () => {
  expect(evaluateCheck({ type: "semantic_match" }, "a", "a")).toMatchObject({
    evaluable: false,
    reason: expect.stringMatching(/embedding model/),
  });
});
