import { errorMessage } from "../../../core/error-message.ts";
import { functionSource } from "../../../core/source/function-source.ts";
import { sha256 } from "../../../core/values/hash.ts";
import { rememberSecrets } from "../../../system/secrets/mask-secrets.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import { shortened } from "../failed-response.ts";
import type { Model, ModelReply, ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { parseRateLimitHints } from "../rate-limit-headers.ts";
import { abortedCall, toModelError } from "../to-model-error.ts";
import { untilAborted } from "../until-aborted.ts";
import type { AiSdkModelOptions } from "./ai-sdk-model.ts";
import type { LanguageModelSettings } from "./language-model.ts";

/** An embedding model of the AI SDK: of its specification v4, v3 or v2. */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doEmbed(options: never): PromiseLike<unknown>;
}

/** What all versions of the AI SDK answer. */
interface Embedded {
  readonly embeddings: readonly (readonly number[])[];
  readonly usage?: { readonly tokens: number };
  readonly response?: { readonly headers?: Readonly<Record<string, string>> };
}

/** An embedding model of the AI SDK from its provider, of which only the library that is needed is loaded. */
export async function embeddingModelOf(settings: LanguageModelSettings): Promise<AiSdkEmbeddingModel> {
  const { provider, modelId, baseUrl, key, headers, fetch } = settings;
  const common = { baseURL: baseUrl, headers: { ...headers }, fetch };
  const apiKey = key ?? "none";
  switch (provider.kind) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ ...common, apiKey }).embeddingModel(modelId);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle({ ...common, apiKey }).embeddingModel(modelId);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const named = { ...common, name: provider.name, ...(key === undefined ? {} : { apiKey: key }) };
      return createOpenAICompatible(named).embeddingModel(modelId);
    }
    case "anthropic":
      throw new ModelError(
        "bad_request",
        `${provider.name}/${modelId} cannot be an embedder: this provider has no embedding models. Use another, such as openai/text-embedding-3-small or ollama/nomic-embed-text.`,
      );
  }
}

/** An embedding model as a model of a run: it is sent a text, and its structured answer is a vector. So calls of it are kept, limited and paid for as all others. */
export function aiSdkEmbedder(model: AiSdkEmbeddingModel, options: AiSdkModelOptions = {}): Model {
  const provider = model.provider.split(".")[0] ?? model.provider;
  const { name = `${provider}/${model.modelId}`, account = provider, secrets = [], keyVariable } = options;
  const { now = Date.now } = options;
  rememberSecrets(secrets);
  return {
    name,
    account,
    identity: { ...(options.identity ?? { provider, model: model.modelId }), embeds: true },
    ...(options.price === undefined ? {} : { price: options.price }),
    async reply(request, { signal }) {
      if (signal.aborted) throw abortedCall(signal, name);
      // Models of older specifications take the same options and answer the same.
      const doEmbed = model.doEmbed as (options: object) => PromiseLike<Embedded>;
      try {
        const embedded = await doEmbed.call(model, { values: [textOf(request)], abortSignal: signal });
        const { usage, response } = embedded;
        const rateLimit = parseRateLimitHints(response?.headers ?? {}, now());
        return {
          ...vectorReply(embedded.embeddings?.[0], name),
          ...(usage === undefined ? {} : { usage: { inputTokens: usage.tokens, outputTokens: 0 } }),
          ...(rateLimit === undefined ? {} : { rateLimit }),
        };
      } catch (error) {
        throw toModelError(error, { name, signal, secrets, keyVariable, now: now() });
      }
    },
  };
}

/** Gives the vector of a text. */
export type EmbedFunction = (text: string) => readonly number[] | PromiseLike<readonly number[]>;

/** An embedder from a function. */
export function functionEmbedder(embed: EmbedFunction): Model {
  const name = embed.name === "" ? "embedder" : embed.name;
  return {
    name,
    account: `function ${name}`,
    identity: { provider: "function", model: name, source: sha256(functionSource(embed)), embeds: true },
    price: null,
    async reply(request, { signal }) {
      try {
        const vector = (async () => embed(textOf(request)))();
        return vectorReply(await untilAborted(signal, vector, () => abortedCall(signal, name)), name);
      } catch (error) {
        if (signal.aborted) throw abortedCall(signal, name);
        if (error instanceof ModelError) throw error;
        throw new ModelError(
          "author",
          `${name} threw: ${shortened(redactSecrets(errorMessage(error)), 1000)}`,
        );
      }
    },
  };
}

function textOf({ messages }: ModelRequest): string {
  const last = messages.at(-1);
  return last !== undefined && "content" in last ? String(last.content) : "";
}

function vectorReply(vector: unknown, name: string): ModelReply {
  if (!isVector(vector))
    throw new ModelError("bad_response", `${name} did not answer with a vector of numbers.`);
  return { text: "", object: vector, finish: "stop" };
}

/** True for a list of numbers with at least one. */
export function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((number) => Number.isFinite(number));
}
