import { describe, expect, it } from "vitest";
import type { ExtractRule } from "../../core/templates/extract-rule.ts";
import type { ExtractTarget } from "../../core/templates/extract-target.ts";
import { extractValue } from "./extract-value.ts";

const reply = "After some thought, **the answer is (B)**, $1,200.50 in all.";

describe("rules and types", () => {
  it.each<[ExtractRule, ExtractTarget, string, unknown]>([
    [{ type: "letter" }, { type: "enum", values: ["a", "b"] }, "The answer is B.", "b"],
    [{ type: "letter" }, { type: "enum", values: ["(a)", "(b)"] }, "The answer is B.", "(b)"],
    [{ type: "letter", options: ["a", "b"] }, { type: "string" }, "The answer is b.", "B"],
    [{ type: "letter", options: ["A", "B"] }, { type: "string" }, "The answer is C.", "absent"],
    [{ type: "letter" }, { type: "enum", values: ["Paris", "Rome"] }, "The answer is B.", "absent"],
    [{ type: "letter" }, { type: "string" }, "The answer is F.", "F"],
    [{ type: "letter" }, { type: "string" }, "I think so.", "absent"],
    [{ type: "letter" }, { type: "boolean" }, "The answer is B.", "absent"],
    [{ type: "number" }, { type: "integer" }, "The answer is 3.5.", "absent"],
    [{ type: "number" }, { type: "integer" }, "The answer is 3.0.", 3],
    [{ type: "number" }, { type: "string" }, "The answer is 1,200.", "1200"],
    [{ type: "number" }, { type: "enum", values: [1, 2, 3] }, "I choose 2.", 2],
    [{ type: "number", which: "first" }, { type: "number" }, "3 cats, later 4 dogs", 3],
    [{ type: "stance" }, { type: "boolean" }, "No, it isn't.", false],
    [{ type: "stance" }, { type: "enum", values: ["Yes", "No"] }, "No, it isn't.", "No"],
    [{ type: "stance" }, { type: "number" }, "No, it isn't.", "absent"],
    [
      { type: "aliases", values: { LOW: ["a little"] } },
      { type: "enum", values: ["low", "high"] },
      "a little",
      "low",
    ],
    [
      { type: "aliases", values: { true: ["sure thing"], false: [] } },
      { type: "boolean" },
      "Sure thing!",
      true,
    ],
    [{ type: "aliases", values: { "7": ["lucky"] } }, { type: "integer" }, "lucky", 7],
    [{ type: "aliases", values: { a: [] } }, { type: "enum", values: ["b"] }, "a", "absent"],
    [{ type: "regex", pattern: "(\\d+) mg" }, { type: "integer" }, "20 mg", 20],
    [{ type: "regex", pattern: "on (\\S+)" }, { type: "date" }, "on 2024-03-01", "2024-03-01"],
    [{ type: "regex", pattern: "on (\\S+)" }, { type: "date" }, "on Monday", "absent"],
    [{ type: "regex", pattern: "x" }, { type: "array", items: { type: "string" } }, "x", "absent"],
  ])("%j as %j in %j: %j", (rule, target, text, expected) => {
    const { status, value } = extractValue(rule, target, text);
    expect(status === "found" ? value : status).toBe(expected);
    if (status !== "found") expect(value).toBe(null);
  });
});

it.each<[ExtractRule, ExtractTarget, string]>([
  [{ type: "letter" }, { type: "string" }, "B"],
  [{ type: "number" }, { type: "number" }, "$1,200.50"],
  [{ type: "aliases", values: { yes: ["in all"] } }, { type: "string" }, "in all"],
  [{ type: "regex", pattern: "is \\((.)\\)" }, { type: "string" }, "B"],
])("the span of %j is where the value stands", (rule, target, part) => {
  const { span } = extractValue(rule, target, reply);
  expect(span && reply.slice(...span)).toBe(part);
});
