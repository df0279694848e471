import { expect, test } from "vitest";
import { type JudgedTrait, llmTrait, metricTrait } from "../../../core/templates/rubric.ts";
import type { FieldType } from "../../../core/templates/template.ts";
import { traitValue } from "../verify/trait-value.ts";
import { readTrait, readValue, type TraitAnswer } from "./read-value.ts";

const BOOLEAN: FieldType = { type: "boolean" };
const TEXT: FieldType = { type: "string" };
const INTEGER: FieldType = { type: "integer" };
const NUMBER: FieldType = { type: "number" };
const DATE: FieldType = { type: "date" };
const LETTER: FieldType = { type: "enum", values: ["A", "B"] };
const MIXED: FieldType = { type: "enum", values: [1, "2", "null", "x", "X"] };
const TEXTS: FieldType = { type: "array", items: { type: "string" } };
const NUMBERS: FieldType = { type: "array", items: { type: "number" } };

test.each<[FieldType, unknown, unknown]>([
  [BOOLEAN, true, true],
  [BOOLEAN, " False ", false],
  [BOOLEAN, "null", null],
  [TEXT, "Sydney", "Sydney"],
  [TEXT, " as it is ", " as it is "],
  [TEXT, "null", "null"],
  [TEXT, " ", null],
  [TEXT, 1969, "1969"],
  [INTEGER, 3, 3],
  [INTEGER, "3", 3],
  [INTEGER, 3.0, 3],
  [INTEGER, -0.0, -0],
  [NUMBER, 0.5, 0.5],
  [NUMBER, " 1e3 ", 1000],
  [NUMBER, "null", null],
  [DATE, "2024-03-01", "2024-03-01"],
  [DATE, " 2024-03-01T10:30Z ", "2024-03-01T10:30Z"],
  [DATE, "March 1, 2024", "2024-03-01"],
  [DATE, "1 March 2024", "2024-03-01"],
  [DATE, "20240301", "2024-03-01"],
  [DATE, "null", null],
  [LETTER, "B", "B"],
  [LETTER, " b ", "B"],
  [LETTER, "null", null],
  [MIXED, "1", 1],
  [MIXED, 2, "2"],
  [MIXED, "null", "null"],
  [MIXED, "X", "X"],
  [TEXTS, [], []],
  [TEXTS, ["a", 1], ["a", "1"]],
  [NUMBERS, [1, "2.5"], [1, 2.5]],
  [NUMBERS, "null", null],
  ...[BOOLEAN, TEXT, INTEGER, NUMBER, DATE, LETTER, TEXTS].map((type): [FieldType, unknown, unknown] => [
    type,
    null,
    null,
  ]),
])("%j reads %j as %j", (type, given, value) => expect(readValue(type, given)).toEqual({ value }));

test.each<[FieldType, unknown]>([
  [BOOLEAN, "yes"],
  [BOOLEAN, 1],
  [BOOLEAN, [true]],
  [TEXT, true],
  [TEXT, 1.5],
  [TEXT, ["a"]],
  [TEXT, { text: "a" }],
  [INTEGER, 3.5],
  [INTEGER, "3.5"],
  [INTEGER, 1e300],
  [INTEGER, "three"],
  [INTEGER, true],
  [NUMBER, "1,200"],
  [NUMBER, "50%"],
  [NUMBER, Number.POSITIVE_INFINITY],
  [NUMBER, ""],
  [DATE, "3/1/2024"],
  [DATE, "2024-02-30"],
  [DATE, "2024"],
  [DATE, "20240301T10"],
  [DATE, 20240301],
  [LETTER, "C"],
  [LETTER, "A or B"],
  [LETTER, true],
  [LETTER, ["A"]],
  [MIXED, " x "],
  [TEXTS, "a"],
  [TEXTS, ["a", null]],
  [TEXTS, { 0: "a" }],
  [NUMBERS, [1, "two"]],
])("%j does not read %j", (type, given) => expect(readValue(type, given)).toBeUndefined());

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
