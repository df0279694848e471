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
import { networkFailure, UNSENDABLE } from "../../../engine/models/providers/to-model-error.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import { secretQueryValues } from "../../../system/secrets/secret-data.ts";
import { secretHeaderValues } from "../../../system/secrets/secret-headers.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Settings } from "../../project/settings.ts";
import type { DoctorSection, Finding, FindingLevel } from "./doctor-finding.ts";

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

interface SeenProvider {
  readonly provider: KnownProvider;
  /** True if the project names it, or a model of it. */
  readonly isConfigured: boolean;
  readonly key: { readonly name: string; readonly value: string } | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** All providers that are known or configured: whether they have a key, where they are, and whether they can be reached. */
export async function providersSection(options: ProviderOptions): Promise<DoctorSection> {
  const findings = await Promise.all(seenProviders(options).map((seen) => providerFindings(seen, options)));
  return { title: "Providers", findings: findings.flat() };
}

/** Keys and secret headers of providers, to be removed from all output. */
export function providerSecrets(
  options: Pick<ProviderOptions, "environment" | "providers">,
): readonly string[] {
  return seenProviders({ ...options, used: new Map() }).flatMap(({ provider, headers }) => [
    ...provider.keyVariables.flatMap((name) => options.environment[name]?.trim() ?? []),
    ...secretHeaderValues(headers),
    ...secretQueryValues(provider.baseUrl ?? ""),
  ]);
}

function seenProviders({
  environment,
  providers,
  used,
}: Pick<ProviderOptions, "environment" | "providers" | "used">): readonly SeenProvider[] {
  const names = new Set([...knownProviders().map(({ name }) => name), ...Object.keys(providers)]);
  return [...names].flatMap((name) => {
    const provider = findProvider(name, providers);
    if (provider === undefined) return [];
    const isConfigured = used.has(name) || Object.hasOwn(providers, name);
    const headers = (Object.hasOwn(providers, name) ? providers[name]?.headers : undefined) ?? {};
    return [{ provider, isConfigured, headers, key: firstSet(provider.keyVariables, environment) }];
  });
}

async function providerFindings(
  { provider, isConfigured, key, headers }: SeenProvider,
  { environment, offline, timeLimitMs, unconsented, used }: ProviderOptions,
): Promise<readonly Finding[]> {
  const { name, kind, keyRequired } = provider;
  const ifConfigured = (otherwise: FindingLevel): FindingLevel => (isConfigured ? "broken" : otherwise);
  const baseUrl = addressOf(provider, environment);
  const from = firstSet(provider.baseUrlVariables, environment)?.name;
  if (typeof baseUrl !== "string")
    return [
      {
        level: ifConfigured(from === undefined ? "none" : "warning"),
        text: `${name}: ${baseUrl.problem}`,
      },
    ];
  // In brackets, so that what follows is never taken for a part of the address.
  const address = `<${redactSecrets(baseUrl, secretQueryValues(baseUrl))}>`;
  const keyState = keyText(provider, key?.name);
  const finding = (level: FindingLevel, ...more: readonly string[]): readonly Finding[] => [
    {
      level,
      text: `${name} ${address}${from === undefined ? "" : ` (from ${from})`}: ${[keyState, ...more].join(", ")}`,
    },
  ];
  if (key === undefined && keyRequired) return finding(ifConfigured("none"));
  if (unconsented.has(name)) return finding("none", "not asked: it needs your consent");
  const isLocal = isLoopback(baseUrl);
  if (offline || (key === undefined && !isConfigured && !isLocal))
    return finding(key === undefined && !isConfigured ? "none" : "fine");
  const reach = await reachProvider({ kind, baseUrl, key: key?.value, headers, timeLimitMs });
  const level = reachLevel(reach, ifConfigured);
  const missing = unlisted(name, used.get(name) ?? [], reach);
  if (!isLocal || key !== undefined)
    return [...finding(level, reachText(reach, key !== undefined)), ...missing];
  // The user has not configured this server.
  return [...finding(level === "warning" ? "none" : level, ownServerText(reach)), ...missing];
}

/** Models that a server does not list. It may still have them, so this is a warning. */
function unlisted(provider: string, models: readonly string[], reach: Reach): readonly Finding[] {
  if ((reach.type !== "accepted" && reach.type !== "open") || reach.models === undefined) return [];
  const listed = new Set(reach.models.flatMap((id) => [id, id.replace(/:latest$/, "")]));
  return models
    .filter((model) => !listed.has(model))
    .map((model) => {
      const { nearest } = nearestOf(model, listed);
      const hint = nearest === undefined ? "" : ` Did you mean ${provider}/${printableText(nearest)}?`;
      const what =
        listed.size === 0 ? "it lists none" : `it lists ${countedText(reach.models?.length ?? 0, "model")}`;
      return {
        level: "warning",
        text: `${provider} does not list the model ${model}: ${what}.${hint}`,
      } as const;
    });
}

function addressOf(provider: KnownProvider, environment: Environment): string | { readonly problem: string } {
  try {
    return baseUrlOf(provider, environment);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    // The name stands before it already.
    const { name } = provider;
    return { problem: errorMessage(error).replace(`${name}: `, "").replace(`The provider ${name} `, "") };
  }
}

function keyText({ keyVariables, keyRequired }: KnownProvider, set: string | undefined): string {
  if (set !== undefined) return `${set} is set`;
  if (keyVariables.length === 0) return "needs no key";
  const [first, ...others] = keyVariables;
  const missing =
    others.length === 0 ? `${first} is not set` : `neither ${first} nor ${others.join(" nor ")} is set`;
  return keyRequired ? missing : `${missing} (not always needed)`;
}

function reachLevel(reach: Reach, ifConfigured: (otherwise: FindingLevel) => FindingLevel): FindingLevel {
  if (reach.type === "accepted" || reach.type === "open") return "fine";
  // A server without a list of models may still have models.
  return reach.type === "other" && reach.status < 500 ? "warning" : ifConfigured("warning");
}

function reachText(reach: Reach, hasKey: boolean): string {
  switch (reach.type) {
    case "accepted":
      return "reachable, key accepted";
    case "open":
      return hasKey ? "reachable; only a call can tell whether the key is right" : "reachable";
    case "refused":
      return hasKey ? `key refused (status ${reach.status})` : `wants a key (status ${reach.status})`;
    case "other":
      return `answers with status ${reach.status}`;
    case "unreachable":
      return `not reachable: it ${reach.reason}`;
  }
}

/** For a server on this machine: whether it is running. */
function ownServerText(reach: Reach): string {
  if (reach.type === "open") return "running";
  return reach.type === "unreachable" && reach.isRefused ? "not running" : reachText(reach, false);
}

function isLoopback(address: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);
}

/** The result of asking a provider which models it has. */
type Reach =
  /** It answers with the key, and refuses requests without one. `models` is missing if its list is incomplete or cannot be read. */
  | { readonly type: "accepted"; readonly models?: readonly string[] }
  /** It answers; whether the key is right is unknown, because its list of models needs no key. */
  | { readonly type: "open"; readonly models?: readonly string[] }
  | { readonly type: "refused"; readonly status: number }
  | { readonly type: "other"; readonly status: number }
  /** `reason` ends a sentence that begins with the name of the server. */
  | { readonly type: "unreachable"; readonly reason: string; readonly isRefused: boolean };

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
  try {
    const { status, models } = await modelsOf(request, signal, key);
    const listed = models === undefined ? {} : { models };
    if (isRefusal(status, kind)) return { type: "refused", status };
    if (status < 200 || status > 299) return { type: "other", status };
    if (key === undefined) return { type: "open", ...listed };
    const without = await modelsOf(request, signal, undefined).catch(() => undefined);
    return {
      type: without !== undefined && isRefusal(without.status, kind) ? "accepted" : "open",
      ...listed,
    };
  } catch (error) {
    // Messages of errors may quote headers, so none is passed on.
    if (signal.aborted)
      return {
        type: "unreachable",
        reason: `did not answer within ${timeLimitMs / 1000} s`,
        isRefused: false,
      };
    const what = networkFailure(error)?.what ?? UNSENDABLE;
    return { type: "unreachable", reason: what, isRefused: what === "refused the connection" };
  }
}

async function modelsOf(
  { kind, baseUrl, headers }: ReachRequest,
  signal: AbortSignal,
  key: string | undefined,
): Promise<{ readonly status: number; readonly models?: readonly string[] }> {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/models`;
  const response = await streamingFetch(url, {
    headers: { ...(key === undefined ? {} : keyHeaders(kind, key)), ...versionHeaders(kind), ...headers },
    signal,
  });
  const { status } = response;
  const text = status === 200 ? await boundedText(response) : undefined;
  if (text === undefined) {
    await response.body?.cancel().catch(() => {});
    return { status };
  }
  const models = listedModels(text);
  return models === undefined ? { status } : { status, models };
}

/** Larger than any list of models. */
const MOST_BYTES = 8_000_000;

/** The body as text; undefined if it is too long. */
async function boundedText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
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

function versionHeaders(kind: ProviderKind): Readonly<Record<string, string>> {
  return kind === "anthropic" ? { "anthropic-version": "2023-06-01" } : {};
}

/** Google answers a wrong key with status 400; nothing else in this request could be wrong. */
function isRefusal(status: number, kind: ProviderKind): boolean {
  return status === 401 || status === 403 || (kind === "google" && status === 400);
}
