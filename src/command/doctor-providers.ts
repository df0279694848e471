import { baseUrlOf, type Environment, firstSet } from "../model/base-url.ts";
import { ModelError } from "../model/model-error.ts";
import { findProvider, type KnownProvider, knownProviders } from "../model/provider.ts";
import { secretQueryValues } from "../model/secret-data.ts";
import { secretHeaderValues } from "../model/secret-headers.ts";
import type { Settings } from "../project/settings.ts";
import { errorMessage } from "../value/error-message.ts";
import { redactSecrets } from "../value/redact-secrets.ts";
import type { DoctorSection, Finding, FindingLevel } from "./doctor-finding.ts";
import { type Reach, reachProvider } from "./doctor-reach.ts";

/** What providers are looked at with. */
export interface ProviderOptions {
  readonly environment: Environment;
  readonly providers: Settings["providers"];
  /** Names of providers whose models are subjects or judges. */
  readonly used: ReadonlySet<string>;
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
  const findings = await Promise.all(seenProviders(options).map((seen) => providerFinding(seen, options)));
  return { title: "Providers", findings };
}

/** The values that providers must be told and nobody else. */
export function providerSecrets(
  options: Pick<ProviderOptions, "environment" | "providers">,
): readonly string[] {
  return seenProviders({ ...options, used: new Set() }).flatMap(({ provider, headers }) => [
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

async function providerFinding(
  { provider, isConfigured, key, headers }: SeenProvider,
  { environment, offline, timeLimitMs }: ProviderOptions,
): Promise<Finding> {
  const { name, kind, keyRequired } = provider;
  const ifConfigured = (otherwise: FindingLevel): FindingLevel => (isConfigured ? "broken" : otherwise);
  const baseUrl = addressOf(provider, environment);
  const from = firstSet(provider.baseUrlVariables, environment)?.name;
  if (typeof baseUrl !== "string")
    return {
      level: ifConfigured(from === undefined ? "none" : "warning"),
      text: `${name}: ${baseUrl.problem}`,
    };
  // In brackets, so that what follows is never taken for a part of the address.
  const address = `<${redactSecrets(baseUrl, secretQueryValues(baseUrl))}>`;
  const keyState = keyText(provider, key?.name);
  const finding = (level: FindingLevel, ...more: readonly string[]): Finding => ({
    level,
    text: `${name} ${address}${from === undefined ? "" : ` (from ${from})`}: ${[keyState, ...more].join(", ")}`,
  });
  if (key === undefined && keyRequired) return finding(ifConfigured("none"));
  const isLocal = isLoopback(baseUrl);
  if (offline || (key === undefined && !isConfigured && !isLocal))
    return finding(key === undefined && !isConfigured ? "none" : "fine");
  const reach = await reachProvider({ kind, baseUrl, key: key?.value, headers, timeLimitMs });
  const level = reachLevel(reach, ifConfigured);
  if (!isLocal || key !== undefined) return finding(level, reachText(reach, key !== undefined));
  // Nobody has said that there should be one.
  return finding(level === "warning" ? "none" : level, ownServerText(reach));
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

/** A server on this machine runs or does not. */
function ownServerText(reach: Reach): string {
  if (reach.type === "open") return "running";
  return reach.type === "unreachable" && reach.isRefused ? "not running" : reachText(reach, false);
}

function isLoopback(address: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);
}
