import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { isRecord, type JsonObject, withoutUndefined } from "../../../core/values/json.ts";
import type { RunStart } from "../../../engine/journal/run-event.ts";
import { isPostgresAddress, shownStore } from "../../../engine/journal/store/postgres/postgres-address.ts";
import { REDACTED } from "../../../system/secrets/known-secrets.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { isCodeFile } from "../../project/import-module.ts";
import { type FlagValue, parseSetFlag, resolveSettings } from "../../project/resolve-settings.ts";
import { HIDDEN, showSetting } from "../explain-settings.ts";
import type { SettingsRequest } from "../flags.ts";
import { giveConsent, requireConsent } from "./consent.ts";
import { codeEffect, codeEffects, type Effect, settingEffects } from "./project-effects.ts";

/** The command line that started a run. */
export interface RunOrigin {
  /** Files, folders, patterns, packs; those of the project if there are none. */
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  /** The cassette that answered in place of all models. */
  readonly replay?: string | undefined;
  /** The folder of the command, relative to that of the store: both may be moved together. */
  readonly folder?: string;
}

/** The terminal with the folder in which a run was started, so that its file names mean the same again. */
export function terminalOfOrigin(origin: RunOrigin, store: string, terminal: Terminal): Terminal {
  if (origin.folder === undefined) return terminal;
  if (isPostgresAddress(store))
    return existsSync(origin.folder) ? { ...terminal, folder: origin.folder } : terminal;
  return { ...terminal, folder: resolve(dirname(resolve(terminal.folder, store)), origin.folder) };
}

/**
 * The command line as it is stored with a run, without secrets. What it does besides calling models was typed by this user, who is not
 * asked about it when the run is resumed.
 */
export async function keepOrigin(
  { command = "run", names, settings, replay }: RunOrigin & { readonly command?: "run" | "grade" },
  store: string,
  terminal: Terminal,
): Promise<JsonObject> {
  const { flags, sets, profile, config } = settings;
  // A server has no folder.
  const folder = isPostgresAddress(store)
    ? terminal.folder
    : relative(dirname(resolve(terminal.folder, store)), terminal.folder);
  const kept = { flags: flags.map(flagWithoutPassword), sets: sets.map(setWithoutSecrets), profile, config };
  // Words and flags are texts and plain data; what is undefined is left out.
  const origin = JSON.parse(
    JSON.stringify({ command, names, settings: kept, replay, folder }, (_, value: unknown) =>
      typeof value === "string" ? redactSecrets(value) : value,
    ),
  ) as JsonObject & RunOrigin;
  // With a secret missing, it is never used.
  if (!lacksSecrets(origin))
    giveConsent(
      await originEffects(origin, terminal.folder),
      consentFile(store, terminal),
      terminal.environment,
    );
  return origin;
}

/** The address of a store without its password: a resume gives it again. */
function flagWithoutPassword(flag: FlagValue): FlagValue {
  const isStore = flag.path[0] === "store" && typeof flag.value === "string";
  return isStore ? { ...flag, value: shownStore(String(flag.value)) } : flag;
}

/** A value of `--set`; secrets are replaced. */
function setWithoutSecrets(text: string): string {
  const given = parseSetFlag(text);
  if (typeof given === "string") return text;
  const whole = given.path.reduceRight<unknown>((part, key) => ({ [key]: part }), given.value);
  const shown = showSetting(whole);
  const isSecret = HIDDEN.some((word) => shown.includes(word));
  return isSecret ? `${given.flag.replace("--set ", "")}=${REDACTED}` : text;
}

/** True if the stored command line had secrets, which are missing now. */
export function lacksSecrets(origin: RunOrigin): boolean {
  return JSON.stringify(origin).includes(REDACTED);
}

/**
 * Throws a `ProjectError` if a stored command line has effects that this user has not consented to: a store may come from a stranger.
 */
export async function requireOriginConsent(
  origin: RunOrigin,
  store: string,
  { trusts = false, terminal }: { readonly trusts: boolean | undefined; readonly terminal: Terminal },
): Promise<void> {
  const effects = await originEffects(origin, terminalOfOrigin(origin, store, terminal).folder);
  await requireConsent(effects, { projectFile: consentFile(store, terminal), trusts }, terminal);
}

function consentFile(store: string, { folder }: Terminal): string {
  return isPostgresAddress(store) ? shownStore(store) : resolve(folder, store);
}

/** What flags and names of a command do besides calling models. Project files have effects of their own. */
async function originEffects({ names, settings }: RunOrigin, folder: string): Promise<readonly Effect[]> {
  const { flags, sets, config } = settings;
  const project = { settings: {}, profiles: {}, profile: null, lineOf: () => null, file: null, folder };
  const resolved = resolveSettings({ project, folder, flags, sets });
  const code = config !== undefined && isCodeFile(config) ? [codeEffect(resolve(folder, config))] : [];
  return [
    ...settingEffects({ resolved, folder, projectFolder: folder, all: true }),
    ...code,
    ...(await codeEffects(names, folder)),
  ];
}

const COMMANDS: readonly unknown[] = ["run", "grade"];

/** The command line stored with a run, which is data; undefined if the run was imported or started from code. */
export function originOf({ origin }: Pick<RunStart, "origin">): RunOrigin | undefined {
  if (!isRecord(origin) || !COMMANDS.includes(origin.command) || !isRecord(origin.settings)) return undefined;
  const { names, replay, folder } = origin;
  const { flags, sets, profile, config } = origin.settings;
  const isText = (value: unknown): boolean => typeof value === "string";
  const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
  const isPath = (value: unknown): boolean =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part) => isText(part) || typeof part === "number");
  const isFlag = (value: unknown): boolean => isRecord(value) && isText(value.flag) && isPath(value.path);
  const isRight = isTexts(names) && isTexts(sets) && Array.isArray(flags) && flags.every(isFlag);
  const optional = [replay, folder, profile, config];
  if (!isRight || optional.some((value) => value !== undefined && !isText(value))) return undefined;
  // Every part has just been checked; keys that are not known are left out.
  const settings = withoutUndefined({ flags, sets, profile, config });
  return withoutUndefined({ names, settings, replay, folder }) as unknown as RunOrigin;
}

/** The stored settings, overridden by those of the current command. */
export function withOverrides(origin: RunOrigin, current: SettingsRequest): SettingsRequest {
  const { flags, sets, ...rest } = origin.settings;
  const { flags: ownFlags, sets: ownSets, ...others } = current;
  return { ...rest, ...others, flags: [...flags, ...ownFlags], sets: [...sets, ...ownSets] };
}
