import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { contextOf, failureOf, requestOf } from "../../../apps/contracts/model-contract-calls.ts";
import type { Message } from "../message.ts";
import { type HttpModelOptions, httpModel, parseJsonPath, valueAt } from "./http-model.ts";

let servers: Server[] = [];

afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
});

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that answers with a JSON and keeps what it was sent. */
async function answering(json: unknown): Promise<{ readonly url: string; readonly seen: unknown[] }> {
  const seen: unknown[] = [];
  const url = await served(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    seen.push({ method: request.method, headers: request.headers, body: JSON.parse(text) as unknown });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(json));
  });
  return { url: `${url}/chat`, seen };
}

const REQUEST = requestOf("", {
  messages: [
    { role: "user", content: 'Say "{{turn}}"' },
    { role: "assistant", content: "No." },
    { role: "user", content: "Why\nnot?" },
  ],
});

const CHAT = [
  { role: "system", content: "You are terse." },
  { role: "user", content: 'Say "{{turn}}"' },
  { role: "assistant", content: "No." },
  { role: "user", content: "Why\nnot?" },
];

test("OpenAI's shape is the default", async () => {
  const { url, seen } = await answering({
    choices: [{ message: { content: "Because." }, finish_reason: "length" }],
    usage: {
      prompt_tokens: 9,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 3 },
    },
  });
  const model = httpModel({ url, model: "m", keyVariable: "K", environment: { K: "secret-key-1" } });
  expect(await model.reply(REQUEST, contextOf())).toEqual({
    text: "Because.",
    finish: "length",
    usage: { inputTokens: 9, outputTokens: 4, cacheReadTokens: 2, reasoningTokens: 3 },
  });
  expect(seen).toMatchObject([
    {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer secret-key-1" },
      body: { model: "m", messages: CHAT },
    },
  ]);
});

test("a body and a reply of one's own", async () => {
  const { url, seen } = await answering({ output: [{ text: "Because." }], cost: { in: 1, out: 2 } });
  const model = httpModel({
    url,
    method: "PUT",
    headers: { "x-team": "blue" },
    body: {
      prompt: "{{message}}",
      system: "{{ instructions }}",
      history: "{{messages}}",
      meta: { id: "{{conversation}}-{{turn}}", n: ["{{replicate}}", "{{seed}}", 1, null, true] },
      text: "As text: {{turn}}, {{scenario}}/{{node}}",
    },
    reply: "output[0].text",
    usage: { inputTokens: "cost.in", outputTokens: "cost.out" },
  });
  expect(await model.reply(REQUEST, contextOf({ turn: 2, replicate: 3 }))).toEqual({
    text: "Because.",
    finish: "stop",
    usage: { inputTokens: 1, outputTokens: 2 },
  });
  expect(seen).toMatchObject([
    {
      method: "PUT",
      headers: { "x-team": "blue" },
      body: {
        prompt: "Why\nnot?",
        system: "You are terse.",
        // The system prompt has its own place.
        history: CHAT.slice(1),
        meta: { id: "contract-1-2", n: [3, 7, 1, null, true] },
        text: "As text: 2, contract/ask",
      },
    },
  ]);
});

test("tools of earlier turns are told as OpenAI tells them", async () => {
  const { url, seen } = await answering({ choices: [{ message: { content: null } }] });
  const messages: Message[] = [
    { role: "assistant", content: "", toolCalls: [{ id: "1", name: "t", input: { a: 1 } }] },
    { role: "tool", results: [{ id: "1", name: "t", output: { b: 2 } }] },
  ];
  const reply = await httpModel({ url, name: "m" }).reply({ messages }, contextOf());
  expect(reply).toEqual({ text: "", finish: "other" });
  expect(seen).toMatchObject([
    {
      body: {
        messages: [
          {
            role: "assistant",
            tool_calls: [{ id: "1", type: "function", function: { name: "t", arguments: '{"a":1}' } }],
          },
          { role: "tool", tool_call_id: "1", content: '{"b":2}' },
        ],
      },
    },
  ]);
});

describe("answers that are none", () => {
  test.each<[unknown, Partial<HttpModelOptions>, string]>([
    [{ output: "x" }, {}, 'The answer of m is without `choices[0].message.content`: "{"output":"x"}".'],
    [{ output: "x" }, { reply: "output.text" }, "without `output.text`"],
    [{ output: { text: 4 } }, { reply: "output.text" }, "one whose `output.text` is not text but number"],
    [[], { reply: "[0].text" }, "without `[0].text`"],
    [{}, { reply: "constructor.name" }, "without `constructor.name`"],
  ])("%o %o", async (json, options, message) => {
    const { url } = await answering(json);
    const error = await failureOf(httpModel({ url, name: "m", ...options }).reply(REQUEST, contextOf()));
    expect(error).toMatchObject({ category: "bad_response", statusCode: 200 });
    expect(error.message).toContain(message);
  });

  test("a page is quoted, without secrets", async () => {
    const url = await served((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<html>Hello secret-key-1 ${"x".repeat(1000)}</html>`);
    });
    const model = httpModel({ url, name: "m", keyVariable: "K", environment: { K: "secret-key-1" } });
    const error = await failureOf(model.reply(REQUEST, contextOf()));
    expect(error.message).toMatch(
      /^The answer of m is not JSON \(text\/html\): "<html>Hello \[redacted\] x{100,}…"/,
    );
    expect(error.message.length).toBeLessThan(350);
  });

  test("errors in a good response are what they say", async () => {
    const { url } = await answering({ error: { message: "Slow down", code: 429 } });
    expect(await failureOf(httpModel({ url, name: "m" }).reply(REQUEST, contextOf()))).toMatchObject({
      category: "rate_limit",
      message: "m has had too many requests (429): Slow down.",
    });
  });
});

describe("options are checked at the door", () => {
  test.each<[string, unknown, string]>([
    ["no URL", { url: "localhost" }, "Expected `url` of a model behind HTTP to be an http or https URL."],
    ["a file", { url: "file:///etc/passwd" }, "to be an http or https URL."],
    ["a password", { url: "http://a:pw@h/" }, "The URL of h contains a user name or password."],
    ["a missing key", { keyVariable: "K" }, "m needs a key. Set K."],
    [
      "an unknown placeholder",
      { body: { a: "{{mesage}}" } },
      'there is no "{{mesage}}". Did you mean "{{message}}"?',
    ],
    [
      "a body that asks nothing",
      { body: { a: "{{turn}}" } },
      'it has neither "{{messages}}" nor "{{message}}"',
    ],
    [
      "a body that is not JSON",
      { body: { a: "{{message}}", b: 1n } },
      "The body of m is wrong: bigint at `b`.",
    ],
    ["a bad path", { reply: "a..b" }, 'Expected `reply` of m to be a path such as "output.text"'],
    ["a path that is no text", { reply: 7 }, "got 7."],
    [
      "a bad path to tokens",
      { usage: { inputTokens: "a[", outputTokens: "b" } },
      "Expected `usage.inputTokens` of m",
    ],
  ])("%s", (_what, options, message) => {
    const given = { url: "http://h/", name: "m", environment: {}, ...(options as object) };
    expect(() => httpModel(given)).toThrow(message);
    expect(() => httpModel(given)).not.toThrow(/pw/);
  });
});

test("the card has no secrets", () => {
  const model = httpModel({
    url: "https://h.example/chat?api_key=sk-0123456789abcdefghij0123",
    headers: { "X-Api-Key": "abcdef", "x-team": "blue" },
    body: { q: "{{message}}", token: "sk-abcdefghij0123456789abcd" },
    keyVariable: "K",
    environment: { K: "secret-key-1" },
  });
  expect(model.name).toBe("h.example/chat");
  expect(model.account).toMatch(/^https:\/\/h\.example key [0-9a-f]{8}$/);
  expect(model.identity).toMatchObject({
    provider: "http",
    body: { q: "{{message}}", token: "(secret)" },
    headers: { "x-api-key": "(secret)", "x-team": "blue" },
  });
  expect(JSON.stringify(model)).not.toMatch(/sk-0123|sk-abc|abcdef|secret-key-1/);
});

describe("paths in JSON", () => {
  const JSON_VALUE = { a: { b: [{ c: 1 }, [2, null]] }, "odd key": "x" };

  test.each<[string, unknown]>([
    ["a.b[0].c", 1],
    ["a.b[1][0]", 2],
    ["a.b[1][1]", null],
    ["odd key", "x"],
    ["a.b[2]", undefined],
    ["a.b.length", undefined],
    ["a.c.d", undefined],
    ["a[0]", undefined],
    ["__proto__.toString", undefined],
  ])("%s", (path, value) => {
    expect(valueAt(JSON_VALUE, parseJsonPath(path, "p"))).toBe(value);
  });

  test("a list at the top", () => {
    expect(valueAt([{ text: "x" }], parseJsonPath("[0].text", "p"))).toBe("x");
  });

  test.each(["", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", "a]b", "[0]a", "a[0]b", undefined, 7])(
    "%o is no path",
    (path) => {
      expect(() => parseJsonPath(path, "`reply`")).toThrow("Expected `reply` to be a path such as");
    },
  );

  test("a long path is read in no time", () => {
    expect(parseJsonPath(`a${"[1]".repeat(20_000)}`, "p")).toHaveLength(20_001);
    expect(() => parseJsonPath(`${"a[1]".repeat(20_000)}.`, "p")).toThrow("Expected p");
  });
});
