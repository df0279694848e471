import { expect, test } from "vitest";
import { failUnderTexts, readFailUnder } from "./fail-under.ts";

test.each<[unknown, Readonly<Record<string, string>>]>([
  [
    { resisted: 0.9, turns_held: 3 },
    { resisted: "0.9", turns_held: "3" },
  ],
  [{ resisted: "0.9:lower" }, { resisted: "0.9:lower" }],
  ["resisted=90%", { resisted: "90%" }],
  [["resisted>=0.9", " a=b = 0.5 "], { resisted: "0.9", "a=b": "0.5" }],
])("%j", (value, limits) => {
  expect(readFailUnder(value)).toEqual({ limits });
});

test("what is wrong is a sentence", () => {
  expect(readFailUnder("resisted").problem).toMatch(/^The threshold "resisted" has no value\./);
  expect(readFailUnder({ resisted: "much" }).problem).toMatch(/"resisted=much" must end in a number/);
  expect(readFailUnder({ resisted: "0.9:upper" }).problem).toMatch(/not with "upper"/);
});

test("thresholds can be written again as they were read", () => {
  const texts = ["resisted=0.9:lower", "a=b=50%"];
  expect(failUnderTexts(readFailUnder(texts).limits ?? {})).toEqual(texts);
});

test("an outcome may be called anything", () => {
  const { limits } = readFailUnder("__proto__=0.5");
  expect(Object.entries(limits ?? {})).toEqual([["__proto__", "0.5"]]);
});
