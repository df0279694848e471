import type { Environment } from "../../core/environment.ts";
import { ModelError } from "../model-error.ts";
import type { KnownProvider } from "./provider.ts";

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
      `${provider.name}: ${where} holds a user name or password. Give a key in an environment variable instead.`,
    );
  }
  if (provider.name === "ollama" && url.port === "" && !given.includes("://")) url.port = "11434";
  const rootMeansVersion = provider.name === "ollama" || provider.kind === "anthropic";
  if (rootMeansVersion && url.pathname === "/") url.pathname = "/v1";
  return url.href.replace(/\/+$/, "");
}
