import { functionSource } from "../../../core/source/function-source.ts";
import { sha256 } from "../../../core/values/hash.ts";
import { rememberSecrets } from "../../../system/secrets/mask-secrets.ts";
import { authorError } from "../function/function-model.ts";
import type { Model, ModelReply, ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { parseRateLimitHints } from "../rate-limit-headers.ts";
import { abortedCall, toModelError, untilAborted } from "../to-model-error.ts";
import type { AiSdkModelOptions } from "./ai-sdk-model.ts";
import type { AiSdkEmbeddingModel } from "./language-model.ts";

/** What all versions of the AI SDK answer. */
interface Embedded {
  readonly embeddings: readonly (readonly number[])[];
  readonly usage?: { readonly tokens: number };
  readonly response?: { readonly headers?: Readonly<Record<string, string>> };
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
        throw signal.aborted ? abortedCall(signal, name) : authorError(name, error);
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
