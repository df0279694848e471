import { expect, test } from "vitest";
import type { Trait } from "./rubric.ts";
import { functionTrait, llmTrait, metricTrait, regexTrait, rubric } from "./trait-factories.ts";

test.each<[Trait, Trait]>([
  [llmTrait("t", { kind: "boolean" }), { type: "llm", name: "t", kind: "boolean" }],
  [
    llmTrait("t", { kind: "score", min: 0, max: 3, higherIsBetter: false }),
    { type: "llm", name: "t", kind: "score", min: 0, max: 3, higherIsBetter: false },
  ],
  [
    llmTrait("t", { kind: "literal", classes: { a: "x", b: "y" }, includeReference: true }),
    { type: "llm", name: "t", kind: "literal", classes: { a: "x", b: "y" }, includeReference: true },
  ],
  [regexTrait("t", { pattern: "a", flags: "i" }), { type: "regex", name: "t", pattern: "a", flags: "i" }],
  [
    functionTrait("t", "(reply) => 1", { description: "d" }),
    { type: "function", name: "t", evaluate: "(reply) => 1", description: "d" },
  ],
  [
    metricTrait("t", { expected: ["a"], unexpected: ["b"], metrics: ["recall"] }),
    { type: "metric", name: "t", expected: ["a"], unexpected: ["b"], metrics: ["recall"] },
  ],
])("a factory returns the plain data %j", (made, data) => {
  expect(made).toEqual(data);
  expect(JSON.parse(JSON.stringify(made))).toEqual(data);
});

test("a rubric is a list of traits", () => {
  const evaluate = (reply: string): number => reply.length;
  const trait = functionTrait("length", evaluate);
  expect(rubric(trait)).toEqual({ traits: [{ type: "function", name: "length", evaluate }] });
  expect(rubric()).toEqual({ traits: [] });
});
