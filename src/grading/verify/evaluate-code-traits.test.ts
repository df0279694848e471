import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Trait, TraitFunction } from "../../core/templates/rubric.ts";
import { functionTrait, llmTrait, metricTrait, regexTrait } from "../../core/templates/trait-factories.ts";
import { evaluateCodeTraits } from "./trait-value.ts";

/** What an author without a compiler may hand in. */
function anyFunction(evaluate: (reply: string) => unknown): Trait {
  return functionTrait("t", evaluate as TraitFunction);
}

describe("one trait", () => {
  test.each<[string, Trait, unknown]>([
    ["found", regexTrait("t", { pattern: "\\bB\\b" }), { value: true }],
    ["not found", regexTrait("t", { pattern: "^b" }), { value: false }],
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
