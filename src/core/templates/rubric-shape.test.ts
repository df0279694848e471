import { describe, expect, test } from "vitest";
import { formatIssue } from "../schema/format-issue.ts";
import type { Issue } from "../schema/issue.ts";
import { validateShape } from "../schema/validate-shape.ts";
import {
  functionTrait,
  llmTrait,
  metricTrait,
  RUBRIC_SHAPE,
  regexTrait,
  rubric,
  type Trait,
} from "./rubric.ts";

function issues(traits: unknown): Issue[] {
  const found: Issue[] = [];
  validateShape(RUBRIC_SHAPE, { traits }, [], (issue) => found.push(issue));
  return found;
}

const CLASSES = { rude: "insults the user", polite: "does not" };

describe("good traits", () => {
  test.each<[Trait]>([
    [llmTrait("t", { kind: "boolean" })],
    [llmTrait("t", { kind: "score" })],
    [llmTrait("t", { kind: "score", min: 0 })],
    [llmTrait("t", { kind: "score", min: -2, max: 2, description: "d", higherIsBetter: false })],
    [llmTrait("t", { kind: "literal", classes: CLASSES, includeReference: true })],
    [regexTrait("t", { pattern: "\\[\\d+\\]", flags: "i" })],
    [functionTrait("t", (reply) => reply.length)],
    [functionTrait("t", "(reply) => reply.length")],
    [metricTrait("t", { expected: ["a"] })],
    [metricTrait("t", { expected: ["a"], metrics: ["recall", "f1", "accuracy"] })],
    [metricTrait("t", { expected: ["a"], unexpected: ["b"], metrics: ["precision", "specificity"] })],
  ])("%j", (trait) => {
    expect(issues(rubric(trait).traits)).toEqual([]);
  });
});

describe("bad traits get issues that name the place", () => {
  const llm = { type: "llm", name: "t" };
  const metric = { type: "metric", name: "t" };
  test.each<[object, string]>([
    [{ ...llm, kind: "score", min: 5, max: 1 }, "min: Expected min below max, got 5 and 1."],
    [{ ...llm, kind: "score", min: 3, max: 3 }, "min: Expected min below max, got 3 and 3."],
    [{ ...llm, kind: "score", min: 5 }, "min: Expected min below max, got 5 and 5 (the default)."],
    [{ ...llm, kind: "score", max: 0 }, "max: Expected min below max, got 1 (the default) and 0."],
    [{ ...llm, kind: "score", max: 4.5 }, "max: Expected an integer, got the number 4.5."],
    [{ ...llm, kind: "boolean", min: 0 }, "min: Only a score has min, and this trait is a boolean."],
    [
      { ...llm, kind: "literal", classes: CLASSES, max: 3 },
      "max: Only a score has max, and this trait is a literal.",
    ],
    [
      { ...llm, kind: "score", classes: CLASSES },
      "classes: Only a literal has classes, and this trait is a score.",
    ],
    [{ ...llm, kind: "literal" }, `: A literal needs "classes".`],
    [{ ...llm, kind: "literal", classes: {} }, "classes: Expected at least two classes, got 0."],
    [{ ...llm, kind: "literal", classes: { a: "" } }, "classes: Expected at least two classes, got 1."],
    [{ ...llm, kind: "literal", classes: ["a", "b"] }, "classes: Expected an object, got a list."],
    [
      { ...llm, kind: "literal", classes: { a: "", b: 1 } },
      'classes.b: Expected text, got the number 1; put quotes around it: "1".',
    ],
    [{ ...llm, kind: "literal", classes: { a: "", " ": "" } }, "classes: Expected a class to have a name."],
    [
      { ...llm, kind: "literal", classes: { a: "", constructor: "" } },
      `classes: "constructor" is a reserved name and cannot be used here.`,
    ],
    [{ ...llm, kind: "stars" }, `kind: "stars" is not one of "boolean", "score" or "literal".`],
    [
      { type: "regex", name: "t", pattern: "(" },
      `pattern: The pattern "(" is not usable: missing closing ).`,
    ],
    [
      { type: "regex", name: "t", pattern: "a", flags: "g" },
      `flags: "g" is not a flag; there are i, m and s.`,
    ],
    [{ ...metric, expected: [] }, "expected: This must not be empty."],
    [{ ...metric, expected: ["a", " "] }, "expected[1]: This must not be empty."],
    [{ ...metric, expected: ["a", "a"] }, `expected: The instruction "a" is there twice.`],
    [{ ...metric, expected: ["a"], unexpected: ["a"] }, `unexpected: The instruction "a" is there twice.`],
    [{ ...metric, expected: ["a"], metrics: [] }, "metrics: This must not be empty."],
    [
      { ...metric, expected: ["a"], metrics: ["precison"] },
      `metrics[0]: "precison" is not one of "precision", "recall", "f1", "specificity" or "accuracy". Did you mean "precision"?`,
    ],
    [
      { ...metric, expected: ["a"], metrics: ["f1", "precision"] },
      `metrics: Without "unexpected", precision is always 1 or undefined.`,
    ],
    [
      { ...metric, expected: ["a"], unexpected: [], metrics: ["specificity"] },
      `metrics: Without "unexpected", specificity is always undefined.`,
    ],
  ])("%j", (trait, sentence) => {
    const place = sentence.startsWith(":") ? "traits[0]" : "traits[0].";
    expect(issues([trait]).map(formatIssue)).toEqual([`${place}${sentence}`]);
  });
});

test("names: one for each trait, and none that means something else", () => {
  const trait = (name: string): Trait => llmTrait(name, { kind: "boolean" });
  expect(issues([trait("a"), trait("b"), trait("a")])).toEqual([
    { code: "duplicate_trait", path: ["traits"], trait: "a" },
  ]);
  expect(issues([trait("__proto__")])).toEqual([{ code: "reserved_id", path: ["traits"], id: "__proto__" }]);
  expect(issues([trait("")])).toEqual([{ code: "empty_value", path: ["traits", 0, "name"] }]);
});
