import { describe, expect, test } from "vitest";
import { contextOf, failureOf, requestOf } from "../../../apps/contracts/model-contract-calls.ts";
import type { Message } from "../message.ts";
import { ModelError } from "../model-error.ts";
import { functionModel, type ReplyFunction } from "./function-model.ts";

const asked = (reply: unknown) =>
  // Authors write JavaScript, too: anything may be returned.
  functionModel((() => reply) as ReplyFunction, { name: "agent" }).reply(requestOf("?"), contextOf());

test("a function is told everything but what it is for", async () => {
  let seen: unknown;
  const model = functionModel(
    (messages, context) => {
      seen = { messages, context };
      return "Yes.";
    },
    { name: "agent" },
  );
  const schema = { type: "object" };
  const tools = [{ name: "t", inputSchema: schema }];
  const context = contextOf({ workspace: "/tmp/x", replicate: 2, turn: 3 });
  const reply = await model.reply(requestOf("Is it?", { schema, tools }), context);
  expect(reply).toEqual({ text: "Yes.", finish: "stop" });
  expect(seen).toEqual({
    messages: [{ role: "user", content: "Is it?" }],
    context: {
      instructions: "You are terse.",
      tools,
      schema,
      signal: context.signal,
      scenario: "contract",
      conversation: "contract-1",
      node: "ask",
      turn: 3,
      replicate: 2,
      seed: 7,
      workspace: "/tmp/x",
    },
  });
});

test("a reply with more than text", async () => {
  const toolCalls = [{ id: "1", name: "t", input: { a: [null] } }];
  const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0 };
  expect(await asked(Promise.resolve({ text: "", toolCalls, usage, object: { a: 1 } }))).toEqual({
    text: "",
    toolCalls,
    usage,
    object: { a: 1 },
    finish: "stop",
  });
  expect(await asked({ text: "cut", finish: "length" })).toEqual({ text: "cut", finish: "length" });
  expect(await asked({ text: "a", object: { a: 1, b: () => 2 } })).toEqual({
    text: "a",
    object: { a: 1 },
    finish: "stop",
  });
  expect(await asked("")).toEqual({ text: "", finish: "stop" });
});

describe("what is no reply is the author's mistake", () => {
  test.each<[unknown, string]>([
    [undefined, "agent returned undefined. Return a string, or an object with a string `text`."],
    [null, "agent returned null."],
    [42, "agent returned number."],
    [["Yes."], "agent returned array."],
    [{}, 'agent returned what is no reply: A reply needs "text". Return a string, or an object'],
    [{ text: 1 }, "text: Expected text, got the number 1"],
    [{ content: "Yes." }, 'A reply needs "text".'],
    [{ text: "a", toolCalls: {} }, "toolCalls: Expected a list, got an object."],
    [{ text: "a", toolCalls: [{ name: "t" }] }, 'toolCalls[0]: A tool call needs "id".'],
    [{ text: "a", usage: { inputTokens: 1 } }, 'usage: Usage needs "outputTokens".'],
    [
      { text: "a", usage: { inputTokens: 1, outputTokens: -1 } },
      "usage.outputTokens: Expected an integer from 0",
    ],
    [{ text: "a", finish: "done" }, 'finish: "done" is not one of'],
    [{ text: "a", object: { n: 1n } }, "bigint at `object.n`"],
    [new Map(), "Map at ``"],
  ])("%o", async (reply, message) => {
    const error = await failureOf(asked(reply));
    expect(error.category).toBe("author");
    expect(error.message).toContain(message);
  });

  test("an object that cannot be read", async () => {
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    expect(await failureOf(asked(trap))).toMatchObject({ category: "author" });
  });
});

describe("a function that throws", () => {
  test.each<[unknown, string]>([
    [new Error("no luck"), "agent threw: no luck"],
    ["text", "agent threw: text"],
    [undefined, "agent threw: undefined"],
    [Object.create(null), "agent threw: something that cannot be shown"],
  ])("%o", async (thrown, message) => {
    const sync = functionModel(
      () => {
        throw thrown;
      },
      { name: "agent" },
    );
    const late = functionModel(
      async () => {
        throw thrown;
      },
      { name: "agent" },
    );
    for (const model of [sync, late]) {
      const error = await failureOf(model.reply(requestOf("?"), contextOf()));
      expect({ category: error.category, message: error.message }).toEqual({ category: "author", message });
    }
  });

  test("keeps its stack, without secrets", async () => {
    const key = "sk-0123456789abcdefghijklmnopqrstuvwxyz";
    const model = functionModel(
      () => {
        throw new Error(`bad key ${key}`);
      },
      { name: "agent" },
    );
    const error = await failureOf(model.reply(requestOf("?"), contextOf()));
    expect((error.cause as Error).stack).toContain("function-model.test.ts");
    expect(`${error.message}${(error.cause as Error).stack}`).not.toContain(key);
  });

  test("may say what kind of trouble it has", async () => {
    const trouble = new ModelError("rate_limit", "busy", { retryAfterMs: 5 });
    const model = functionModel(
      () => {
        throw trouble;
      },
      { name: "agent" },
    );
    expect(await failureOf(model.reply(requestOf("?"), contextOf()))).toBe(trouble);
  });
});

test("what a function is given cannot be changed", async () => {
  const messages: Message[] = [
    { role: "user", content: "a" },
    { role: "assistant", content: "", toolCalls: [{ id: "1", name: "t", input: { deep: [1] } }] },
    { role: "tool", results: [{ id: "1", name: "t", output: "x" }] },
  ];
  const tools = [{ name: "t", inputSchema: { type: "object" } }];
  const before = structuredClone({ messages, tools });
  const attempts: ReplyFunction[] = [
    (given) => String((given as Message[]).pop()),
    (given) => String(Object.assign(given[0] as object, { content: "b" })),
    (given) => {
      const [, answer] = given;
      const input = answer?.role === "assistant" ? answer.toolCalls?.[0]?.input : undefined;
      return String((input as unknown as { deep: number[] }).deep.push(2));
    },
    (_, { tools: given }) => String(Object.assign(given?.[0]?.inputSchema ?? {}, { type: "x" })),
    (_, context) => String(Object.assign(context, { seed: 1 })),
  ];
  for (const attempt of attempts) {
    const reply = functionModel(attempt, { name: "agent" }).reply({ messages, tools }, contextOf());
    expect(await failureOf(reply)).toMatchObject({ category: "author" });
  }
  expect({ messages, tools }).toEqual(before);
});

test("messages that somebody changes between calls are seen as they are", async () => {
  const model = functionModel((messages) => JSON.stringify(messages), { name: "agent" });
  const message = { role: "user" as const, content: "a" };
  await model.reply({ messages: [message] }, contextOf());
  message.content = "b";
  expect((await model.reply({ messages: [message] }, contextOf())).text).toContain('"b"');
});

test("the identity follows the function's text and its parameters", () => {
  const identity = (reply: ReplyFunction, version: number) =>
    functionModel(reply, { name: "agent", parameters: { version } }).identity;
  const a = identity(() => "a", 1);
  expect(identity(() => "a", 1)).toEqual(a);
  expect(identity(() => "b", 1)).not.toEqual(a);
  expect(identity(() => "a", 2)).not.toEqual(a);
});
