import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { contextOf, failureOf, requestOf } from "../../src/apps/contracts/model-contract-calls.ts";
import { httpModel } from "../../src/engine/models/http/http-model.ts";
import type { Model } from "../../src/engine/models/model.ts";
import { type ErrorCategory, ModelError } from "../../src/engine/models/model-error.ts";
import { resolveModel } from "../../src/engine/models/resolve-model.ts";
import { anthropicServer } from "./anthropic-server.ts";
import { googleServer } from "./google-server.ts";
import type { Fault, ModelServer } from "./model-server.ts";
import { openaiServer } from "./openai-server.ts";
import { KEY } from "./server-harness.ts";

type Make = (url: string) => Promise<Model> | Model;

const KINDS: readonly (readonly [string, () => Promise<ModelServer>, Make])[] = [
  [
    "openai",
    openaiServer,
    (url) =>
      resolveModel("openai/gpt-5-mini", {
        environment: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` },
      }),
  ],
  [
    "anthropic",
    anthropicServer,
    (url) =>
      resolveModel("anthropic/claude-sonnet-4-5", {
        environment: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url },
      }),
  ],
  [
    "google",
    googleServer,
    (url) =>
      resolveModel("google/gemini-2.5-flash", {
        environment: { GEMINI_API_KEY: KEY },
        providers: { google: { baseUrl: `${url}/v1beta` } },
      }),
  ],
  [
    "ollama",
    openaiServer,
    (url) => resolveModel("ollama/llama3.2:3b", { environment: { OLLAMA_BASE_URL: url } }),
  ],
  ["http", openaiServer, (url) => httpModel({ url: `${url}/v1/chat/completions`, name: "endpoint" })],
];

describe.each(KINDS)("%s", (_kind, start, make) => {
  let server: ModelServer;
  let model: Model;

  beforeEach(async () => {
    server = await start();
    model = await make(server.url);
  });

  afterEach(() => server.close());

  const fail = (fault: Fault, signal = new AbortController().signal): Promise<ModelError> => {
    server.next(fault);
    return failureOf(model.reply(requestOf("Is it so?"), contextOf({ signal })));
  };

  test.each<[string, Fault, ErrorCategory, number | undefined]>([
    ["400", { status: 400 }, "bad_request", 400],
    ["401", { status: 401 }, "authentication", 401],
    ["403", { status: 403 }, "permission", 403],
    ["404", { status: 404 }, "not_found", 404],
    ["408", { status: 408 }, "timeout", 408],
    ["409", { status: 409 }, "server", 409],
    ["413", { status: 413 }, "bad_request", 413],
    ["422", { status: 422 }, "bad_request", 422],
    ["429", { status: 429 }, "rate_limit", 429],
    ["500", { status: 500 }, "server", 500],
    [
      "503 with a page",
      { raw: "<html><title>Down</title></html>", type: "text/html", rawStatus: 503 },
      "server",
      503,
    ],
    ["500 without a word", { raw: "", rawStatus: 500 }, "server", 500],
    ["529", { status: 529 }, "server", 529],
    ["a reset connection", "reset", "connection", undefined],
    ["a body that is cut off", "cut off", "connection", undefined],
    ["truncated JSON", "truncated", "bad_response", 200],
    ["a page instead of data", { raw: "<html>Sign in</html>", type: "text/html" }, "bad_response", 200],
    ["nothing at all", { raw: "" }, "bad_response", 200],
    ["null", { raw: "null" }, "bad_response", 200],
  ])("%s", async (_name, fault, category, statusCode) => {
    const error = await fail(fault);
    expect({ category: error.category, statusCode: error.statusCode }).toEqual({ category, statusCode });
    expect(error.message).toContain(model.name);
    expect(server.requests).toHaveLength(1);
  });

  test("other JSON", async () => {
    expect(await fail({ raw: '{"hello": "world"}' })).toMatchObject({ category: "bad_response" });
  });

  test("a body without end is not read to its end", async () => {
    expect(await fail("endless")).toMatchObject({
      category: "bad_response",
      message: `${model.name} sent more than 10 MB.`,
    });
  });

  test("redirects are not followed, since they could send keys to another server", async () => {
    const location = `${server.url}/elsewhere?token=abcdefgh12345678`;
    expect(await fail({ status: 307, headers: { location } })).toMatchObject({
      category: "not_found",
      statusCode: 307,
      message: expect.stringContaining(`redirects (307) to ${server.url}/elsewhere. `),
    });
    expect(server.requests).toHaveLength(1);
  });

  test("Retry-After in seconds", async () => {
    const error = await fail({ status: 429, headers: { "retry-after": "7" } });
    expect(error).toMatchObject({ category: "rate_limit", retryAfterMs: 7000 });
  });

  test.each(["stall", "stalled body"] as const)("%s ends with the signal, for its reason", async (fault) => {
    const controller = new AbortController();
    const failure = fail(fault, controller.signal);
    await server.handled(1);
    const reason = new ModelError("timeout", "The call took longer than 20 ms.");
    controller.abort(reason);
    expect(await failure).toBe(reason);
  });

  test("a signal with a time limit of its own is a timeout", async () => {
    expect(await fail("stall", AbortSignal.timeout(20))).toMatchObject({ category: "timeout" });
  });

  test("a slow start is no fault", async () => {
    server.next("slow start");
    const { text } = await model.reply(requestOf("Slowly?"), contextOf());
    expect(text).toBe("Reply to: Slowly?");
  });

  test("limits are read from good replies", async () => {
    const headers = { "x-ratelimit-remaining-requests": "41", "x-ratelimit-limit-requests": "60" };
    server.next({ headers });
    const { rateLimit } = await model.reply(requestOf("How many?"), contextOf());
    expect(rateLimit).toMatchObject({ limitRequests: 60, remainingRequests: 41 });
  });

  test("a server that is not there", async () => {
    const nobody = createServer();
    await new Promise<void>((resolve) => nobody.listen(0, "127.0.0.1", resolve));
    const { port } = nobody.address() as { port: number };
    await new Promise((resolve) => nobody.close(resolve));
    const gone = await make(`http://127.0.0.1:${port}`);
    const error = await failureOf(gone.reply(requestOf("Anybody?"), contextOf()));
    expect(error.category).toBe("connection");
    expect(error.message).toContain(`${gone.name}: 127.0.0.1:${port} refused the connection.`);
  });

  test("a host that does not exist", async () => {
    const lost = await make("http://no-such-host.invalid");
    const error = await failureOf(lost.reply(requestOf("Anybody?"), contextOf()));
    expect(error.category).toBe("connection");
    expect(error.message).toContain("no-such-host.invalid could not be");
  });
});
