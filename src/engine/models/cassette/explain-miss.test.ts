import { expect, test } from "vitest";
import type { Message } from "../message.ts";
import { explainMiss } from "./explain-miss.ts";
import type { CallRequest } from "./recorded-call.ts";

function user(content: string): Message {
  return { role: "user", content };
}
function assistant(content: string): Message {
  return { role: "assistant", content };
}

const REQUEST: CallRequest = {
  name: "openai/gpt-5-mini",
  model: { provider: "openai", model: "gpt-5-mini", parameters: { temperature: 0 } },
  instructions: "You are a careful assistant who answers in one sentence.",
  messages: [user("What is the capital of Australia?"), assistant("Canberra."), user("Are you sure?")],
  tools: [{ name: "search", inputSchema: { type: "object" } }],
  schema: null,
  replicate: 1,
  seed: 42,
};

const long = "x".repeat(500);

test.each<[string, Partial<CallRequest>, string]>([
  [
    "a parameter",
    { model: { provider: "openai", model: "gpt-5-mini", parameters: { temperature: 0.7 } } },
    String.raw`rs\":{\"temperature\":0.7},\"provider`,
  ],
  [
    "the system prompt",
    { instructions: "You are a careful assistant who answers in two sentences." },
    'differs in the system prompt: "…tant who answers in two sentences." here, "…tant who answers in one sentence." there.',
  ],
  [
    "no system prompt",
    { instructions: null },
    'differs in the system prompt: "null" here, "You are a careful',
  ],
  [
    "the text of a message",
    { messages: [user("What is the capital of Austria?"), ...REQUEST.messages.slice(1)] },
    'differs in message 1 of 3 (user): "…the capital of Austria?" here, "…the capital of Australia?" there.',
  ],
  [
    "a long message",
    { messages: [...REQUEST.messages.slice(0, 2), user(`${long}a${long}`)] },
    'differs in message 3 of 3 (user): "xxx',
  ],
  [
    "fewer messages",
    { messages: REQUEST.messages.slice(0, 1) },
    "differs in the number of messages: 1 here, 3 there, and the first 1 are the same.",
  ],
  [
    "tool calls",
    {
      messages: [
        user("What is the capital of Australia?"),
        { role: "assistant", content: "Canberra.", toolCalls: [] },
        user("Are you sure?"),
      ],
    },
    String.raw`differs in message 2 of 3 (assistant): "…\",\"role\":\"assistant\",\"toolCalls`,
  ],
  [
    "a tool more",
    { tools: [...(REQUEST.tools ?? []), { name: "map", inputSchema: {} }] },
    String.raw`\"name\":\"map\"}]" here`,
  ],
  [
    "the schema",
    { schema: { type: "object" } },
    String.raw`differs in the schema of the reply: "{\"type\":\"object\"}" here, "null" there.`,
  ],
  ["the replicate", { replicate: 3 }, "differs in the replicate: 3 here, 1 there."],
  ["the seed", { seed: 43 }, "differs in the seed: 43 here, 42 there."],
  ["several parts", { replicate: 3, seed: 43 }, "differs in the replicate: 3 here, 1 there (and in 1 more)."],
])("explains %s", (_, change, sentence) => {
  const explained = explainMiss({ ...REQUEST, ...change }, [REQUEST]);
  expect(explained).toContain(
    "The nearest recorded call is one of openai/gpt-5-mini, replicate 1; it differs in ",
  );
  expect(explained).toContain(sentence);
  expect(explained.length).toBeLessThan(500);
});

test("finds the nearest of several calls", () => {
  const other = { ...REQUEST, model: { provider: "other" }, seed: 1, replicate: 2 };
  const shorter = { ...REQUEST, messages: REQUEST.messages.slice(0, 1), seed: 41 };
  const nearest = { ...REQUEST, seed: 40 };
  expect(explainMiss(REQUEST, [other, shorter, nearest])).toContain("the seed: 42 here, 40 there");
  const request = { ...REQUEST, messages: [...REQUEST.messages.slice(0, 2), user("Really?")] };
  expect(explainMiss(request, [shorter, { ...REQUEST, seed: 41 }])).toContain("message 3 of 3 (user)");
});

test("says so where there is nothing to compare with, or nothing differs", () => {
  expect(explainMiss(REQUEST, [])).toBe("No call is recorded.");
  expect(explainMiss(REQUEST, [REQUEST])).toBe("The same call is recorded.");
});

test("the random marker around quoted texts hides nothing, and is named where nothing else differs", () => {
  const quoting = (marker: string, text: string): CallRequest => ({
    ...REQUEST,
    messages: [user(`The question:\n<question-${marker}>\n${text}\n</question-${marker}>`)],
  });
  const here = quoting("aaaaaaaaaaaaaaaa", "Why?");
  expect(explainMiss(here, [quoting("bbbbbbbbbbbbbbbb", "How?")])).toContain(
    String.raw`<question>\nWhy?\n</question>" here`,
  );
  expect(explainMiss(here, [quoting("bbbbbbbbbbbbbbbb", "Why?")])).toContain(
    "it differs only in the random marker around quoted texts",
  );
});
