import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JudgedTrait } from "../../core/templates/rubric.ts";
import { llmTrait, metricTrait } from "../../core/templates/trait-factories.ts";
import { traitValue } from "./trait-value.ts";

const POLITE = llmTrait("polite", { kind: "boolean" });
const CLEAR = llmTrait("clear", { kind: "score" });
const HEDGING = llmTrait("hedging", { kind: "score", min: 0, max: 3, higherIsBetter: false });
const TONE = llmTrait("tone", { kind: "literal", classes: { rude: "insults", polite: "does not" } });
const COVERAGE = metricTrait("coverage", {
  expected: ["dose", "interval"],
  unexpected: ["a second drug"],
  metrics: ["recall", "f1"],
});

describe("llm traits", () => {
  test.each<[JudgedTrait, unknown, unknown, string | undefined]>([
    [POLITE, true, true, undefined],
    [POLITE, false, false, undefined],
    [POLITE, "true", null, 'expected true or false, got "true"'],
    [POLITE, 1, null, "expected true or false, got 1"],
    [POLITE, null, null, "the judge could not decide"],
    [POLITE, undefined, null, "the judge could not decide"],
    [CLEAR, 1, 1, undefined],
    [CLEAR, 5, 5, undefined],
    [CLEAR, 3.5, 3.5, undefined],
    [CLEAR, 0, null, "expected a number from 1 to 5, got 0"],
    [CLEAR, 6, null, "expected a number from 1 to 5, got 6"],
    [CLEAR, "5", null, 'expected a number from 1 to 5, got "5"'],
    [CLEAR, Number.NaN, null, "expected a number from 1 to 5, got NaN"],
    [CLEAR, [5], null, "expected a number from 1 to 5, got array"],
    [HEDGING, 0, 0, undefined],
    [HEDGING, 3, 3, undefined],
    [HEDGING, -1, null, "expected a number from 0 to 3, got -1"],
    [TONE, "rude", "rude", undefined],
    [TONE, "Rude", null, 'expected the name of a class, got "Rude"'],
    [TONE, "toString", null, 'expected the name of a class, got "toString"'],
    [TONE, 1, null, "expected the name of a class, got 1"],
    [TONE, "x".repeat(200), null, `expected the name of a class, got "${"x".repeat(59)}…"`],
  ])("%j answered %j → %j", (trait, judged, value, reason) => {
    expect(traitValue(trait, judged)).toEqual(reason === undefined ? { value } : { value, reason });
  });
});

describe("metric traits", () => {
  test("the value is that of the first metric; the details have all of them and the counts", () => {
    expect(traitValue(COVERAGE, { expected: [true, false], unexpected: [true] })).toEqual({
      value: 0.5,
      details: {
        metrics: { precision: 0.5, recall: 0.5, f1: 0.5, specificity: 0, accuracy: 1 / 3 },
        counts: { tp: 1, fn: 1, fp: 1, tn: 0, unknown: { expected: 0, unexpected: 0 } },
      },
    });
  });

  test("f1 unless said otherwise; `unexpected` need not be answered where there is none", () => {
    const trait = metricTrait("m", { expected: ["a", "b"] });
    expect(traitValue(trait, { expected: [true, false] }).value).toBeCloseTo(2 / 3);
    expect(traitValue(trait, { expected: [true, false], unexpected: [] }).value).toBeCloseTo(2 / 3);
  });

  test("an open answer makes null what depends on it, and nothing else", () => {
    const { value, reason, details } = traitValue(COVERAGE, { expected: [true, null], unexpected: [false] });
    expect({ value, reason }).toEqual({
      value: null,
      reason: "recall depends on an instruction that the judge could not decide",
    });
    expect(details?.metrics).toMatchObject({ precision: 1, recall: null, specificity: 1 });
    expect(details?.counts).toMatchObject({ tp: 1, fn: 0, unknown: { expected: 1, unexpected: 0 } });
  });

  test("a missing list is not answered", () => {
    expect(traitValue(COVERAGE, { expected: [true, true] }).value).toBe(1);
    expect(traitValue(COVERAGE, {}).value).toBeNull();
  });

  test.each<[unknown, string]>([
    [null, "the judge could not decide"],
    [0.7, "expected answers to the instructions, got 0.7"],
    [[true, true, false], "expected answers to the instructions, got array"],
    [
      { expected: [true], unexpected: [true] },
      "expected true, false or null for each instruction, and nothing else",
    ],
    [
      { expected: [true, true, true], unexpected: [true] },
      "expected true, false or null for each instruction, and nothing else",
    ],
    [
      { expected: [true, "yes"], unexpected: [true] },
      "expected true, false or null for each instruction, and nothing else",
    ],
    [
      { expected: "all", unexpected: [true] },
      "expected true, false or null for each instruction, and nothing else",
    ],
  ])("%j → null: %s", (judged, reason) => {
    expect(traitValue(COVERAGE, judged)).toEqual({ value: null, reason });
  });
});

test("whatever a judge answers, null has a reason and every other value is one that the trait allows", () => {
  const traits = [POLITE, CLEAR, HEDGING, TONE, COVERAGE];
  const answers = fc.oneof(
    fc.anything(),
    fc.constantFrom(true, 3, "rude"),
    fc.record({ expected: fc.anything(), unexpected: fc.anything() }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...traits), answers, (trait, judged) => {
      const { value, reason } = traitValue(trait, judged);
      expect(reason === undefined).toBe(value !== null);
      if (value !== null && trait.type === "llm") expect(value).toBe(judged);
    }),
  );
});
