import { expect, test } from "vitest";
import { compileLinearRegex } from "../../../core/checks/linear-regex.ts";
import { patternSample } from "./pattern-sample.ts";

test.each([
  ["answer:\\s*(\\w+)", "answer: a"],
  ["bcl.?2|b.?cell lymphoma.?2", "bcl2"],
  ["^#### (-?\\d+(?:\\.\\d+)?)$", "#### 7"],
  ["(?i)\\bverdict\\b[:=] (yes|no)", "verdict: yes"],
  ["[^a-z]{3}[\\]x-z]", "777]"],
  ["(?P<year>\\d{4})-(?<month>\\d{2})", "7777-77"],
  ["\\$\\d+\\.\\d{2}", "$7.77"],
  ["\\p{L}+\\n", "a\n"],
])("%s is matched by its sample", (pattern, sample) => {
  expect(patternSample(pattern)).toBe(sample);
  const regex = compileLinearRegex(pattern);
  expect("find" in regex && regex.find(sample)).toBe(true);
});

test("puts a text in the place of a group, by number or name", () => {
  expect(patternSample("(a)=(\\w+)", { fill: { group: 2, text: "K42" } })).toBe("a=K42");
  expect(patternSample("x(?<code>\\d+)y", { fill: { group: "code", text: "5" } })).toBe("x5y");
  expect(patternSample("x(?:z)(\\d+)", { fill: { group: 1, text: "5" } })).toBe("xz5");
  expect(patternSample("\\d+", { fill: { group: 0, text: "12" } })).toBe("12");
});

test("another variant takes another alternative", () => {
  expect([0, 1, 2].map((variant) => patternSample("(red|green|blue)", { variant }))).toEqual([
    "red",
    "green",
    "blue",
  ]);
});

test.each(["(".repeat(500), "((((a{20}){20}){20}){20}){20}", "[", "\\", "a{", "(?", "[a-", ")))", "(?<"])(
  "survives %s",
  (pattern) => {
    expect(patternSample(pattern).length).toBeLessThanOrEqual(500);
  },
);
