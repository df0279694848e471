import type { Environment } from "../../core/environment.ts";
import { nearestOf } from "../../core/schema/nearest-name.ts";
import { sha256 } from "../../core/values/hash.ts";
import { isRecord, type JsonObject, typeName } from "../../core/values/json.ts";
import {
  openAddress,
  openHeaders,
  secretHeaderValues,
  secretQueryValues,
} from "../../system/secrets/secret-data.ts";
import { clientFetch, type Fetch, limitedFetch } from "./http/client-fetch.ts";
import type { Model } from "./model.ts";
import { ModelError } from "./model-error.ts";
import { checkParameters, type ModelParameters } from "./model-parameters.ts";
import { type AiSdkModelOptions, aiSdkModel } from "./providers/ai-sdk-model.ts";
import { aiSdkEmbedder } from "./providers/embedding-model.ts";
import { embeddingModelOf, type LanguageModelSettings, languageModelOf } from "./providers/language-model.ts";
import {
  baseUrlOf,
  findProvider,
  firstSet,
  knownProviders,
  type ProviderConfig,
} from "./providers/provider.ts";

/** A model by name, `provider/model`, where needed with parameters. */
export type NamedModel =
  | string
  | {
      readonly model: string;
      /** As reports show it (default: the reference itself); two sets of parameters deserve two names. */
      readonly name?: string;
      readonly parameters?: ModelParameters;
    };

/** Where models come from. */
export interface ResolveOptions {
  /** Default: that of the process. */
  readonly environment?: Environment;
  /** Providers of the run's configuration by name, besides the known ones. */
  readonly providers?: Readonly<Record<string, ProviderConfig>>;
  /** Sends the requests instead of the built-in HTTP client, for tests and special networks. */
  readonly fetch?: Fetch;
  /** True if the model is only named and never called, so that no key is needed (default false). */
  readonly keyless?: boolean;
}

/**
 * The model that a reference names. What is wrong (an unknown provider, a missing key, a misspelt parameter) is reported here,
 * before the first call.
 *
 * @example
 * await resolveModel("ollama/llama3.2:3b")
 * await resolveModel({ model: "openai/gpt-5-mini", parameters: { reasoning: "low" } })
 */
export async function resolveModel(reference: NamedModel, options: ResolveOptions = {}): Promise<Model> {
  const { settings, card, structured, given } = connect(reference, options);
  const parameters = checkParameters(given, card.name);
  return aiSdkModel(await languageModelOf(settings), {
    ...card,
    parameters: { ...(structured ? {} : { structured: false }), ...parameters },
  });
}

/**
 * The embedding model that a reference names, for `semantic_match`.
 *
 * @example
 * await resolveEmbedder("openai/text-embedding-3-small")
 */
export async function resolveEmbedder(reference: string, options: ResolveOptions = {}): Promise<Model> {
  const { settings, card } = connect(reference, options);
  return aiSdkEmbedder(await embeddingModelOf(settings), card);
}

interface Connection {
  readonly settings: LanguageModelSettings;
  readonly card: AiSdkModelOptions & { readonly name: string };
  readonly structured: boolean;
  /** The parameters as they were written. */
  readonly given: unknown;
}

/** Everything that is needed to reach a model. */
function connect(reference: NamedModel, options: ResolveOptions): Connection {
  const { environment = process.env, providers = {}, fetch, keyless = false } = options;
  const { providerName, modelId, reference: written, name, parameters: given } = parseReference(reference);
  const provider = findProvider(providerName, providers);
  if (provider === undefined) throw unknownProvider(written, providerName, providers);
  const { keyVariables, keyRequired, structured, price } = provider;
  const baseUrl = baseUrlOf(provider, environment);
  const key = firstSet(keyVariables, environment);
  if (key === undefined && keyRequired && !keyless)
    throw new ModelError("authentication", `${written} needs a key. Set ${keyVariables.join(" or ")}.`);
  const headers = providers[providerName]?.headers ?? {};
  const keyVariable = key?.name ?? keyVariables[0];
  const settings: LanguageModelSettings = {
    provider,
    modelId,
    baseUrl,
    key: key?.value,
    headers,
    fetch: fetch === undefined ? clientFetch(name) : limitedFetch(name, fetch),
  };
  const card = {
    name,
    account: accountOf(providerName, baseUrl, key?.value),
    identity: identityOf(settings),
    ...(price === undefined ? {} : { price: price === null ? null : { provider: price, model: modelId } }),
    secrets: [
      ...(key === undefined ? [] : [key.value]),
      ...secretHeaderValues(headers),
      ...secretQueryValues(baseUrl),
    ],
    ...(keyVariable === undefined ? {} : { keyVariable }),
  };
  return { settings, card, structured, given };
}

/**
 * Some providers have the name of the model in the path of a request. So it has none of the signs that mean something in a URL, and no
 * part that leads to another path.
 */
const MODEL_ID = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\p{L}\p{N} ._:@+=,~()[\]/-]+$/u;

interface ParsedReference {
  readonly providerName: string;
  readonly modelId: string;
  readonly reference: string;
  readonly name: string;
  readonly parameters: unknown;
}

function parseReference(reference: NamedModel): ParsedReference {
  const { model, name, parameters }: { model: unknown; name?: unknown; parameters?: unknown } =
    typeof reference === "string" || !isRecord(reference) ? { model: reference } : reference;
  if (typeof model !== "string") {
    throw new ModelError("bad_request", `Expected a model as \`provider/model\`, got ${typeName(model)}.`);
  }
  // Only the first slash counts: names of models may have slashes and colons.
  const slash = model.indexOf("/");
  if (slash < 1 || !MODEL_ID.test(model.slice(slash + 1))) {
    throw new ModelError(
      "bad_request",
      `"${model}" is not a model. Write it as \`provider/model\`, such as \`openai/gpt-5-mini\` or \`ollama/llama3.2\`.`,
    );
  }
  return {
    providerName: model.slice(0, slash),
    modelId: model.slice(slash + 1),
    reference: model,
    name: typeof name === "string" ? name : model,
    parameters,
  };
}

function unknownProvider(reference: string, name: string, configured: object): ModelError {
  const known = knownProviders().map((provider) => provider.name);
  const names = [...new Set([...known, ...Object.keys(configured)])];
  const { nearest } = nearestOf(name, names);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  return new ModelError(
    "bad_request",
    `There is no provider "${name}" for ${reference}.${hint} Known are ${names.join(", ")}; others can be configured.`,
  );
}

/** Two keys are two accounts; the part of the hash that is shown does not give the key away. */
function accountOf(provider: string, baseUrl: string, key: string | undefined): string {
  return `${provider} ${openAddress(baseUrl, queryHash).url}${key === undefined ? "" : ` key ${sha256(key).slice(0, 8)}`}`;
}

function identityOf({ provider, modelId, baseUrl, headers }: LanguageModelSettings): JsonObject {
  const { name, kind } = provider;
  const usual = knownProviders().find((known) => known.name === name)?.baseUrl;
  const { url, query } = openAddress(baseUrl, queryHash);
  return {
    provider: name,
    ...(name === kind ? {} : { kind }),
    model: modelId,
    ...(baseUrl === usual ? {} : { baseUrl: url, ...(query === undefined ? {} : { query }) }),
    ...(Object.keys(headers).length === 0 ? {} : { headers: openHeaders(headers) }),
  };
}

function queryHash(query: string): string {
  return sha256(query).slice(0, 16);
}
