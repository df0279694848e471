import type { Environment } from "../../../core/environment.ts";
import { ModelError } from "../model-error.ts";

/** The protocols that providers speak. */
export type ProviderKind = "openai" | "anthropic" | "google" | "openai-compatible";

/** A provider as a run's configuration names it. */
export interface ProviderConfig {
  /** May be left out if the name is that of a known provider, of which only something is to be changed. */
  readonly kind?: ProviderKind;
  readonly baseUrl?: string;
  /** The environment variable that holds the key; null if there is none. */
  readonly apiKeyVariable?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** False for servers that take no JSON Schema for their replies. */
  readonly structured?: boolean;
}

/** A provider that is known by its name. */
export interface KnownProvider {
  readonly name: string;
  readonly kind: ProviderKind;
  /** Missing if it must come from the environment. */
  readonly baseUrl?: string;
  /** Environment variables that may hold another base URL, the first that is set counts. */
  readonly baseUrlVariables: readonly string[];
  /** Environment variables that may hold the key, the first that is set counts; empty if there is no key. */
  readonly keyVariables: readonly string[];
  /** True if a key is needed; else it is sent if there is one. */
  readonly keyRequired: boolean;
  /** False if its models do not follow a JSON Schema. */
  readonly structured: boolean;
  /** What the price library calls it; null if calls cost nothing; missing if prices are unknown. */
  readonly price?: string | null;
}

/** A provider with a key and a price; most speak the protocol of OpenAI, and follow a JSON Schema. */
function hosted(
  name: string,
  { baseUrl, ...special }: Partial<KnownProvider> & { readonly baseUrl: string },
): KnownProvider {
  return {
    name,
    kind: "openai-compatible",
    baseUrl,
    baseUrlVariables: [],
    keyVariables: [`${name.toUpperCase()}_API_KEY`],
    keyRequired: true,
    structured: true,
    price: name,
    ...special,
  };
}

const KNOWN: readonly KnownProvider[] = [
  hosted("openai", {
    kind: "openai",
    baseUrl: "https://api.openai.com/v1",
    baseUrlVariables: ["OPENAI_BASE_URL"],
  }),
  hosted("anthropic", {
    kind: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    baseUrlVariables: ["ANTHROPIC_BASE_URL"],
  }),
  hosted("google", {
    kind: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    baseUrlVariables: ["GOOGLE_GENERATIVE_AI_BASE_URL"],
    keyVariables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
  }),
  hosted("ollama", {
    baseUrl: "http://localhost:11434/v1",
    baseUrlVariables: ["OLLAMA_BASE_URL", "OLLAMA_HOST"],
    keyVariables: [],
    keyRequired: false,
    price: null,
  }),
  {
    name: "openai-compatible",
    kind: "openai-compatible",
    baseUrlVariables: ["OPENAI_COMPATIBLE_BASE_URL"],
    keyVariables: ["OPENAI_COMPATIBLE_API_KEY"],
    keyRequired: false,
    structured: true,
  },
  hosted("openrouter", { baseUrl: "https://openrouter.ai/api/v1" }),
  hosted("groq", { baseUrl: "https://api.groq.com/openai/v1", structured: false }),
  hosted("mistral", { baseUrl: "https://api.mistral.ai/v1" }),
  hosted("together", { baseUrl: "https://api.together.xyz/v1" }),
  hosted("deepseek", { baseUrl: "https://api.deepseek.com/v1", structured: false }),
  hosted("xai", { baseUrl: "https://api.x.ai/v1", price: "x-ai" }),
];

/** All providers that are known by name, with where their keys and base URLs come from. */
export function knownProviders(): readonly KnownProvider[] {
  return KNOWN;
}

/** A provider by its name: a known one, one of the configuration, or a known one changed by it; undefined if neither. */
export function findProvider(
  name: string,
  configured: Readonly<Record<string, ProviderConfig>>,
): KnownProvider | undefined {
  const known = KNOWN.find((provider) => provider.name === name);
  const config = Object.hasOwn(configured, name) ? configured[name] : undefined;
  if (config === undefined) return known;
  const { kind = known?.kind ?? "openai-compatible", baseUrl, apiKeyVariable, structured } = config;
  const base = known?.kind === kind ? known : KNOWN.find((provider) => provider.name === kind);
  if (base === undefined) {
    throw new ModelError(
      "bad_request",
      `The provider ${name} has the unknown kind "${kind}". Kinds are openai, anthropic, google, openai-compatible.`,
    );
  }
  const { price: _, ...withoutPrice } = base;
  const noKey = { keyVariables: [], keyRequired: false };
  return {
    // Another server may have other prices.
    ...(baseUrl === undefined ? base : withoutPrice),
    name,
    ...(known === undefined ? { baseUrlVariables: [] } : {}),
    ...(baseUrl === undefined ? {} : { baseUrl, baseUrlVariables: [] }),
    // Under a new name, another server must not be sent the key of the known one.
    ...(apiKeyVariable === null || (known === undefined && baseUrl !== undefined) ? noKey : {}),
    ...(typeof apiKeyVariable === "string" ? { keyVariables: [apiKeyVariable], keyRequired: true } : {}),
    ...(structured === undefined ? {} : { structured }),
  };
}

/** The first of some environment variables that is set to more than white space. */
export function firstSet(
  names: readonly string[],
  environment: Environment,
): { readonly name: string; readonly value: string } | undefined {
  for (const name of names) {
    const value = environment[name]?.trim();
    if (value !== undefined && value !== "") return { name, value };
  }
  return undefined;
}

/** Where a provider is reached: from the environment, or its own address. */
export function baseUrlOf(provider: KnownProvider, environment: Environment): string {
  const set = firstSet(provider.baseUrlVariables, environment);
  const given = set?.value ?? provider.baseUrl;
  const where = set?.name ?? "its base URL";
  if (given === undefined) {
    throw new ModelError(
      "bad_request",
      `The provider ${provider.name} has no base URL. Set ${provider.baseUrlVariables[0] ?? "`baseUrl` in its configuration"}.`,
    );
  }
  // `OLLAMA_HOST` is often no more than a host and a port, or the address to listen on.
  const text =
    provider.name === "ollama" && !given.includes("://")
      ? `http://${given.replace(/^0\.0\.0\.0/, "127.0.0.1")}`
      : given;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ModelError("bad_request", `${provider.name}: ${where} is not an http or https URL.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ModelError(
      "bad_request",
      `${provider.name}: ${where} contains a user name or password. Give a key in an environment variable instead.`,
    );
  }
  if (provider.name === "ollama" && url.port === "" && !given.includes("://")) url.port = "11434";
  const rootMeansVersion = provider.name === "ollama" || provider.kind === "anthropic";
  if (rootMeansVersion && url.pathname === "/") url.pathname = "/v1";
  return url.href.replace(/\/+$/, "");
}
