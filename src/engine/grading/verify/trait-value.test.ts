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
  test.each<[JudgedTrait, readonly unknown[]]>([
    [POLITE, [true, false]],
    [CLEAR, [1, 5, 3.5]],
    [HEDGING, [0, 3]],
    [TONE, ["rude"]],
  ])("%j allows %j", (trait, allowed) => {
    for (const value of allowed) expect(traitValue(trait, value)).toEqual({ value });
  });

  test.each<[JudgedTrait, readonly unknown[], string]>([
    [POLITE, [null, undefined], "the judge could not decide"],
    [POLITE, ["true", 1], "expected true or false, got "],
    [CLEAR, [0, 6, "5", Number.NaN, [5]], "expected a number from 1 to 5, got "],
    [HEDGING, [-1], "expected a number from 0 to 3, got -1"],
    [TONE, ["Rude", "toString", 1], "expected the name of a class, got "],
    [TONE, ["x".repeat(200)], `expected the name of a class, got "${"x".repeat(59)}…"`],
  ])("%j answered with one of %j is null: %s", (trait, judged, reason) => {
    for (const answer of judged)
      expect(traitValue(trait, answer)).toEqual({ value: null, reason: expect.stringContaining(reason) });
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
    [{ expected: [true], unexpected: [true] }, "and nothing else"],
    [{ expected: [true, true, true], unexpected: [true] }, "and nothing else"],
    [{ expected: [true, "yes"], unexpected: [true] }, "and nothing else"],
    [{ expected: "all", unexpected: [true] }, "and nothing else"],
  ])("%j → null: %s", (judged, reason) => {
    expect(traitValue(COVERAGE, judged)).toEqual({ value: null, reason: expect.stringContaining(reason) });
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

test.each<[string, Trait, unknown]>([
  ["found", regexTrait("t", { pattern: "\\bB\\b" }), true],
  ["not found", regexTrait("t", { pattern: "^b" }), false],
  ["inverted", regexTrait("t", { pattern: "^b", invert: true }), true],
  ["flags", regexTrait("t", { pattern: "ANSWER", flags: "i" }), true],
  ["boolean", functionTrait("t", (reply) => reply.includes("B")), true],
  ["number", functionTrait("t", (reply) => reply.length), 16],
  ["zero", functionTrait("t", () => 0), 0],
  ["text", functionTrait("t", () => ""), ""],
])("%s", (_name, trait, value) => {
  expect(evaluateCodeTraits([trait], "The answer is B.")).toEqual({ t: { value } });
});

const throws = (thrown: unknown) => (): never => {
  throw thrown;
};

test.each<[string, Trait]>([
  ["the pattern cannot be used: missing closing )", regexTrait("t", { pattern: "(" })],
  ['the flags cannot be used: "g" is not a flag', regexTrait("t", { pattern: "a", flags: "g" })],
  ["the function returned null: it cannot tell", functionTrait("t", () => null)],
  ["the function returned NaN", functionTrait("t", () => Number.NaN)],
  ["a source string runs only within a run", functionTrait("t", "(reply) => true")],
  ["the function returned nothing instead of", anyFunction(() => undefined)],
  ["the function returned an array instead of", anyFunction(() => [1])],
  ["returned a promise; a trait must be decided at once", anyFunction(async () => true)],
  ["returned a promise; a", anyFunction(async () => Promise.reject(new Error("late")))],
  ["the function threw: no", anyFunction(throws(new Error("no")))],
  ["the function threw: something that cannot be shown", anyFunction(throws(Object.create(null)))],
  ["the function threw: trap", anyFunction(() => new Proxy({}, { has: throws(new Error("trap")) }))],
])("null, because %s", (reason, trait) => {
  expect(evaluateCodeTraits([trait], "x").t).toEqual({
    value: null,
    reason: expect.stringContaining(reason),
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
