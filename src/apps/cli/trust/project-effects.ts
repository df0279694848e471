import { isAbsolute, relative, resolve } from "node:path";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { formatPath } from "../../../core/schema/format-issue.ts";
import type { IssuePath } from "../../../core/schema/issue.ts";
import { isRecord } from "../../../core/values/json.ts";
import { isPostgresAddress, shownStore } from "../../../engine/journal/store/postgres/postgres-address.ts";
import { findProvider } from "../../../engine/models/providers/provider.ts";
import { type ToolServer, variablesIn } from "../../../engine/models/tools/resolve-tool-servers.ts";
import { isAddress } from "../../../engine/run/resolve-models.ts";
import { realPath } from "../../../system/files/read-text-file.ts";
import { shellWord } from "../../../system/terminal/printable-text.ts";
import type { ResolvedSettings } from "../../project/resolve-settings.ts";
import { findFiles } from "../../project/scenario-files/find-files.ts";

/** Something that settings make a command do, other than calling models at the addresses of their providers. */
export interface Effect {
  /** What would be done, exactly: `start the program …`, `send OPENAI_API_KEY to …`. */
  readonly text: string;
  /** What consent is given to; if it changes, consent is asked for again. */
  readonly content: unknown;
  /** The provider it is about, if it is about one. */
  readonly provider?: string;
  /** True if it is about the store. */
  readonly isStore?: boolean;
}

/** What effects are looked for in. */
interface EffectSources {
  readonly resolved: ResolvedSettings;
  /** The folder where the command is given. */
  readonly folder: string;
  /** The folder of the project file: writing inside of it needs no consent. */
  readonly projectFolder: string;
  /** True to include settings of the command line (default: only those of the project file). */
  readonly all?: boolean;
}

/** The effects of settings that need a person's consent, if they come from a file. */
export function settingEffects(sources: EffectSources): readonly Effect[] {
  const { tools } = sources.resolved.settings;
  return [
    ...Object.entries(tools)
      .filter(([name]) => isListed(sources, ["tools", name]))
      .map(([name, server]) => toolEffect(name, server, sources.folder)),
    ...providerEffects(sources),
    ...modelEffects(sources),
    ...outputEffects(sources, "junit"),
    ...storeEffects(sources),
    ...datasetEffects(sources),
  ];
}

/** A value of unknown origin counts as one of the file. */
function isListed({ resolved, all = false }: EffectSources, path: IssuePath): boolean {
  return all || resolved.entries.get(formatPath(path))?.isFromFile !== false;
}

function toolEffect(name: string, server: ToolServer, folder: string): Effect {
  const label = `tool server "${name}"`;
  if ("url" in server) {
    const headers = Object.entries(server.headers ?? {}).map(([header, value]) => {
      const variables = variablesIn(value).join(" and ");
      return variables === "" ? header : `${header} with ${variables} of your environment`;
    });
    const sent = headers.length === 0 ? "" : `, and send it the ${several("header", headers)}`;
    const text = `connect to ${shownAddress(server.url)} (${label})${sent}`;
    return { text, content: { tool: name, ...server } };
  }
  const { command, args = [], env = {} } = server;
  const cwd = resolve(folder, server.cwd ?? ".");
  const given = Object.entries(env).map(([variable, value]) => `${variable}=${value}`);
  const set = given.length === 0 ? "" : `, with the ${several("variable", given)}`;
  const program = [command, ...args].map(shellWord).join(" ");
  const text = `start the program: ${program} (${label}, in ${cwd}${set})`;
  return { text, content: { tool: name, command, args, env, cwd } };
}

/** An address as it is used, not as it is written: letters that look like others, and signs that a reader overlooks, show. */
function shownAddress(address: string): string {
  return URL.canParse(address) ? new URL(address).href : address;
}

function several(what: string, items: readonly string[]): string {
  return `${what}${items.length === 1 ? "" : "s"} ${items.join(", ")}`;
}

/** A key goes to its provider's own address, or to one that the environment or the command names; everything else is an effect. */
function providerEffects(sources: EffectSources): readonly Effect[] {
  const { providers } = sources.resolved.settings;
  return Object.entries(providers).flatMap(([name, { baseUrl, apiKeyVariable, kind }]): readonly Effect[] => {
    const has = (key: "baseUrl" | "apiKeyVariable" | "kind"): boolean =>
      providers[name]?.[key] !== undefined && isListed(sources, ["providers", name, key]);
    const found = findProvider(name, providers);
    const keys = found?.keyVariables ?? [];
    const redirects = baseUrl !== undefined && (has("baseUrl") || has("kind"));
    const names = typeof apiKeyVariable === "string" && has("apiKeyVariable");
    if (!redirects && !names) return [];
    const address = shownAddress(baseUrl ?? found?.baseUrl ?? "the address in your environment");
    const text =
      keys.length === 0
        ? `send conversations of ${name} to ${address}`
        : `send ${keys.join(" or ")} of your environment to ${address} (provider "${name}")`;
    return [{ text, content: { provider: name, baseUrl, apiKeyVariable, kind }, provider: name }];
  });
}

/** Models that are addresses: whole conversations go there, with the rows of datasets. */
function modelEffects(sources: EffectSources): readonly Effect[] {
  const { subjects, judges, simulator } = sources.resolved.settings;
  return Object.entries({ subjects, judges, simulator })
    .filter(([key]) => isListed(sources, [key]))
    .flatMap(([key, options]) =>
      addressesIn(options).map((address) => ({
        text: `send conversations and rows to ${shownAddress(address)} (${key})`,
        content: { model: key, address },
      })),
    );
}

/** The models among options that are addresses. */
export function addressesIn(option: unknown): readonly string[] {
  if (typeof option === "string") return isAddress(option) ? [option] : [];
  if (Array.isArray(option)) return option.flatMap(addressesIn);
  return isRecord(option) ? [...addressesIn(option.model), ...addressesIn(option.panel)] : [];
}

/** The addresses that the nodes of a scenario name, and what would be sent to each. */
export function addressEffects({
  name,
  nodes,
}: ScenarioDefinition): readonly (Effect & { readonly address: string })[] {
  return Object.entries(nodes).flatMap(([id, { modelOverride, user }]) => {
    const sent = {
      "the conversation so far": modelOverride?.subject,
      "the question and the reply": modelOverride?.judge,
      "the conversation and what the user knows": user?.simulator,
    };
    return Object.entries(sent).flatMap(([what, model]) =>
      addressesIn(model).map((address) => ({
        text: `send ${what}, with values of rows, to ${shownAddress(address)} (node "${id}" of scenario "${name}")`,
        content: { scenario: name, node: id, what, address },
        address,
      })),
    );
  });
}

/** A store on a server, to which the password in `PGPASSWORD` goes, or outside of the project. */
export function storeEffects(sources: EffectSources): readonly Effect[] {
  const { store } = sources.resolved.settings;
  if (!isPostgresAddress(store)) return outputEffects(sources, "store");
  if (!isListed(sources, ["store"])) return [];
  const text = `keep runs on the server ${shownStore(store)}`;
  return [{ text, content: { writes: "store", address: store }, isStore: true }];
}

/** A file that is written outside of the project. */
function outputEffects(sources: EffectSources, key: "junit" | "store"): readonly Effect[] {
  const { resolved, folder, projectFolder, all = false } = sources;
  const value = resolved.settings[key];
  if (value === undefined || !isListed(sources, [key])) return [];
  const path = resolve(folder, value);
  if (!(all && key === "junit") && isInside(path, projectFolder)) return [];
  const what = key === "junit" ? "JUnit report" : "store of runs";
  const text = `write the file ${path} (${what})`;
  return [{ text, content: { writes: key, path }, isStore: key === "store" }];
}

/** Rows of a file outside of the project, or behind a link that leaves it: they are sent to models. */
function datasetEffects(sources: EffectSources): readonly Effect[] {
  const { resolved, folder, projectFolder } = sources;
  const { dataset } = resolved.settings;
  const file = typeof dataset === "string" ? dataset : isRecord(dataset) ? dataset.file : undefined;
  const isOfFile = isListed(sources, ["dataset"]) && isListed(sources, ["dataset", "file"]);
  if (typeof file !== "string" || !isOfFile) return [];
  const path = realPath(resolve(folder, file));
  if (isInside(path, realPath(projectFolder))) return [];
  return [{ text: `send rows of the file ${path} to models (dataset)`, content: { reads: "dataset", path } }];
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}

/** The modules among files of scenarios, which run when they are read. */
export async function codeEffects(names: readonly string[], folder: string): Promise<readonly Effect[]> {
  const { files } = await findFiles(names, { folder });
  return files.flatMap(({ path, isCode }) => (isCode && path !== null ? [codeEffect(path)] : []));
}

/** Running a file. By its path, not its content: its author changes it every day, and it may import any other file. */
export function codeEffect(path: string): Effect {
  return { text: `run the code in ${path}`, content: { code: path } };
}
