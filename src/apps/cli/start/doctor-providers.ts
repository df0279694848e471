import type { Environment } from "../../../core/environment.ts";
import { errorMessage } from "../../../core/error-message.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { isRecord } from "../../../core/values/json.ts";
import { streamingFetch } from "../../../engine/models/http/client-fetch.ts";
import { ModelError } from "../../../engine/models/model-error.ts";
import {
  baseUrlOf,
  findProvider,
  firstSet,
  type KnownProvider,
  knownProviders,
  type ProviderKind,
} from "../../../engine/models/providers/provider.ts";
import { networkFailure, UNSENDABLE } from "../../../engine/models/to-model-error.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import { secretHeaderValues, secretQueryValues } from "../../../system/secrets/secret-data.ts";
import type { Settings } from "../../project/settings.ts";

/** The state of something: fine, not used, needs attention, or configured but not usable. */
export type FindingLevel = "fine" | "none" | "warning" | "broken";

/** One thing that was examined. */
export interface Finding {
  readonly level: FindingLevel;
  readonly text: string;
}

/** What is needed to examine providers. */
interface ProviderOptions {
  readonly environment: Environment;
  readonly providers: Settings["providers"];
  /** The models that are subjects, judges or embedders, by the name of their provider. */
  readonly used: ReadonlyMap<string, readonly string[]>;
  /** Names of providers whose address or key the project file changes without consent; they get no request. */
  readonly unconsented: ReadonlySet<string>;
  readonly offline: boolean;
  readonly timeLimitMs: number;
}

/** All providers that are known or configured: whether they have a key, where they are, and whether they can be reached. */
export async function providerFindings(options: ProviderOptions): Promise<readonly Finding[]> {
  const all = allProviders(options.providers);
  const findings = await Promise.all(all.map((provider) => findingsOf(provider, options)));
  return findings.flat();
}

/** Keys and secret headers of providers, to be removed from all output. */
export function providerSecrets(
  environment: Environment,
  providers: Settings["providers"],
): readonly string[] {
  return allProviders(providers).flatMap((provider) => [
    ...provider.keyVariables.flatMap((name) => environment[name]?.trim() ?? []),
    ...secretHeaderValues(headersOf(provider, providers)),
    ...secretQueryValues(provider.baseUrl ?? ""),
  ]);
}

function allProviders(providers: Settings["providers"]): readonly KnownProvider[] {
  const names = new Set([...knownProviders().map(({ name }) => name), ...Object.keys(providers)]);
  return [...names].flatMap((name) => findProvider(name, providers) ?? []);
}

type Headers = Readonly<Record<string, string>>;

function headersOf({ name }: KnownProvider, providers: Settings["providers"]): Headers {
  return (Object.hasOwn(providers, name) ? providers[name]?.headers : undefined) ?? {};
}

async function findingsOf(provider: KnownProvider, options: ProviderOptions): Promise<readonly Finding[]> {
  const { environment, providers, offline, timeLimitMs, unconsented, used } = options;
  const { name, keyVariables, keyRequired } = provider;
  const isConfigured = used.has(name) || Object.hasOwn(providers, name);
  const key = firstSet(keyVariables, environment);
  const from = firstSet(provider.baseUrlVariables, environment)?.name;
  let baseUrl: string;
  try {
    baseUrl = baseUrlOf(provider, environment);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const level = isConfigured ? "broken" : from === undefined ? "none" : "warning";
    return [{ level, text: errorMessage(error) }];
  }
  // In brackets, so that what follows is never taken for a part of the address.
  const address = `<${redactSecrets(baseUrl, secretQueryValues(baseUrl))}>`;
  const place = from === undefined ? address : `${address} (from ${from})`;
  const missing = `${keyVariables.join(" or ")} is not set${keyRequired ? "" : " (not always needed)"}`;
  const keyText = key ? `${key.name} is set` : keyVariables.length === 0 ? "needs no key" : missing;
  const finding = (level: FindingLevel, ...more: readonly string[]): Finding => ({
    level,
    text: `${name} ${place}: ${[keyText, ...more].join(", ")}`,
  });
  if (key === undefined && keyRequired) return [finding(isConfigured ? "broken" : "none")];
  if (unconsented.has(name)) return [finding("none", "not asked: it needs your consent")];
  const isUnused = key === undefined && !isConfigured;
  if (offline) return [finding(isUnused ? "none" : "fine")];
  const headers = headersOf(provider, providers);
  const reach = await reachProvider({ ...provider, baseUrl, key: key?.value, headers, timeLimitMs });
  // What is not configured need not work.
  const mildest = isUnused ? "none" : "warning";
  const level = reach.level === "broken" && !isConfigured ? mildest : reach.level;
  return [finding(level, reach.text), ...unlisted(name, used.get(name) ?? [], reach.models)];
}

/** Models that a server does not list. It may still have them, so this is a warning. */
function unlisted(
  provider: string,
  models: readonly string[],
  listed: readonly string[] | undefined,
): readonly Finding[] {
  if (listed === undefined) return [];
  const names = new Set(listed.flatMap((id) => [id, id.replace(/:latest$/, "")]));
  const unknown = models.filter((model) => !names.has(model));
  return unknown.map((model) => {
    const { nearest } = nearestOf(model, names);
    const hint = nearest === undefined ? "" : ` Did you mean ${provider}/${nearest}?`;
    const list = `it lists ${countedText(listed.length, "model")}.${hint}`;
    return { level: "warning", text: `${provider} does not list the model ${model}: ${list}` };
  });
}

/** What a provider answers; `models` only if its list is complete. */
interface Reach extends Finding {
  readonly models?: readonly string[] | undefined;
}

/** The address of a provider, and what to send. */
interface ReachRequest {
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly key: string | undefined;
  /** Those of the configuration. */
  readonly headers: Headers;
  readonly timeLimitMs: number;
}

/** Asks a provider for its list of models, which costs nothing. */
async function reachProvider(request: ReachRequest): Promise<Reach> {
  const { kind, key, timeLimitMs } = request;
  const signal = AbortSignal.timeout(timeLimitMs);
  // Google answers a wrong key with status 400; nothing else in this request could be wrong.
  const isRefusal = (status: number): boolean =>
    status === 401 || status === 403 || (kind === "google" && status === 400);
  try {
    const { status, models } = await modelsOf(request, signal, key);
    const refused = `${key === undefined ? "wants a key" : "key refused"} (status ${status})`;
    if (isRefusal(status)) return { level: "broken", text: refused };
    // A server without a list of models may still have models.
    if (status < 200 || status > 299)
      return { level: status < 500 ? "warning" : "broken", text: `answers with status ${status}` };
    if (key === undefined) return { level: "fine", text: "reachable", models };
    // Some lists need no key, so that they say nothing about it.
    const without = await modelsOf(request, signal, undefined).catch(() => ({ status: 0 }));
    const about = isRefusal(without.status)
      ? ", key accepted"
      : "; only a call can tell whether the key is right";
    return { level: "fine", text: `reachable${about}`, models };
  } catch (error) {
    // Messages of errors may quote headers, so none is passed on.
    const what = signal.aborted
      ? `did not answer within ${timeLimitMs / 1000} s`
      : (networkFailure(error)?.what ?? UNSENDABLE);
    return { level: "broken", text: `not reachable: it ${what}` };
  }
}

async function modelsOf(
  { kind, baseUrl, headers }: ReachRequest,
  signal: AbortSignal,
  key: string | undefined,
): Promise<{ readonly status: number; readonly models?: readonly string[] | undefined }> {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/models`;
  const version = kind === "anthropic" ? { "anthropic-version": "2023-06-01" } : {};
  const response = await streamingFetch(url, {
    headers: { ...(key === undefined ? {} : keyHeaders(kind, key)), ...version, ...headers },
    signal,
  });
  const { status } = response;
  if (status === 200) return { status, models: listedModels(await response.text()) };
  await response.body?.cancel().catch(() => {});
  return { status };
}

/** The names of models in an answer: `data` of OpenAI, Anthropic and compatible servers, `models` of Google. Undefined if there are more pages. */
function listedModels(text: string): readonly string[] | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(answer) || answer.has_more === true || answer.nextPageToken !== undefined) return undefined;
  const list = answer.data ?? answer.models;
  if (!Array.isArray(list)) return undefined;
  return list
    .filter(isRecord)
    .map(({ id, name }) => id ?? name)
    .filter((given) => typeof given === "string")
    .map((given) => given.replace(/^models\//, ""));
}

function keyHeaders(kind: ProviderKind, key: string): Headers {
  if (kind === "anthropic") return { "x-api-key": key };
  return kind === "google" ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}
