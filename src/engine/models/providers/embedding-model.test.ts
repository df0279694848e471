import { expect, test } from "vitest";
import type { CallContext } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { resolveEmbedder } from "../resolve-model.ts";
import { functionEmbedder } from "./embedding-model.ts";

const CONTEXT: CallContext = {
  signal: new AbortController().signal,
  purpose: "judge",
  scenario: "s",
  conversation: "c",
  node: "n",
  turn: 1,
  replicate: 1,
  seed: 0,
};
const REQUEST = { messages: [{ role: "user", content: "Hello" }] } as const;

const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

test.each([
  [
    "openai/text-embedding-3-small",
    "/v1/embeddings",
    { data: [{ embedding: [1, 2] }], usage: { prompt_tokens: 3 } },
  ],
  [
    "ollama/nomic-embed-text",
    "/v1/embeddings",
    { data: [{ embedding: [1, 2] }], usage: { prompt_tokens: 3 } },
  ],
  ["google/gemini-embedding-001", ":embedContent", { embedding: { values: [1, 2] } }],
])("%s gives the vector of a text", async (reference, path, answer) => {
  const asked: string[] = [];
  const model = await resolveEmbedder(reference, {
    environment: { OPENAI_API_KEY: "sk-1", GEMINI_API_KEY: "g-1" },
    fetch: async (url, init) => {
      asked.push(`${new URL(String(url)).pathname} ${String(init?.body)}`);
      return json(answer);
    },
  });
  const reply = await model.reply(REQUEST, CONTEXT);
  expect(reply.object).toEqual([1, 2]);
  if (!reference.startsWith("google")) expect(reply.usage).toEqual({ inputTokens: 3, outputTokens: 0 });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain(path);
  expect(asked[0]).toContain("Hello");
  // An embedder is never mistaken for a model that replies.
  expect(model.identity).toMatchObject({ embeds: true });
});

test("a provider without embedding models is refused, with others named", async () => {
  await expect(
    resolveEmbedder("anthropic/claude-sonnet-4-5", { environment: { ANTHROPIC_API_KEY: "a" } }),
  ).rejects.toThrow(
    "this provider has no embedding models. Use another, such as openai/text-embedding-3-small",
  );
});

test.each<[string, () => Promise<Response>, Partial<ModelError>]>([
  ["a wrong key", async () => json({ error: { message: "no" } }, 401), { category: "authentication" }],
  ["no vector", async () => json({ data: [{ embedding: [] }] }), { category: "bad_response" }],
])("%s is an error of its kind", async (_, fetch, error) => {
  const model = await resolveEmbedder("openai/e", { environment: { OPENAI_API_KEY: "sk-1" }, fetch });
  await expect(model.reply(REQUEST, CONTEXT)).rejects.toMatchObject(error);
});

test("a function may give vectors; what it throws is its author's error", async () => {
  expect((await functionEmbedder((text) => [text.length]).reply(REQUEST, CONTEXT)).object).toEqual([5]);
  const broken = functionEmbedder(() => {
    throw new Error("oops");
  });
  await expect(broken.reply(REQUEST, CONTEXT)).rejects.toMatchObject({ category: "author" });
  const odd = functionEmbedder(() => [Number.NaN]);
  await expect(odd.reply(REQUEST, CONTEXT)).rejects.toBeInstanceOf(ModelError);
});
