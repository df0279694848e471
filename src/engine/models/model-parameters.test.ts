import { expect, test } from "vitest";
import { checkParameters } from "./model-parameters.ts";

test("good parameters come back, without what is undefined", () => {
  const parameters = {
    temperature: 0,
    maxOutputTokens: 1,
    topP: 1,
    topK: 40,
    presencePenalty: -1,
    frequencyPenalty: 0.5,
    stopSequences: [],
    seed: -3,
    reasoning: "minimal",
    structured: false,
    headers: { a: "b" },
    providerOptions: { openai: { serviceTier: "flex" } },
  };
  expect(checkParameters({ ...parameters, seed: -3 }, "m")).toEqual(parameters);
  expect(checkParameters({ temperature: undefined }, "m")).toEqual({});
  expect(checkParameters(undefined, "m")).toEqual({});
});

test.each<[string, unknown, string]>([
  ["a misspelt name", { temprature: 1 }, 'there is no parameter "temprature". Did you mean "temperature"?'],
  ["an unknown name", { zzz: 1 }, 'there is no parameter "zzz". Known are temperature, maxOutputTokens, '],
  ["a name of the prototype", { toString: 1 }, 'there is no parameter "toString".'],
  [
    "text for a number",
    { temperature: "0" },
    "expected `temperature` to be a number from 0 and up, got `0` (string).",
  ],
  ["NaN", { temperature: Number.NaN }, "got `NaN` (number)."],
  [
    "too small",
    { maxOutputTokens: 0 },
    "expected `maxOutputTokens` to be an integer from 1 and up, got `0` (number).",
  ],
  ["too large", { topP: 1.1 }, "expected `topP` to be a number from 0 to 1, got `1.1` (number)."],
  ["a broken seed", { seed: 0.5 }, "expected `seed` to be an integer, got `0.5` (number)."],
  [
    "an unknown effort",
    { reasoning: "hard" },
    "one of provider-default, none, minimal, low, medium, high, xhigh, max, got `hard`",
  ],
  ["stop sequences that are not text", { stopSequences: [1] }, "an array of strings, got `[1]` (array)."],
  ["null", { structured: null }, "expected `structured` to be true or false, got `null` (null)."],
  [
    "options of no provider",
    { providerOptions: { openai: 1 } },
    "an object for each provider, got `…` (object).",
  ],
  ["no object", "temperature=1", "expected an object, got string."],
])("%s", (_what, parameters, message) => {
  expect(() => checkParameters(parameters, "openai/m")).toThrow(
    expect.objectContaining({
      category: "bad_request",
      message: expect.stringContaining(message) as string,
    }),
  );
  expect(() => checkParameters(parameters, "openai/m")).toThrow(/^The parameters of openai\/m are wrong: /);
});

test("values of headers are not shown", () => {
  expect(() => checkParameters({ headers: { authorization: ["abc123"] } }, "m")).toThrow(
    "expected `headers` to be an object of strings, got `…` (object).",
  );
});
