import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { contextOf, requestOf } from "../../apps/contracts/model-contract-calls.ts";
import { ModelError } from "./model-error.ts";
import { knownProviders } from "./providers/provider.ts";
import { type NamedModel, type ResolveOptions, resolveModel } from "./resolve-model.ts";

const KEY = "sk-0123456789abcdefghijklmnop";

async function failure(reference: unknown, options: ResolveOptions = {}): Promise<ModelError> {
  // Whatever a configuration may hold.
  const error = await resolveModel(reference as NamedModel, { environment: {}, ...options }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

/** Where a request of a resolved model goes, and with which key. */
async function sent(
  reference: NamedModel,
  options: ResolveOptions,
): Promise<{ readonly url: string; readonly headers: Headers; readonly body: Record<string, unknown> }> {
  let seen: { url: string; headers: Headers; body: Record<string, unknown> } | undefined;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const body = JSON.parse(String(init?.body)) as Record<string, unknown>;
    seen = { url: String(input), headers: new Headers(init?.headers), body };
    return new Response("{}", { status: 400 });
  };
  const model = await resolveModel(reference, { ...options, fetch });
  await model.reply(requestOf("?"), contextOf()).catch(() => {});
  if (seen === undefined) throw new Error("nothing was sent");
  return seen;
}

describe("where requests go", () => {
  test.each<[string, Record<string, string>, string, string]>([
    ["openai/gpt-5-mini", { OPENAI_API_KEY: KEY }, "https://api.openai.com/v1/responses", "authorization"],
    ["anthropic/claude-x", { ANTHROPIC_API_KEY: KEY }, "https://api.anthropic.com/v1/messages", "x-api-key"],
    [
      "anthropic/claude-x",
      { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: "https://proxy.example/" },
      "https://proxy.example/v1/messages",
      "x-api-key",
    ],
    [
      "google/gemini-x",
      { GOOGLE_GENERATIVE_AI_API_KEY: KEY, GEMINI_API_KEY: "other" },
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:generateContent",
      "x-goog-api-key",
    ],
    [
      "google/gemini-x",
      { GEMINI_API_KEY: KEY },
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:generateContent",
      "x-goog-api-key",
    ],
    [
      "openrouter/org/model:free",
      { OPENROUTER_API_KEY: KEY },
      "https://openrouter.ai/api/v1/chat/completions",
      "authorization",
    ],
    ["groq/m", { GROQ_API_KEY: KEY }, "https://api.groq.com/openai/v1/chat/completions", "authorization"],
    ["mistral/m", { MISTRAL_API_KEY: KEY }, "https://api.mistral.ai/v1/chat/completions", "authorization"],
    [
      "together/org/m",
      { TOGETHER_API_KEY: KEY },
      "https://api.together.xyz/v1/chat/completions",
      "authorization",
    ],
    [
      "deepseek/m",
      { DEEPSEEK_API_KEY: KEY },
      "https://api.deepseek.com/v1/chat/completions",
      "authorization",
    ],
    ["xai/m", { XAI_API_KEY: KEY }, "https://api.x.ai/v1/chat/completions", "authorization"],
    [
      "openai-compatible/org/model",
      { OPENAI_COMPATIBLE_BASE_URL: "http://h:1/api/v3/", OPENAI_COMPATIBLE_API_KEY: ` ${KEY}\n` },
      "http://h:1/api/v3/chat/completions",
      "authorization",
    ],
  ])("%s %o", async (reference, environment, url, header) => {
    const request = await sent(reference, { environment });
    expect(request.url).toBe(url);
    expect(request.headers.get(header)?.replace("Bearer ", "")).toBe(KEY);
  });

  test.each([
    [{}, "http://localhost:11434/v1/chat/completions"],
    [{ OLLAMA_HOST: "0.0.0.0" }, "http://127.0.0.1:11434/v1/chat/completions"],
    [{ OLLAMA_HOST: "box:9999" }, "http://box:9999/v1/chat/completions"],
    [{ OLLAMA_HOST: "https://box" }, "https://box/v1/chat/completions"],
    [{ OLLAMA_BASE_URL: "http://box/v1", OLLAMA_HOST: "other" }, "http://box/v1/chat/completions"],
  ])("ollama with %o", async (environment, url) => {
    const { headers, body, ...request } = await sent("ollama/llama3.2:3b", { environment });
    expect(request.url).toBe(url);
    expect(headers.get("authorization")).toBeNull();
    expect(body.model).toBe("llama3.2:3b");
  });

  test("a configured provider, with its headers and its own key only", async () => {
    const providers = {
      myhost: {
        kind: "openai-compatible",
        baseUrl: "http://h/v1",
        apiKeyVariable: "MYHOST_KEY",
        headers: { "x-a": "b" },
      },
    } as const;
    const { url, headers } = await sent("myhost/m", { environment: { MYHOST_KEY: KEY }, providers });
    expect(url).toBe("http://h/v1/chat/completions");
    expect(headers.get("authorization")).toBe(`Bearer ${KEY}`);
    expect(headers.get("x-a")).toBe("b");
  });

  test("a configured server of a known kind is not sent the known provider's key", async () => {
    const { headers } = await sent("mine/m", {
      environment: { OPENAI_API_KEY: KEY },
      providers: { mine: { kind: "openai", baseUrl: "http://h/v1" } },
    });
    expect([...headers.values()].join()).not.toContain(KEY);
  });

  test("without an environment given, that of the process counts", async () => {
    process.env.OPENAI_COMPATIBLE_BASE_URL = "http://from-process/v1";
    try {
      expect((await sent("openai-compatible/m", {})).url).toBe("http://from-process/v1/chat/completions");
    } finally {
      delete process.env.OPENAI_COMPATIBLE_BASE_URL;
    }
  });
});

describe("what is wrong is told before the first call", () => {
  test.each<[unknown, ResolveOptions, string, string]>([
    ["openai/m", {}, "authentication", "openai/m needs a key. Set OPENAI_API_KEY."],
    ["openai/m", { environment: { OPENAI_API_KEY: "  " } }, "authentication", "Set OPENAI_API_KEY."],
    ["google/m", {}, "authentication", "Set GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY."],
    [
      "opnai/m",
      {},
      "bad_request",
      'There is no provider "opnai" for opnai/m. Did you mean "openai"? Known are openai,',
    ],
    ["myhots/m", { providers: { myhost: { baseUrl: "http://h" } } }, "bad_request", 'Did you mean "myhost"?'],
    ["constructor/m", {}, "bad_request", 'There is no provider "constructor"'],
    ["google/../../../../evil?x=#", {}, "bad_request", "is not a model"],
    ["google/models/../../evil", {}, "bad_request", "is not a model"],
    ["gpt-5-mini", {}, "bad_request", '"gpt-5-mini" is not a model. Write it as `provider/model`'],
    ["openai/", {}, "bad_request", '"openai/" is not a model.'],
    ["/m", {}, "bad_request", '"/m" is not a model.'],
    [7, {}, "bad_request", "Expected a model as `provider/model`, got number."],
    [null, {}, "bad_request", "got null."],
    [{}, {}, "bad_request", "got undefined."],
    ["openai-compatible/m", {}, "bad_request", "has no base URL. Set OPENAI_COMPATIBLE_BASE_URL."],
    ["mine/m", { providers: { mine: {} } }, "bad_request", "has no base URL."],
    [
      "mine/m",
      { providers: { mine: { kind: "grpc" as "openai" } } },
      "bad_request",
      'has the unknown kind "grpc"',
    ],
    [
      "ollama/m",
      { environment: { OLLAMA_BASE_URL: "ftp://h" } },
      "bad_request",
      "OLLAMA_BASE_URL is not an http or https URL.",
    ],
    [
      "ollama/m",
      { environment: { OLLAMA_BASE_URL: `http://u:${KEY}@h` } },
      "bad_request",
      "OLLAMA_BASE_URL contains a user name or password.",
    ],
    [{ model: "ollama/m", parameters: { temprature: 1 } }, {}, "bad_request", 'Did you mean "temperature"?'],
  ])("%o %o", async (reference, options, category, message) => {
    const error = await failure(reference, options);
    expect(error.message).toContain(message);
    expect(error.category).toBe(category);
    expect(error.message).not.toContain(KEY);
  });
});

describe("the card", () => {
  const environment = { OPENAI_API_KEY: KEY };

  test("of a known provider", async () => {
    const model = await resolveModel(
      { model: "openai/gpt-5-mini", parameters: { reasoning: "low" } },
      { environment },
    );
    expect(model).toMatchObject({
      name: "openai/gpt-5-mini",
      identity: { provider: "openai", model: "gpt-5-mini", parameters: { reasoning: "low" } },
      price: { provider: "openai", model: "gpt-5-mini" },
    });
    expect(model.identity).not.toHaveProperty("baseUrl");
    expect(model.account).toMatch(/^openai https:\/\/api\.openai\.com\/v1 key [0-9a-f]{8}$/);
    expect(JSON.stringify(model)).not.toContain(KEY);
  });

  test("two keys, or two addresses, are two accounts; the identity is the same for two keys", async () => {
    const make = (key: string, url?: string) =>
      resolveModel("openai/m", { environment: { OPENAI_API_KEY: key, OPENAI_BASE_URL: url } });
    const [a, b, c, d] = await Promise.all([make("a"), make("b"), make("a"), make("a", "http://h/v1")]);
    expect(a?.account).toBe(c?.account);
    expect(new Set([a?.account, b?.account, d?.account]).size).toBe(3);
    expect(a?.identity).toEqual(b?.identity);
    expect(d?.identity).toMatchObject({ baseUrl: "http://h/v1" });
  });

  test("calls of a server at home are free; of a stranger nobody knows", async () => {
    expect(await resolveModel("ollama/m", { environment })).toMatchObject({ price: null });
    const stranger = await resolveModel("s/m", { environment, providers: { s: { baseUrl: "http://h" } } });
    expect(stranger).not.toHaveProperty("price");
    const proxy = await resolveModel("openai/m", {
      environment,
      providers: { openai: { baseUrl: "http://h" } },
    });
    expect(proxy).not.toHaveProperty("price");
  });

  test("has a name of its own where one is given", async () => {
    const model = await resolveModel({ model: "ollama/m", name: "warm", parameters: { temperature: 1 } });
    expect(model.name).toBe("warm");
  });

  test("headers: values that look like secrets are left out", async () => {
    const headers = { Authorization: "Bearer abc", "X-Api-Key": "def", "X-Team": "blue" };
    const model = await resolveModel("s/m", { providers: { s: { baseUrl: "http://h", headers } } });
    expect(model.identity.headers).toEqual({
      authorization: "(secret)",
      "x-api-key": "(secret)",
      "x-team": "blue",
    });
  });

  test("models that follow no schema are not asked to", async () => {
    const model = await resolveModel("groq/m", { environment: { GROQ_API_KEY: KEY } });
    expect(model.identity.parameters).toEqual({ structured: false });
  });
});

test("the price library knows the providers that have a price", async () => {
  const { findProvider } = await import("@pydantic/genai-prices");
  for (const { name, price } of knownProviders()) {
    if (typeof price !== "string") continue;
    expect(findProvider({ providerId: price }), name).toBeDefined();
  }
});

test("only the library of the provider is loaded", async () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({ resolve(name, context, next) { if (/^(?:ai|@ai-sdk\\/)/.test(name)) loaded.add(name); return next(name, context); } });
    const { resolveModel } = await import("./resolve-model.ts");
    const before = [...loaded];
    await resolveModel("openai/m", { environment: { OPENAI_API_KEY: "k" } });
    console.log(JSON.stringify([before, [...loaded].filter((name) => !/provider/.test(name))]));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
  });
  expect(JSON.parse(stdout)).toEqual([[], ["@ai-sdk/openai"]]);
});
