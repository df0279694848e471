import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { isRecord, type JsonObject, type UnknownRecord } from "../../core/values/json.ts";
import type { RunStart } from "../../journal/run-event.ts";
import { isPostgresAddress, shownStore } from "../../journal/store/postgres/postgres-address.ts";
import { type FlagValue, parseSetFlag } from "../../project/resolve-settings.ts";
import { REDACTED } from "../../secrets/known-secrets.ts";
import { redactSecrets } from "../../secrets/redact-secrets.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { SettingsRequest } from "../read-settings.ts";
import { HIDDEN, showSetting } from "./explain-settings.ts";

/** How a run was asked for on the command line. */
export interface RunOrigin {
  /** Files, folders, patterns, packs; those of the project if there are none. */
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  /** The cassette that answered in place of all models. */
  readonly replay?: string | undefined;
  /** The folder where the command was given, as seen from that of the store: the two may move together. */
  readonly folder?: string;
}

/** Where a command was given, for a run that is kept in a store. */
export function folderFromStore(store: string, { folder }: Terminal): string {
  // A server has no folder.
  if (isPostgresAddress(store)) return folder;
  return relative(dirname(resolve(folder, store)), folder);
}

/** The terminal as if it stood where a run was asked for, so that its words mean the same again. */
export function whereAsked(origin: RunOrigin, store: string, terminal: Terminal): Terminal {
  if (origin.folder === undefined) return terminal;
  if (isPostgresAddress(store))
    return existsSync(origin.folder) ? { ...terminal, folder: origin.folder } : terminal;
  return { ...terminal, folder: resolve(dirname(resolve(terminal.folder, store)), origin.folder) };
}

/** What a run keeps of how it was asked for: the words of the command, without secrets. */
export function originToKeep({ names, settings, replay, folder }: RunOrigin): JsonObject {
  // Words and flags are texts and plain data; what is undefined is left out.
  const { flags, sets, profile, config } = settings;
  const kept = { flags: flags.map(openFlag), sets: sets.map(openSet), profile, config };
  return JSON.parse(
    JSON.stringify({ command: "run", names, settings: kept, replay, folder }, withoutSecrets),
  ) as JsonObject;
}

/** The address of a store without its password: who resumes the run says where it is. */
function openFlag(flag: FlagValue): FlagValue {
  const isStore = flag.path[0] === "store" && typeof flag.value === "string";
  return isStore ? { ...flag, value: shownStore(String(flag.value)) } : flag;
}

/** What `--set` was given; whatever would not be shown is not kept. */
function openSet(text: string): string {
  const given = parseSetFlag(text);
  if (typeof given === "string") return text;
  const { flag, path, value } = given;
  const whole = path.reduceRight<unknown>((part, key) => ({ [key]: part }), value);
  const shown = showSetting(whole);
  return HIDDEN.some((word) => shown.includes(word)) ? `${flag.replace("--set ", "")}=${REDACTED}` : text;
}

function withoutSecrets(_key: string, value: unknown): unknown {
  return typeof value === "string" ? redactSecrets(value) : value;
}

/** True if secrets were left out of what was kept. */
export function lacksSecrets(origin: RunOrigin): boolean {
  return JSON.stringify(origin).includes(REDACTED);
}

const ASKED_WITH: readonly unknown[] = ["run", "grade"];

/**
 * How a run says that it was asked for; undefined if it was not begun on the command line. It is data, which anybody may have written:
 * only `usableOrigin` decides whether it is used.
 */
export function originOf({ origin }: RunStart): RunOrigin | undefined {
  if (!isRecord(origin) || !ASKED_WITH.includes(origin.command) || !isRecord(origin.settings))
    return undefined;
  const { names, replay, folder } = origin;
  const { flags, sets, profile, config } = origin.settings;
  const isRight = isTexts(names) && isTexts(sets) && Array.isArray(flags) && flags.every(isFlagValue);
  if (!isRight || ![replay, folder, profile, config].every(isTextOrNothing)) return undefined;
  // Every part has just been checked; keys that are not known are left out.
  const settings = defined({ flags, sets, profile, config }) as unknown as SettingsRequest;
  return defined({ names, settings, replay, folder }) as unknown as RunOrigin;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isFlagValue(value: unknown): boolean {
  if (!isRecord(value) || typeof value.flag !== "string" || !Array.isArray(value.path)) return false;
  return value.path.length > 0 && value.path.every((part) => ["string", "number"].includes(typeof part));
}

function defined(parts: UnknownRecord): UnknownRecord {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

/** The same with more said: what is said later counts. */
export function withMore(origin: RunOrigin, more: SettingsRequest): SettingsRequest {
  const { flags, sets, ...rest } = origin.settings;
  const { flags: moreFlags, sets: moreSets, ...others } = more;
  return { ...rest, ...others, flags: [...flags, ...moreFlags], sets: [...sets, ...moreSets] };
}
