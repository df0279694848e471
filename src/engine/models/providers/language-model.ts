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

/** Everything that a provider's library needs to make a model. */
export interface LanguageModelSettings {
  readonly provider: Pick<KnownProvider, "name" | "kind" | "structured">;
  readonly modelId: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
}

/** A model of the AI SDK from its provider, of which only the library that is needed is loaded. */
export async function languageModelOf(settings: LanguageModelSettings): Promise<AiSdkLanguageModel> {
  const { provider, modelId, baseUrl, key, headers, fetch } = settings;
  // Everything is given, so that the libraries do not look into the environment of the process by themselves.
  const common = { baseURL: baseUrl, headers: { ...headers }, fetch };
  // Where a server of the same kind needs no key, the libraries still want one.
  const apiKey = key ?? "none";
  switch (provider.kind) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ ...common, apiKey })(modelId);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ ...common, apiKey })(modelId);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle({ ...common, apiKey })(modelId);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({
        ...common,
        name: provider.name,
        ...(key === undefined ? {} : { apiKey: key }),
        supportsStructuredOutputs: provider.structured,
        includeUsage: true,
      })(modelId);
    }
  }
}
