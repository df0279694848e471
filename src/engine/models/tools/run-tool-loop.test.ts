import { expect, test } from "vitest";
import type { Message, ToolCall, ToolResult } from "../message.ts";
import { extendMessages, hashOfMessages, noMessages } from "../message-list.ts";
import type { ModelReply } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { runToolLoop, type ToolLoopOptions } from "./run-tool-loop.ts";

const QUESTION = extendMessages(noMessages(), [{ role: "user", content: "What is 1 + 2?" }]);
const TOOLS = ["add", "slow"].map((name) => ({ name, inputSchema: { type: "object" } }));

function wants(...toolCalls: readonly ToolCall[]): ModelReply {
  return { text: "let me see", toolCalls, finish: "tool_calls", native: { signature: "s" } };
}

const DONE: ModelReply = { text: "3", finish: "stop" };
const ADD: ToolCall = { id: "c1", name: "add", input: { a: 1, b: 2 } };

/** A loop with a model that gives its replies in their order, and what it was asked. */
function loop(replies: readonly ModelReply[], options: Partial<ToolLoopOptions> = {}) {
  const asked: (readonly Message[])[] = [];
  const result = runToolLoop({
    ask: async (messages) => {
      asked.push(messages);
      const reply = replies[Math.min(asked.length, replies.length) - 1];
      if (reply === undefined) throw new Error("unexpected call");
      return reply;
    },
    call: async ({ id, name }): Promise<ToolResult> => ({ id, name, output: "3" }),
    tools: TOOLS,
    messages: QUESTION,
    maxSteps: 5,
    ...options,
  });
  return { result, asked };
}

test("a model that wants no tools is asked once", async () => {
  const { result } = loop([DONE]);
  expect(await result).toEqual({
    reply: DONE,
    added: [{ role: "assistant", content: "3" }],
    steps: 1,
    stoppedAtLimit: false,
    reported: [],
  });
});

test("tools are called, and the model is asked again with their results", async () => {
  const { result, asked } = loop([wants(ADD), DONE]);
  const step: Message[] = [
    { role: "assistant", content: "let me see", toolCalls: [ADD], native: { signature: "s" } },
    { role: "tool", results: [{ id: "c1", name: "add", output: "3" }] },
  ];
  expect(await result).toEqual({
    reply: DONE,
    added: [...step, { role: "assistant", content: "3" }],
    steps: 2,
    stoppedAtLimit: false,
    reported: [],
  });
  expect(asked).toEqual([QUESTION, [...QUESTION, ...step]]);
  expect(hashOfMessages(asked[1] as readonly Message[])).toBe(hashOfMessages([...QUESTION, ...step]));
});

test("calls of one reply run side by side; results are in the order of calls", async () => {
  const gate = Promise.withResolvers<void>();
  const call = async ({ id, name }: ToolCall): Promise<ToolResult> => {
    // The first waits for the second, so one after the other would never end.
    if (name === "slow") await gate.promise;
    else gate.resolve();
    return { id: "wrong", name: "wrong", output: id };
  };
  const { result } = loop([wants({ ...ADD, id: "c1", name: "slow" }, { ...ADD, id: "c2" }), DONE], { call });
  expect((await result).added[1]).toEqual({
    role: "tool",
    results: [
      { id: "c1", name: "slow", output: "c1" },
      { id: "c2", name: "add", output: "c2" },
    ],
  });
});

test("a model's mistakes are results that it sees", async () => {
  const { result } = loop([wants({ ...ADD, name: "sub" }, { ...ADD, input: "1 + 2" }), DONE]);
  expect((await result).added[1]).toEqual({
    role: "tool",
    results: [
      { id: "c1", name: "sub", output: 'There is no tool "sub". There are: add, slow.', isError: true },
      { id: "c1", name: "add", output: 'The input of "add" must be an object, not string.', isError: true },
    ],
  });
  const none = loop([wants(ADD), DONE], { tools: [] });
  expect((await none.result).added[1]).toMatchObject({
    results: [{ output: 'There is no tool "add". There are none.', isError: true }],
  });
});

test("at the limit it stops, and no call is left without a result", async () => {
  let calls = 0;
  const call = async ({ id, name }: ToolCall): Promise<ToolResult> => ({ id, name, output: ++calls });
  const { result, asked } = loop([wants(ADD)], { call, maxSteps: 3 });
  const { reply, added, steps, stoppedAtLimit } = await result;
  expect([reply, steps, stoppedAtLimit, calls, asked.length]).toEqual([wants(ADD), 3, true, 2, 3]);
  expect(added.map(({ role }) => role)).toEqual([
    "assistant",
    "tool",
    "assistant",
    "tool",
    "assistant",
    "tool",
  ]);
  expect(added.at(-1)).toEqual({
    role: "tool",
    results: [
      { id: "c1", name: "add", output: "Not called: the limit of 3 steps was reached.", isError: true },
    ],
  });
});

test("an error of a tool server ends the loop, once all calls have settled", async () => {
  const gate = Promise.withResolvers<void>();
  let rested = false;
  const call = async ({ id, name }: ToolCall): Promise<ToolResult> => {
    if (name === "add") {
      queueMicrotask(gate.resolve);
      throw new ModelError("tool", "the server is gone");
    }
    await gate.promise;
    rested = true;
    return { id, name, output: null };
  };
  const { result } = loop([wants(ADD, { ...ADD, name: "slow" })], { call });
  await expect(result).rejects.toThrow("the server is gone");
  expect(rested).toBe(true);
});

test("an error of the model is passed on", async () => {
  const ask = async (): Promise<ModelReply> => {
    throw new ModelError("rate_limit", "wait");
  };
  await expect(loop([], { ask }).result).rejects.toMatchObject({ category: "rate_limit" });
});
