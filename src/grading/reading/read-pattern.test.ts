import { expect, it } from "vitest";
import type { ExtractRule } from "../../core/templates/extract-rule.ts";
import { readPattern } from "./extract-value.ts";

type Options = Omit<Extract<ExtractRule, { type: "regex" }>, "type" | "pattern">;

it.each<[string, Options, string, string]>([
  ["dose: (\\d+)", {}, "dose: 20, dose: 40", "20"],
  ["dose: (\\d+)", { which: "last" }, "dose: 20, dose: 40", "40"],
  ["\\d+ mg", {}, "take 20 mg", "20 mg"],
  ["(a)(b)", { group: 2 }, "ab", "b"],
  ["(a)(b)", { group: 0 }, "ab", "ab"],
  ["(?P<unit>mg)", { group: "unit" }, "20 mg", "mg"],
  ["ANSWER: (\\w)", { flags: "i" }, "answer: b", "b"],
  ["^b$", { flags: "m" }, "a\nb", "b"],
  ["x", {}, "abc", "absent"],
  ["(x)?b", {}, "ab, xb", "x"],
  ["a*", {}, "bbb", "absent"],
  ["(", {}, "(", "absent"],
  ["a(?=b)", {}, "ab", "absent"],
  ["(a)", { group: 2 }, "a", "absent"],
  ["(a)", { group: "nope" }, "a", "absent"],
  ["[A-D]", {}, "<think>A</think> B", "B"],
  ["^B", {}, "<think>A</think>\n\nB", "B"],
])("%j with %j in %j: %s", (pattern, options, reply, expected) => {
  const read = readPattern({ type: "regex", pattern, ...options }, reply);
  expect(read.status === "found" ? read.value : read.status).toBe(expected);
});

it("says where the match stands", () => {
  const reply = "<think>20 mg</think> so 40 mg";
  const read = readPattern({ type: "regex", pattern: "(\\d+) mg" }, reply);
  expect(read.status === "found" && reply.slice(read.start, read.end)).toBe("40");
});

it("does not look for the last of too many matches", () => {
  const rule = { type: "regex", pattern: "a.*z|a", which: "last" } as const;
  expect(readPattern(rule, "a".repeat(50_000))).toEqual({ status: "ambiguous" });
  expect(readPattern({ ...rule, which: "first" }, "a".repeat(50_000))).toMatchObject({
    value: "a",
    start: 0,
  });
});
