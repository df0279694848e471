import { describe, expect, it } from "vitest";
import type { Issue } from "../schema/issue.ts";
import { validateShape } from "../schema/validate-shape.ts";
import { EXTRACT_SHAPE } from "./extract-rule.ts";

describe("shapes of rules", () => {
  function problemsOf(value: unknown): string[] {
    const issues: Issue[] = [];
    validateShape(EXTRACT_SHAPE, value, [], (issue) => issues.push(issue));
    return issues.map((issue) => `${issue.code} at ${issue.path.join(".")}`);
  }

  it.each([
    { type: "letter" },
    { type: "letter", options: ["A", "b", "(c)"] },
    { type: "number", which: "first" },
    { type: "regex", pattern: "(a)(?P<n>b)", flags: "im", group: "n", which: "last" },
    { type: "regex", pattern: "(a)", group: 1 },
    { type: "regex", pattern: "a", group: 0 },
    { type: "aliases", values: { "BCL-2": ["bcl2"], TP53: [] } },
    { type: "stance" },
  ])("accepts %j", (rule) => expect(problemsOf(rule)).toEqual([]));

  it.each<[unknown, string]>([
    [null, "wrong_type at "],
    [{}, "missing_key at "],
    [{ type: "leter" }, "unknown_value at type"],
    [{ type: "letter", options: "AB" }, "wrong_type at options"],
    [{ type: "letter", options: ["AB"] }, "invalid_parameter at options"],
    [{ type: "number", which: "second" }, "unknown_value at which"],
    [{ type: "number", options: [] }, "unknown_key at options"],
    [{ type: "regex" }, "missing_key at "],
    [{ type: "regex", pattern: "(" }, "invalid_pattern at pattern"],
    [{ type: "regex", pattern: "a(?=b)" }, "invalid_pattern at pattern"],
    [{ type: "regex", pattern: "a", flags: "g" }, "invalid_parameter at flags"],
    [{ type: "regex", pattern: "a", group: 1 }, "invalid_parameter at group"],
    [{ type: "regex", pattern: "(?P<n>a)", group: "m" }, "invalid_parameter at group"],
    [{ type: "regex", pattern: "a", group: -1 }, "wrong_type at group"],
    [{ type: "aliases" }, "missing_key at "],
    [{ type: "aliases", values: {} }, "empty_value at values"],
    [{ type: "aliases", values: { a: "b" } }, "wrong_type at values.a"],
    [{ type: "aliases", values: { a: [""] } }, "empty_value at values.a.0"],
    [{ type: "stance", which: "first" }, "unknown_key at which"],
  ])("finds what is wrong with %j: %s", (rule, problem) => expect(problemsOf(rule)).toEqual([problem]));
});
