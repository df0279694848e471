import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { modelContract } from "../src/apps/contracts/model-contract.ts";
import {
  type ContractAbility,
  type ContractHarness,
  contextOf,
  requestOf,
} from "../src/apps/contracts/model-contract-calls.ts";
import { functionModel, type ReplyFunction } from "../src/engine/models/function/function-model.ts";
import { httpModel } from "../src/engine/models/http/http-model.ts";
import type { Model } from "../src/engine/models/model.ts";
import { ModelError } from "../src/engine/models/model-error.ts";
import { personModel } from "../src/engine/models/person/person-model.ts";
import { type ResolveOptions, resolveModel } from "../src/engine/models/resolve-model.ts";
import { anthropicServer } from "./model-servers/anthropic-server.ts";
import { googleServer } from "./model-servers/google-server.ts";
import type { ModelServer } from "./model-servers/model-server.ts";
import { openaiServer } from "./model-servers/openai-server.ts";
import { KEY, serverHarness } from "./model-servers/server-harness.ts";

async function resolved(
  start: () => Promise<ModelServer>,
  reference: string,
  options: (url: string) => ResolveOptions,
): Promise<ContractHarness> {
  const server = await start();
  return serverHarness(await resolveModel(reference, options(server.url)), server);
}

async function overHttp(make: (url: string) => Model): Promise<ContractHarness> {
  const server = await openaiServer();
  return serverHarness(make(server.url), server);
}

function functionHarness(): ContractHarness {
  const seen: { instructions: string; first: boolean; texts: string[] }[] = [];
  const script: ReplyFunction[] = [];
  const answer: ReplyFunction = (messages, { instructions = "" }) => {
    seen.push({
      instructions,
      first: true,
      texts: messages.map((message) =>
        message.role === "tool" ? JSON.stringify(message.results) : message.content,
      ),
    });
    const asked = messages.findLast(({ role }) => role === "user");
    return `You said: ${asked?.role === "user" ? asked.content : ""}`;
  };
  return {
    model: functionModel(
      async (messages, context) => {
        const usual = answer(messages, context);
        return (await script.shift()?.(messages, context)) ?? usual;
      },
      { name: "agent", parameters: { version: 1 } },
    ),
    seen: () => seen,
    stallNext: () => script.push(() => new Promise<never>(() => {})),
    callToolNext: (name, input) =>
      script.push(() => ({ text: "", toolCalls: [{ id: "call_1", name, input }], finish: "tool_calls" })),
    faults: {
      author: () => {
        script.push(() => {
          throw new Error(`refused with ${KEY}`);
        });
      },
      rate_limit: () => {
        script.push(() => {
          throw new ModelError("rate_limit", "The agent's own model is busy.");
        });
      },
    },
    secrets: [KEY],
  };
}

/** A person who reads what is printed and answers as soon as they may. */
function personHarness(): ContractHarness {
  const input = new PassThrough();
  const output = new PassThrough();
  const seen: { texts: string[] }[] = [];
  let asleep = 0;
  let printed = "";
  output.on("data", (chunk: Buffer) => {
    printed += chunk.toString("utf8");
    const question = /\n── [^\n]*\n\n?(?:[^\n]+\n)?\n([\s\S]*?)\n\n\(end with an empty line\)\n/.exec(
      printed,
    );
    if (question === null) return;
    printed = "";
    seen.push({ texts: [question[1] as string] });
    if (asleep > 0) asleep--;
    else input.write(`You asked: ${question[1]}\n\n`);
  });
  return {
    model: personModel({ input, output }),
    seen: () => seen,
    stallNext: () => {
      asleep++;
    },
  };
}

const KINDS: readonly (readonly [
  string,
  () => ContractHarness | Promise<ContractHarness>,
  ContractAbility[],
])[] = [
  [
    "openai (responses)",
    () =>
      resolved(openaiServer, "openai/gpt-5-mini", (url) => ({
        environment: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` },
      })),
    [],
  ],
  [
    "anthropic",
    () =>
      resolved(anthropicServer, "anthropic/claude-sonnet-4-5", (url) => ({
        environment: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url },
      })),
    [],
  ],
  [
    "google",
    () =>
      resolved(googleServer, "google/gemini-2.5-flash", (url) => ({
        environment: { GEMINI_API_KEY: KEY, GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta` },
      })),
    [],
  ],
  [
    "ollama",
    () =>
      resolved(openaiServer, "ollama/llama3.2:3b", (url) => ({
        environment: { OLLAMA_HOST: url.replace("http://", "") },
      })),
    [],
  ],
  [
    "a configured provider",
    () =>
      resolved(openaiServer, "myhost/org/model", (url) => ({
        environment: { MYHOST_KEY: KEY },
        providers: {
          myhost: {
            kind: "openai-compatible",
            baseUrl: `${url}/v1`,
            apiKeyVariable: "MYHOST_KEY",
            headers: { "x-api-key": `${KEY}-2` },
          },
        },
      })),
    [],
  ],
  ["a function", functionHarness, []],
  [
    "HTTP in OpenAI's shape",
    () =>
      overHttp((url) =>
        httpModel({
          url: `${url}/v1/chat/completions`,
          name: "endpoint",
          keyVariable: "ENDPOINT_KEY",
          environment: { ENDPOINT_KEY: KEY },
        }),
      ),
    ["tools"],
  ],
  [
    "HTTP with a body of its own",
    () =>
      overHttp((url) =>
        httpModel({
          url: `${url}/v1/responses`,
          name: "endpoint",
          headers: { "x-api-key": KEY },
          body: { model: "m", input: "{{messages}}", metadata: { session: "{{conversation}}/{{turn}}" } },
          reply: "output[0].content[0].text",
          usage: { inputTokens: "usage.input_tokens", outputTokens: "usage.output_tokens" },
        }),
      ),
    ["tools"],
  ],
  ["a person", personHarness, ["history", "faults", "tools"]],
];

describe.each(KINDS)("%s", (_kind, make, without) => {
  for (const { name, run } of modelContract(make, { without })) test(name, run);
});

test("the contract can be broken", async () => {
  const broken: Model = {
    name: "broken",
    account: "broken",
    identity: {},
    async reply(request) {
      // Everything that a model must not do.
      (request.messages as unknown[]).push("changed");
      return { text: "", finish: "stop", usage: { inputTokens: -1, outputTokens: 0.5 } };
    },
  };
  const harness: ContractHarness = {
    model: broken,
    seen: () => [],
    stallNext: () => {},
    faults: { server: () => {} },
  };
  const cases = modelContract(() => harness, { without: ["tools"] });
  const results = await Promise.allSettled(cases.map(({ run }) => run()));
  const passed = cases.filter((_, index) => results[index]?.status === "fulfilled").map(({ name }) => name);
  expect(passed).toEqual(["has a name and an account", "shows no secret in name, account and identity"]);
});

test("a harness that lacks something is told so", async () => {
  const model = functionModel(() => "yes", { name: "yes" });
  const cases = modelContract(() => ({ model }), { without: ["seen", "echo", "stall", "tools"] });
  const results = await Promise.allSettled(cases.map(({ run }) => run()));
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
  expect(reasons).toEqual([expect.stringContaining('the harness has no "faults"')]);
  expect(await model.reply(requestOf("?"), contextOf())).toEqual({ text: "yes", finish: "stop" });
});
