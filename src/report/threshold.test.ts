import { expect, test } from "vitest";
import { parseThreshold } from "./threshold.ts";

test.each([
  ["resisted=0.9", "resisted", 0.9, "rate"],
  ["resisted>=0.9", "resisted", 0.9, "rate"],
  [" resisted >= 90 % ", "resisted", 0.9, "rate"],
  ["resisted=90%:lower", "resisted", 0.9, "lower"],
  ["resisted=.5:rate", "resisted", 0.5, "rate"],
  ["resisted=99.9%", "resisted", 0.999, "rate"],
  ["turns_held=4", "turns_held", 4, "rate"],
  ["first_wrong=-1", "first_wrong", -1, "rate"],
  ["a=b=1", "a=b", 1, "rate"],
  ["a:b=1", "a:b", 1, "rate"],
] as const)("%j", (text, outcome, minimum, by) => {
  expect(parseThreshold(text)).toEqual({ outcome, minimum, by });
});

test.each([
  ["resisted", "has no value"],
  ["", "has no value"],
  ["=0.9", "names no outcome"],
  [">=0.9", "names no outcome"],
  ["resisted=", "must end in a number"],
  ["resisted=high", "must end in a number"],
  ["resisted=1e-1", "must end in a number"],
  ["resisted=0.9:upper", 'not with "upper"'],
  ["resisted=0.9:", 'not with ""'],
  ["resisted=120%", "between 0 % and 100 %"],
  ["resisted=90:lower", "between 0 and 1"],
])("%j is refused in a sentence", (text, part) => {
  const problem = parseThreshold(text);
  expect(problem).toContain(part);
  expect(problem).toContain(JSON.stringify(text));
  expect(problem).toMatch(/\.$/);
});
