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

test.each<[unknown, string]>([
  [{ temprature: 1 }, 'temprature: A model has no "temprature". Did you mean "temperature"?'],
  [{ toString: 1 }, 'A model has no "toString"'],
  [{ temperature: "0" }, 'temperature: Expected a number from 0 and up, got the text "0"'],
  [{ temperature: Number.NaN }, "got the number NaN"],
  [{ maxOutputTokens: 0 }, "maxOutputTokens: Expected an integer from 1 and up, got the number 0."],
  [{ seed: 0.5 }, "seed: Expected an integer, got the number 0.5."],
  [{ reasoning: "hard" }, 'reasoning: "hard" is not one of "provider-default", "none"'],
  [{ stopSequences: [1] }, "stopSequences[0]: Expected text, got the number 1"],
  [{ structured: null }, "structured: Expected true or false, got null."],
  [{ providerOptions: { openai: 1 } }, "providerOptions.openai: Expected an object, got the number 1."],
  [{ headers: { authorization: ["abc123"] } }, "headers.authorization: Expected text, got a list."],
  ["temperature=1", 'got the text "temperature=1".'],
])("%j", (parameters, message) => {
  expect(() => checkParameters(parameters, "openai/m")).toThrow(
    expect.objectContaining({
      category: "bad_request",
      message: expect.stringContaining(message) as string,
    }),
  );
  expect(() => checkParameters(parameters, "openai/m")).toThrow(/^The parameters of openai\/m are wrong: /);
});
