import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { aiSdkJudge } from "./ai-sdk-model.ts";

const REQUEST = {
  instructions: "Read.",
  messages: [{ role: "user", content: "The reply" }],
  schema: { type: "object", properties: {}, required: [], additionalProperties: false },
} as const;

type Result = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;

function modelSaying(text: string, change: Partial<Result> = {}): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: {
      content: text === "" ? [] : [{ type: "text", text }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 7, noCache: 7, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 3, text: 3, reasoning: undefined },
      },
      warnings: [],
      ...change,
    },
  });
}

const USAGE = { inputTokens: 7, outputTokens: 3 };
const CUT_OFF: Partial<Result> = { finishReason: { unified: "length", raw: "length" } };

test.each<[string, boolean, string, Partial<Result>, unknown]>([
  ["structured output", true, '{"a": 1}', {}, { text: '{"a": 1}', object: { a: 1 }, usage: USAGE }],
  ["text", false, '{"a": 1}', {}, { text: '{"a": 1}', usage: USAGE }],
  ["malformed output", true, '{"a": ', {}, { text: '{"a": ', usage: USAGE }],
  ["words instead of output", true, "Sorry.", {}, { text: "Sorry.", usage: USAGE }],
  ["no output", true, "", {}, { text: "", usage: USAGE }],
  ["output cut off at once", true, "", CUT_OFF, { text: "", usage: USAGE }],
  ["output cut off later", true, '{"a"', CUT_OFF, { text: '{"a"', usage: USAGE }],
  ["null", true, "null", {}, { text: "null", usage: USAGE }],
  [
    "unknown usage",
    true,
    "{}",
    {
      usage: {
        inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 3, text: 3, reasoning: undefined },
      },
    },
    { text: "{}", object: {} },
  ],
])("%s", async (_what, structured, text, change, answer) => {
  expect(await aiSdkJudge(modelSaying(text, change), { structured })(REQUEST, {})).toEqual(answer);
});

test("settings, schema and signal reach the model", async () => {
  const model = modelSaying("{}");
  const { signal } = new AbortController();
  const providerOptions = { mock: { effort: "low" } };
  const judge = aiSdkJudge(model, {
    temperature: 0,
    maxOutputTokens: 9,
    seed: 4,
    headers: { "x-a": "b" },
    providerOptions,
  });
  await judge(REQUEST, { signal });
  expect(model.doGenerateCalls[0]).toMatchObject({
    temperature: 0,
    maxOutputTokens: 9,
    seed: 4,
    headers: { "x-a": "b" },
    providerOptions,
    abortSignal: signal,
    responseFormat: { type: "json", name: "judgement", schema: REQUEST.schema },
    prompt: [
      { role: "system", content: "Read." },
      { role: "user", content: [{ type: "text", text: "The reply" }] },
    ],
  });
});

test("an error of the provider is thrown, without a second try", async () => {
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      throw new Error("503");
    },
  });
  await expect(aiSdkJudge(model)(REQUEST, {})).rejects.toThrow("503");
  await expect(aiSdkJudge(model, { structured: false })(REQUEST, {})).rejects.toThrow("503");
  expect(model.doGenerateCalls).toHaveLength(2);
});
