import type { Environment } from "../../../core/environment.ts";
import { errorMessage } from "../../../core/error-message.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { isRecord } from "../../../core/values/json.ts";
import { streamingFetch } from "../../../engine/models/http/client-fetch.ts";
import { ModelError } from "../../../engine/models/model-error.ts";
import { networkFailure, UNSENDABLE } from "../../../engine/models/network-failure.ts";
import {
  baseUrlOf,
  findProvider,
  firstSet,
  type KnownProvider,
  knownProviders,
  type ProviderKind,
} from "../../../engine/models/providers/provider.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import { secretQueryValues } from "../../../system/secrets/secret-data.ts";
import { secretHeaderValues } from "../../../system/secrets/secret-headers.ts";
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
  const findings = await Promise.all(
    allProviders(options.providers).map((provider) => findingsOf(provider, options)),
  );
  return findings.flat();
}

/** Keys and secret headers of providers, to be removed from all output. */
export function providerSecrets({
  environment,
  providers,
}: Pick<ProviderOptions, "environment" | "providers">): readonly string[] {
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

function headersOf(
  { name }: KnownProvider,
  providers: Settings["providers"],
): Readonly<Record<string, string>> {
  return (Object.hasOwn(providers, name) ? providers[name]?.headers : undefined) ?? {};
}

async function findingsOf(
  provider: KnownProvider,
  { environment, providers, offline, timeLimitMs, unconsented, used }: ProviderOptions,
): Promise<readonly Finding[]> {
  const { name, kind, keyRequired } = provider;
  const isConfigured = used.has(name) || Object.hasOwn(providers, name);
  const ifConfigured = (otherwise: FindingLevel): FindingLevel => (isConfigured ? "broken" : otherwise);
  const key = firstSet(provider.keyVariables, environment);
  const from = firstSet(provider.baseUrlVariables, environment)?.name;
  let baseUrl: string;
  try {
    baseUrl = baseUrlOf(provider, environment);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return [{ level: ifConfigured(from === undefined ? "none" : "warning"), text: errorMessage(error) }];
  }
  // In brackets, so that what follows is never taken for a part of the address.
  const address = `<${redactSecrets(baseUrl, secretQueryValues(baseUrl))}>`;
  const place = from === undefined ? address : `${address} (from ${from})`;
  const finding = (level: FindingLevel, ...more: readonly string[]): Finding => ({
    level,
    text: `${name} ${place}: ${[keyText(provider, key?.name), ...more].join(", ")}`,
  });
  if (key === undefined && keyRequired) return [finding(ifConfigured("none"))];
  if (unconsented.has(name)) return [finding("none", "not asked: it needs your consent")];
  if (offline) return [finding(key === undefined && !isConfigured ? "none" : "fine")];
  const reach = await reachProvider({
    kind,
    baseUrl,
    key: key?.value,
    headers: headersOf(provider, providers),
    timeLimitMs,
  });
  const isUnused = key === undefined && !isConfigured;
  const level = reach.level === "broken" ? (isUnused ? "none" : ifConfigured("warning")) : reach.level;
  return [finding(level, reach.text), ...unlisted(name, used.get(name) ?? [], reach.models)];
}

function keyText({ keyVariables, keyRequired }: KnownProvider, set: string | undefined): string {
  if (set !== undefined) return `${set} is set`;
  if (keyVariables.length === 0) return "needs no key";
  const missing = `${keyVariables.join(" or ")} is not set`;
  return keyRequired ? missing : `${missing} (not always needed)`;
}

/** Models that a server does not list. It may still have them, so this is a warning. */
function unlisted(
  provider: string,
  models: readonly string[],
  listed: readonly string[] | undefined,
): readonly Finding[] {
  if (listed === undefined) return [];
  const names = new Set(listed.flatMap((id) => [id, id.replace(/:latest$/, "")]));
  return models
    .filter((model) => !names.has(model))
    .map((model) => {
      const { nearest } = nearestOf(model, names);
      const hint = nearest === undefined ? "" : ` Did you mean ${provider}/${nearest}?`;
      const what = `it lists ${countedText(listed.length, "model")}`;
      return {
        level: "warning",
        text: `${provider} does not list the model ${model}: ${what}.${hint}`,
      } as const;
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
  readonly headers: Readonly<Record<string, string>>;
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
    if (isRefusal(status))
      return {
        level: "broken",
        text: `${key === undefined ? "wants a key" : "key refused"} (status ${status})`,
      };
    // A server without a list of models may still have models.
    if (status < 200 || status > 299)
      return { level: status < 500 ? "warning" : "broken", text: `answers with status ${status}` };
    if (key === undefined) return { level: "fine", text: "reachable", models };
    // Some lists need no key, so that they say nothing about it.
    const without = await modelsOf(request, signal, undefined).catch(() => undefined);
    const isTested = without !== undefined && isRefusal(without.status);
    const text = isTested
      ? "reachable, key accepted"
      : "reachable; only a call can tell whether the key is right";
    return { level: "fine", text, models };
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
  return list.filter(isRecord).flatMap(({ id, name }) => {
    const given = id ?? name;
    return typeof given === "string" ? [given.replace(/^models\//, "")] : [];
  });
}

function keyHeaders(kind: ProviderKind, key: string): Readonly<Record<string, string>> {
  if (kind === "anthropic") return { "x-api-key": key };
  return kind === "google" ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}
