import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  functionTrait,
  type JudgedTrait,
  llmTrait,
  metricTrait,
  regexTrait,
  type Trait,
  type TraitFunction,
} from "../../../core/templates/rubric.ts";
import { evaluateCodeTraits, traitValue } from "./trait-value.ts";

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

/** What an author without a compiler may hand in. */
function anyFunction(evaluate: (reply: string) => unknown): Trait {
  return functionTrait("t", evaluate as TraitFunction);
}

describe("one trait", () => {
  test.each<[string, Trait, unknown]>([
    ["found", regexTrait("t", { pattern: "\\bB\\b" }), { value: true }],
    ["not found", regexTrait("t", { pattern: "^b" }), { value: false }],
    ["inverted", regexTrait("t", { pattern: "^b", invert: true }), { value: true }],
    ["flags", regexTrait("t", { pattern: "ANSWER", flags: "i" }), { value: true }],
    [
      "bad pattern",
      regexTrait("t", { pattern: "(" }),
      { value: null, reason: "the pattern cannot be used: missing closing )" },
    ],
    [
      "bad flags",
      regexTrait("t", { pattern: "a", flags: "g" }),
      { value: null, reason: 'the flags cannot be used: "g" is not a flag; there are i, m and s' },
    ],
    ["boolean", functionTrait("t", (reply) => reply.includes("B")), { value: true }],
    ["number", functionTrait("t", (reply) => reply.length), { value: 16 }],
    ["zero", functionTrait("t", () => 0), { value: 0 }],
    ["text", functionTrait("t", () => ""), { value: "" }],
    [
      "null",
      functionTrait("t", () => null),
      { value: null, reason: "the function returned null: it cannot tell" },
    ],
    ["NaN", functionTrait("t", () => Number.NaN), { value: null, reason: "the function returned NaN" }],
    [
      "source",
      functionTrait("t", "(reply) => true"),
      { value: null, reason: "a source string runs only within a run" },
    ],
    [
      "nothing",
      anyFunction(() => undefined),
      { value: null, reason: "the function returned nothing instead of a boolean, number, text or null" },
    ],
    [
      "a list",
      anyFunction(() => [1]),
      { value: null, reason: "the function returned an array instead of a boolean, number, text or null" },
    ],
    [
      "a promise",
      anyFunction(async () => true),
      { value: null, reason: "the function returned a promise; a trait must be decided at once" },
    ],
    [
      "a promise that nobody catches",
      anyFunction(async () => Promise.reject(new Error("late"))),
      { value: null, reason: "the function returned a promise; a trait must be decided at once" },
    ],
    [
      "an error",
      anyFunction(() => {
        throw new Error("no");
      }),
      { value: null, reason: "the function threw: no" },
    ],
    [
      "something thrown that is no text",
      anyFunction(() => {
        throw Object.create(null);
      }),
      { value: null, reason: "the function threw: something that cannot be shown" },
    ],
    [
      "an object that cannot be looked at",
      anyFunction(
        () =>
          new Proxy(
            {},
            {
              has: () => {
                throw new Error("trap");
              },
            },
          ),
      ),
      { value: null, reason: "the function threw: trap" },
    ],
  ])("%s", (_name, trait, result) => {
    expect(evaluateCodeTraits([trait], "The answer is B.")).toEqual({ t: result });
  });
});

test("traits that need a judge are left out; names are keys whatever they are", () => {
  const results = evaluateCodeTraits(
    [
      llmTrait("polite", { kind: "boolean" }),
      metricTrait("coverage", { expected: ["a"] }),
      regexTrait("a.b", { pattern: "x" }),
      regexTrait("__proto__", { pattern: "x" }),
    ],
    "x",
  );
  expect(Object.entries(results)).toEqual([
    ["a.b", { value: true }],
    ["__proto__", { value: true }],
  ]);
});

test("a frozen trait is prepared once, one that can change is read anew", () => {
  let reads = 0;
  const counting = (): Trait =>
    Object.defineProperty({ type: "regex", name: "t" }, "pattern", {
      get: () => {
        reads++;
        return "x";
      },
    }) as Trait;
  const frozen = Object.freeze(counting());
  for (let i = 0; i < 3; i++) evaluateCodeTraits([frozen], "x");
  expect(reads).toBe(1);

  const changing = { ...regexTrait("t", { pattern: "a" }) };
  expect(evaluateCodeTraits([changing], "a")).toEqual({ t: { value: true } });
  expect(evaluateCodeTraits([Object.assign(changing, { pattern: "b" })], "a")).toEqual({
    t: { value: false },
  });
});

test("whatever a function returns, the value is a boolean, a finite number, a text, or null with a reason", () => {
  fc.assert(
    fc.property(fc.anything(), (returned) => {
      const { value, reason } = evaluateCodeTraits([anyFunction(() => returned)], "x").t ?? {};
      if (value === null) expect(reason).toEqual(expect.stringMatching(/./));
      else expect(value).toBe(returned);
    }),
  );
});
