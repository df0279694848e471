import { expect, test } from "vitest";
import type { JudgedTrait } from "../../core/templates/rubric.ts";
import { llmTrait, metricTrait } from "../../core/templates/trait-factories.ts";
import { traitValue } from "../verify/trait-value.ts";
import { readTrait, type TraitAnswer } from "./read-value.ts";

const POLITE = llmTrait("polite", { kind: "boolean" });
const DEPTH = llmTrait("depth", { kind: "score", min: 0, max: 3 });
const DEFAULT = llmTrait("default", { kind: "score" });
const TONE = llmTrait("tone", { kind: "literal", classes: { rude: "insults", polite: "does not" } });
const COVERAGE = metricTrait("coverage", { expected: ["a", "b"], unexpected: ["c"] });
const ONE = metricTrait("one", { expected: ["a"] });

test.each<[JudgedTrait, unknown, TraitAnswer]>([
  [POLITE, true, true],
  [POLITE, "false", false],
  [DEPTH, 0, 0],
  [DEPTH, "3", 3],
  [DEFAULT, 5, 5],
  [TONE, "rude", "rude"],
  [TONE, "Polite", "polite"],
  [
    COVERAGE,
    { expected_1: true, expected_2: "false", unexpected_1: null, more: 1 },
    { expected: [true, false], unexpected: [null] },
  ],
  [ONE, { expected_1: false }, { expected: [false], unexpected: [] }],
  ...[POLITE, DEPTH, TONE, COVERAGE].map((trait): [JudgedTrait, null, null] => [trait, null, null]),
])("%j reads %j as %j", (trait, given, answer) => {
  expect(readTrait(trait, given, "traits.t")).toEqual({ answer });
  // What is read here is what values are made of there.
  if (answer !== null && trait !== COVERAGE) expect(traitValue(trait, answer).value).not.toBeNull();
});

test.each<[JudgedTrait, unknown, readonly string[]]>([
  [POLITE, "very", ["- traits.t: expected true, false or null, got other text."]],
  [POLITE, undefined, ["- traits.t is missing; expected true, false or null."]],
  [DEPTH, 4, ["- traits.t: expected a whole number from 0 to 3, or null, got another number."]],
  [DEPTH, -1, ["- traits.t: expected a whole number from 0 to 3, or null, got another number."]],
  [DEFAULT, 0, ["- traits.t: expected a whole number from 1 to 5, or null, got another number."]],
  [DEFAULT, 2.5, ["- traits.t: expected a whole number from 1 to 5, or null, got another number."]],
  [TONE, "kind", ['- traits.t: expected one of "rude", "polite", or null, got other text.']],
  [TONE, "constructor", ['- traits.t: expected one of "rude", "polite", or null, got other text.']],
  [COVERAGE, true, ["- traits.t: expected an object, got true."]],
  [
    COVERAGE,
    { expected_1: 1, unexpected_1: [] },
    [
      "- traits.t.expected_1: expected true, false or null, got another number.",
      "- traits.t.expected_2 is missing; expected true, false or null.",
      "- traits.t.unexpected_1: expected true, false or null, got a list.",
    ],
  ],
])("%j refuses %j: %j", (trait, given, problems) => {
  expect(readTrait(trait, given, "traits.t")).toEqual({ problems });
});
