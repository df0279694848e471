import { MockLanguageModelV3, MockLanguageModelV4 } from "ai/test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { anthropicServer } from "../../../../test/model-servers/anthropic-server.ts";
import { googleServer } from "../../../../test/model-servers/google-server.ts";
import type { ModelServer } from "../../../../test/model-servers/model-server.ts";
import { openaiServer } from "../../../../test/model-servers/openai-server.ts";
import { contextOf, failureOf, requestOf } from "../../../apps/contracts/model-contract-calls.ts";
import type { Message } from "../message.ts";
import type { Model, ModelReply } from "../model.ts";
import { ModelError } from "../model-error.ts";
import type { ModelParameters } from "../model-parameters.ts";
import { resolveModel } from "../resolve-model.ts";
import { aiSdkModel } from "./ai-sdk-model.ts";

const KINDS = {
  openai: { start: openaiServer, model: "openai/gpt-5-mini", path: "/v1" },
  anthropic: { start: anthropicServer, model: "anthropic/claude-sonnet-4-5", path: "/v1" },
  google: { start: googleServer, model: "google/gemini-2.5-flash", path: "/v1beta" },
  ollama: { start: openaiServer, model: "ollama/llama3.2:3b", path: "/v1" },
} as const;

let server: ModelServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function started(
  kind: keyof typeof KINDS,
  parameters: ModelParameters = {},
): Promise<{ readonly model: Model; readonly server: ModelServer }> {
  const { start, model, path } = KINDS[kind];
  server = await start();
  const key = "key-of-the-tests";
  return {
    server,
    model: await resolveModel(
      { model, parameters },
      {
        environment: { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key, GEMINI_API_KEY: key },
        providers: { [kind]: { baseUrl: `${server.url}${path}` } },
      },
    ),
  };
}

type Body = Readonly<Record<string, unknown>>;

/** The bodies that were sent. */
const bodies = ({ requests }: ModelServer): Body[] => requests.map(({ body }) => body as Body);

/** A value somewhere in a body. */
const at = (body: Body | undefined, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => (value as Body | undefined)?.[key], body);

function nextTurn(
  first: readonly Message[],
  { text, toolCalls, native }: ModelReply,
  next: Message,
): Message[] {
  const answer: Message = {
    role: "assistant",
    content: text,
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(native === undefined ? {} : { native }),
  };
  return [...first, answer, next];
}

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
} as const;

const WEATHER = { name: "weather", inputSchema: SCHEMA };

describe("Anthropic's prompt cache", () => {
  test("ends at the system prompt and at the last message", async () => {
    const { model, server } = await started("anthropic");
    const first = requestOf("One?");
    const reply = await model.reply(first, contextOf());
    const messages = nextTurn(first.messages, reply, { role: "user", content: "Two?" });
    await model.reply(requestOf("", { messages }), contextOf({ turn: 2 }));
    const mark = { type: "ephemeral" };
    expect(bodies(server)[0]).toMatchObject({
      system: [{ type: "text", text: "You are terse.", cache_control: mark }],
      messages: [{ role: "user", content: [{ type: "text", text: "One?", cache_control: mark }] }],
    });
    expect(bodies(server)[1]?.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "One?" }] },
      { role: "assistant", content: [{ type: "text", text: "Reply to: One?" }] },
      { role: "user", content: [{ type: "text", text: "Two?", cache_control: mark }] },
    ]);
  });

  test("ends at results of tools, too", async () => {
    const { model, server } = await started("anthropic");
    server.next({ toolCalls: [{ id: "t1", name: "weather", input: { city: "Rome" } }] });
    const first = requestOf("How is it?", { tools: [WEATHER] });
    const reply = await model.reply(first, contextOf());
    const messages = nextTurn(first.messages, reply, {
      role: "tool",
      results: [{ id: "t1", name: "weather", output: "no such city", isError: true }],
    });
    await model.reply(requestOf("", { messages, tools: [WEATHER] }), contextOf());
    expect(at(bodies(server)[1], "messages", "2", "content")).toEqual([
      {
        type: "tool_result",
        tool_use_id: "t1",
        content: "no such city",
        is_error: true,
        cache_control: { type: "ephemeral" },
      },
    ]);
  });

  test("is counted", async () => {
    const { model, server } = await started("anthropic");
    server.next({ usage: { input: 3, output: 7, cacheRead: 1000, cacheWrite: 200 } });
    const { usage } = await model.reply(requestOf("?"), contextOf());
    expect(usage).toEqual({
      inputTokens: 1203,
      outputTokens: 7,
      cacheReadTokens: 1000,
      cacheWriteTokens: 200,
    });
  });

  test("is left to the other providers", async () => {
    for (const kind of ["openai", "google", "ollama"] as const) {
      const { model, server } = await started(kind);
      await model.reply(requestOf("?"), contextOf());
      expect(JSON.stringify(bodies(server))).not.toMatch(/cache_?control/i);
      await server.close();
    }
  });
});

test.each(["openai", "ollama"] as const)("tokens of %s", async (kind) => {
  const { model, server } = await started(kind);
  server.next({ usage: { input: 100, output: 50, cacheRead: 64, reasoning: 30 } });
  const { usage } = await model.reply(requestOf("?"), contextOf());
  expect(usage).toMatchObject({
    inputTokens: 100,
    outputTokens: 50,
    cacheReadTokens: 64,
    reasoningTokens: 30,
  });
});

describe("what a provider wants to see again", () => {
  const reasoning = { text: "Hmm.", signature: "c2lnbmF0dXJl" };

  test.each(["openai", "anthropic", "google"] as const)("%s: signed reasoning", async (kind) => {
    const { model, server } = await started(kind);
    server.next({ reasoning, text: "Yes." });
    const first = requestOf("Is it?");
    const reply = await model.reply(first, contextOf());
    expect(reply.text).toBe("Yes.");
    // It goes into the journal and comes back.
    const native = JSON.parse(JSON.stringify(reply.native)) as NonNullable<ModelReply["native"]>;
    const messages = nextTurn(first.messages, { ...reply, native }, { role: "user", content: "Sure?" });
    await model.reply(requestOf("", { messages }), contextOf({ turn: 2 }));
    expect(JSON.stringify(bodies(server)[0])).not.toContain(reasoning.signature);
    expect(JSON.stringify(bodies(server)[1])).toContain(reasoning.signature);
    expect(server.requests[1]?.texts.join("|")).toContain("Yes.");
  });

  test("plain text needs nothing", async () => {
    for (const kind of ["openai", "anthropic", "google", "ollama"] as const) {
      const { model, server } = await started(kind);
      expect(await model.reply(requestOf("?"), contextOf())).not.toHaveProperty("native");
      await server.close();
    }
  });

  test("thoughts without a signature are not sent again, except while tools run", async () => {
    const { model, server } = await started("ollama");
    server.next({ reasoning, text: "Yes." });
    const first = requestOf("Is it?", { tools: [WEATHER] });
    expect(await model.reply(first, contextOf())).not.toHaveProperty("native");
    server.next({ reasoning, toolCalls: [{ id: "t1", name: "weather", input: { city: "Rome" } }] });
    const reply = await model.reply(first, contextOf());
    const messages = nextTurn(first.messages, reply, {
      role: "tool",
      results: [{ id: "t1", name: "weather", output: "fine" }],
    });
    await model.reply(requestOf("", { messages, tools: [WEATHER] }), contextOf());
    expect(bodies(server)[2]?.messages).toMatchObject([
      { role: "system" },
      { role: "user" },
      { role: "assistant", reasoning_content: "Hmm.", tool_calls: [{ id: "t1" }] },
      { role: "tool", content: "fine" },
    ]);
  });

  test("nothing of it goes to another provider", async () => {
    const { model: google, server: first } = await started("google");
    first.next({ reasoning, text: "Yes." });
    const request = requestOf("Is it?");
    const reply = await google.reply(request, contextOf());
    await first.close();
    const { model: other, server: second } = await started("anthropic");
    const messages = nextTurn(request.messages, reply, { role: "user", content: "Sure?" });
    await other.reply(requestOf("", { messages }), contextOf());
    expect(second.requests[0]?.texts).toEqual(["Is it?", "Yes.", "Sure?"]);
    expect(JSON.stringify(bodies(second))).not.toContain(reasoning.signature);
  });

  test("OpenAI keeps nothing, so every message is sent in full", async () => {
    const { model, server } = await started("openai");
    server.next({ reasoning, text: "Yes." });
    const first = requestOf("Is it?");
    const reply = await model.reply(first, contextOf());
    const messages = nextTurn(first.messages, reply, { role: "user", content: "Sure?" });
    await model.reply(requestOf("", { messages }), contextOf({ turn: 2 }));
    expect(bodies(server)[1]).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(JSON.stringify(bodies(server)[1])).not.toContain("item_reference");
  });
});

test("an answer without a word is not sent again", async () => {
  const { model, server } = await started("anthropic");
  const messages: Message[] = [
    { role: "user", content: "One?" },
    { role: "assistant", content: "" },
    { role: "user", content: "Two?" },
  ];
  await model.reply(requestOf("", { messages }), contextOf());
  expect(bodies(server)[0]?.messages).toHaveLength(1);
  expect(server.requests[0]?.texts).toEqual(["One?Two?"]);
});

describe("parameters", () => {
  test("of an OpenAI-compatible server; each replicate has a seed of its own", async () => {
    const { model, server } = await started("ollama", {
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 99,
      stopSequences: ["END"],
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      seed: 40,
      headers: { "x-team": "blue" },
    });
    for (const replicate of [1, 3]) await model.reply(requestOf("?"), contextOf({ replicate }));
    expect(bodies(server)[0]).toMatchObject({
      model: "llama3.2:3b",
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 99,
      stop: ["END"],
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      seed: 40,
    });
    expect(bodies(server)[1]?.seed).toBe(42);
    expect(server.requests[0]?.headers["x-team"]).toBe("blue");
  });

  test("nothing is sent that was not asked for", async () => {
    const { model, server } = await started("ollama");
    await model.reply(requestOf("?"), contextOf());
    expect(Object.keys(bodies(server)[0] ?? {}).sort()).toEqual(["messages", "model"]);
  });

  test.each([
    ["openai", ["reasoning"], { effort: "high" }],
    ["ollama", ["reasoning_effort"], "high"],
    ["anthropic", ["thinking", "type"], "enabled"],
    ["google", ["generationConfig", "thinkingConfig", "thinkingBudget"], expect.any(Number)],
  ] as const)("the effort of reasoning is what %s calls it", async (kind, path, expected) => {
    const { model, server } = await started(kind, { reasoning: "high", maxOutputTokens: 20_000 });
    await model.reply(requestOf("?"), contextOf());
    expect(at(bodies(server)[0], ...path)).toEqual(expected);
  });

  test("options of the provider", async () => {
    const { model, server } = await started("openai", {
      providerOptions: { openai: { serviceTier: "flex", store: true } },
    });
    await model.reply(requestOf("?"), contextOf());
    expect(bodies(server)[0]).toMatchObject({ service_tier: "flex", store: true });
  });

  test("are part of the identity, but secrets are not", async () => {
    const { model } = await started("ollama", {
      temperature: 0,
      headers: { "X-Team": "blue", Authorization: "Bearer abc" },
    });
    expect(model.identity.parameters).toEqual({
      temperature: 0,
      headers: { "x-team": "blue", authorization: "(secret)" },
    });
  });

  test("that a provider does not know are told once", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const { model } = await started("anthropic", { seed: 1 });
    for (let call = 0; call < 3; call++) await model.reply(requestOf("?"), contextOf());
    expect(warn.mock.calls.map(([text]) => String(text))).toEqual([expect.stringContaining("seed")]);
    warn.mockRestore();
  });
});

describe("a schema", () => {
  const request = requestOf("Which city?", { schema: SCHEMA });

  test.each([
    ["openai", ["text", "format"]],
    ["ollama", ["response_format", "json_schema"]],
  ] as const)("is sent to %s, and gives an object", async (kind, path) => {
    const { model, server } = await started(kind);
    server.next({ text: '{"city": "Rome"}' });
    const reply = await model.reply(request, contextOf());
    expect(reply).toMatchObject({ text: '{"city": "Rome"}', object: { city: "Rome" } });
    expect(at(bodies(server)[0], ...path)).toMatchObject({ name: "reply", strict: true, schema: SCHEMA });
  });

  test.each(["openai", "anthropic", "google", "ollama"] as const)(
    "that %s does not follow gives the text, with all there is to know",
    async (kind) => {
      const { model, server } = await started(kind);
      server.next({ text: "It is Rome.", usage: { input: 4, output: 5 } });
      const reply = await model.reply(request, contextOf());
      expect(reply).toMatchObject({
        text: "It is Rome.",
        finish: "stop",
        usage: { inputTokens: 4, outputTokens: 5 },
      });
      expect(reply).not.toHaveProperty("object");
    },
  );

  test("is left out for models without structured output", async () => {
    const { model, server } = await started("ollama", { structured: false });
    server.next({ text: '{"city": "Rome"}' });
    expect(await model.reply(request, contextOf())).not.toHaveProperty("object");
    expect(bodies(server)[0]).not.toHaveProperty("response_format");
  });
});

describe("tools", () => {
  test.each(["openai", "ollama"] as const)("%s: input that is not JSON comes as text", async (kind) => {
    const { model, server } = await started(kind);
    server.next({ toolCalls: [{ id: "t1", name: "weather", input: '{"city": ' }] });
    const first = requestOf("?", { tools: [WEATHER] });
    const reply = await model.reply(first, contextOf());
    expect(reply.toolCalls).toEqual([{ id: "t1", name: "weather", input: '{"city": ' }]);
    const messages = nextTurn(first.messages, reply, {
      role: "tool",
      results: [{ id: "t1", name: "weather", output: "not JSON", isError: true }],
    });
    await model.reply(requestOf("", { messages, tools: [WEATHER] }), contextOf());
    expect(server.requests[1]?.texts.at(-1)).toContain("not JSON");
  });

  test("a tool that was not offered is still asked for", async () => {
    const { model, server } = await started("ollama");
    server.next({ toolCalls: [{ id: "t1", name: "rm", input: {} }] });
    const { toolCalls, finish } = await model.reply(requestOf("?"), contextOf());
    expect({ toolCalls, finish }).toEqual({
      toolCalls: [{ id: "t1", name: "rm", input: {} }],
      finish: "tool_calls",
    });
    expect(server.requests).toHaveLength(1);
  });

  test("input of any shape is passed on as it came", async () => {
    const { model, server } = await started("anthropic");
    server.next({ toolCalls: [{ id: "t1", name: "weather", input: { town: [1, null] } }] });
    const { toolCalls } = await model.reply(requestOf("?", { tools: [WEATHER] }), contextOf());
    expect(toolCalls).toEqual([{ id: "t1", name: "weather", input: { town: [1, null] } }]);
  });
});

test("OpenAI's errors inside a good response keep their kind", async () => {
  const { model, server } = await started("openai");
  const failed = (code: string): { raw: string } => ({
    raw: JSON.stringify({ id: "r", status: "failed", output: [], error: { code, message: `it is ${code}` } }),
  });
  server.next(failed("rate_limit_exceeded"), failed("server_error"), failed("invalid_prompt"));
  const categories: string[] = [];
  for (let call = 0; call < 3; call++) {
    categories.push((await failureOf(model.reply(requestOf("?"), contextOf()))).category);
  }
  expect(categories).toEqual(["rate_limit", "server", "bad_request"]);
});

test("a model of one's own: its card is what it says of itself", async () => {
  const model = aiSdkModel(new MockLanguageModelV4({ provider: "acme.chat", modelId: "m-1" }), {
    parameters: { temperature: 1 },
    price: null,
  });
  expect(model).toMatchObject({
    name: "acme/m-1",
    account: "acme",
    identity: { provider: "acme", model: "m-1", parameters: { temperature: 1 } },
    price: null,
  });
});

test.each<[string, () => never]>([
  [
    "an error",
    () => {
      throw new Error("bug with Bearer abcdefghijklmnop1234567890");
    },
  ],
  [
    "text",
    () => {
      throw "bug";
    },
  ],
  [
    "nothing",
    () => {
      throw undefined;
    },
  ],
])("a model of one's own that throws %s", async (_what, doGenerate) => {
  const model = aiSdkModel(new MockLanguageModelV4({ doGenerate: async () => doGenerate() }));
  const error = await failureOf(model.reply(requestOf("?"), contextOf()));
  expect(error).toBeInstanceOf(ModelError);
  expect(error.category).toBe("internal");
  expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain(
    "abcdefghijklmnop1234567890",
  );
});

test("an answer with impossible numbers of tokens has none", async () => {
  const { model, server } = await started("ollama");
  server.next({ usage: { input: -4, output: 2.5 } });
  expect(await model.reply(requestOf("?"), contextOf())).not.toHaveProperty("usage");
});

describe("models of older specifications", () => {
  const content = [
    { type: "text" as const, text: "Here." },
    { type: "file" as const, mediaType: "image/png", data: "aGk=" },
  ];

  test("v3: files come and go without a wrapper", async () => {
    const mock = new MockLanguageModelV3({
      doGenerate: {
        content,
        finishReason: { unified: "stop", raw: "stop" },
        usage: {
          inputTokens: { total: 7, noCache: 7, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 3, text: 3, reasoning: undefined },
        },
        warnings: [],
      },
    });
    const model = aiSdkModel(mock);
    const first = requestOf("Draw.");
    const reply = await model.reply(first, contextOf());
    expect(reply).toMatchObject({
      text: "Here.",
      finish: "stop",
      usage: { inputTokens: 7, outputTokens: 3 },
    });
    const messages = nextTurn(first.messages, reply, { role: "user", content: "Again." });
    await model.reply(requestOf("", { messages }), contextOf());
    expect(mock.doGenerateCalls[1]?.prompt[2]).toEqual({ role: "assistant", content });
  });

  test("v2: one text for the finish reason, and flat usage", async () => {
    const model = aiSdkModel({
      specificationVersion: "v2",
      provider: "old.chat",
      modelId: "m",
      doGenerate: async () => ({
        content: [{ type: "text", text: "Cut" }],
        finishReason: "length",
        usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10, cachedInputTokens: 2, reasoningTokens: 1 },
        warnings: [],
      }),
    });
    expect(await model.reply(requestOf("?"), contextOf())).toEqual({
      text: "Cut",
      finish: "length",
      usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 2, reasoningTokens: 1 },
    });
  });
});
