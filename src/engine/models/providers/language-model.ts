import { ModelError } from "../model-error.ts";
import type { KnownProvider } from "./provider.ts";

/**
 * A language model of the AI SDK: of its specification v4, v3 or v2. Not a bare name, which the AI SDK would look up at a hosted
 * gateway.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
}

/** An embedding model of the AI SDK: of its specification v4, v3 or v2. */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doEmbed(options: never): PromiseLike<unknown>;
}

/** Everything that a provider's library needs to make a model. */
export interface LanguageModelSettings {
  readonly provider: Pick<KnownProvider, "name" | "kind" | "structured">;
  readonly modelId: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
}

/** A language model of the AI SDK from its provider. */
export async function languageModelOf(settings: LanguageModelSettings): Promise<AiSdkLanguageModel> {
  return (await libraryOf(settings)).languageModel(settings.modelId);
}

/** An embedding model of the AI SDK from its provider. */
export async function embeddingModelOf(settings: LanguageModelSettings): Promise<AiSdkEmbeddingModel> {
  const { provider, modelId } = settings;
  if (provider.kind === "anthropic")
    throw new ModelError(
      "bad_request",
      `${provider.name}/${modelId} cannot be an embedder: this provider has no embedding models. Use another, such as openai/text-embedding-3-small or ollama/nomic-embed-text.`,
    );
  return (await libraryOf(settings)).embeddingModel(modelId);
}

interface ProviderLibrary {
  languageModel(modelId: string): AiSdkLanguageModel;
  embeddingModel(modelId: string): AiSdkEmbeddingModel;
}

/** The library of a provider. Only the one that is needed is loaded. */
async function libraryOf({
  provider,
  baseUrl,
  key,
  headers,
  fetch,
}: LanguageModelSettings): Promise<ProviderLibrary> {
  // Everything is given, so that the libraries do not look into the environment of the process by themselves.
  const common = { baseURL: baseUrl, headers: { ...headers }, fetch };
  // Where a server of the same kind needs no key, these libraries still want one.
  const keyed = { ...common, apiKey: key ?? "none" };
  switch (provider.kind) {
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI(keyed);
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(keyed);
    case "google":
      return (await import("@ai-sdk/google")).createGoogle(keyed);
    case "openai-compatible":
      return (await import("@ai-sdk/openai-compatible")).createOpenAICompatible({
        ...common,
        name: provider.name,
        ...(key === undefined ? {} : { apiKey: key }),
        supportsStructuredOutputs: provider.structured,
        includeUsage: true,
      });
  }
}
