import { dirname, relative, resolve } from "node:path";
import { nearestOf } from "../core/schema/nearest-name.ts";
import { isRecord } from "../core/values/json.ts";
import { isCodeFile } from "../project/import-module.ts";
import { findProjectFile, loadProject } from "../project/load-project.ts";
import { ProjectError } from "../project/project-error.ts";
import { type FlagValue, type ResolvedSettings, resolveSettings } from "../project/resolve-settings.ts";
import type { Settings } from "../project/settings.ts";
import type { JudgeOption, SubjectOption } from "../run/run-options.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { requireConsent } from "./trust/consent.ts";
import { codeEffect, codeEffects, type Effect, settingEffects } from "./trust/project-effects.ts";

/** What a person says about settings on the command line. */
export interface SettingsRequest {
  readonly profile?: string;
  /** Another project file than the one that is found. */
  readonly config?: string;
  readonly flags: readonly FlagValue[];
  /** What `--set` was given. */
  readonly sets: readonly string[];
  /** True if the person consents to all that the project file asks for. Never kept with a run. */
  readonly trusts?: boolean;
}

/** What a command does with the settings it reads. */
export interface SettingsUse {
  /** True to run a project file that is code, though the command does not name it (default false). */
  readonly runsCode?: boolean;
  /**
   * What of the project file is used, which needs consent where it starts programs, sends keys elsewhere, runs code or writes outside
   * of the project: all of it, or its scenarios only (default: neither, settings are only looked at).
   */
  readonly uses?: "everything" | "scenarios";
  /** The scenarios that the command names; those of the project file are used if there are none. */
  readonly names?: readonly string[];
}

/**
 * The settings that hold: flags before the profile before the project file before defaults. A project file that is code is run
 * by commands that run things, with consent; others, which one may use to look at what strangers wrote, only say that they did not.
 */
export async function readSettings(
  request: SettingsRequest,
  terminal: Terminal,
  { runsCode = false, uses, names = [] }: SettingsUse = {},
): Promise<ResolvedSettings> {
  const { folder } = terminal;
  const { profile, config, flags, sets, trusts = false } = request;
  if (runsCode && config === undefined) await requireConsentToCode(trusts, terminal);
  const project = await loadProject({ folder, file: config, runsCode });
  if (project.unread !== undefined)
    terminal.messages.write(
      `${project.unread} is code, and this command runs it only if you name it: --config ${project.unread}\n`,
    );
  const sources = { project, folder, profile };
  const { subjects, judges } = resolveSettings(sources).settings;
  const known: Readonly<Record<string, readonly (SubjectOption | JudgeOption)[]>> = { subjects, judges };
  const named = [...variableFlags(terminal), ...flags].map((flag) => {
    const options = known[String(flag.path[0])];
    if (options === undefined || flag.path.length > 1 || !Array.isArray(flag.value)) return flag;
    return { ...flag, value: flag.value.map((name: unknown) => optionNamed(name, options)) };
  });
  const resolved = resolveSettings({ ...sources, flags: named, sets });
  if (uses !== undefined && project.file !== null && !isCodeFile(project.file)) {
    const projectFile = resolve(folder, project.file);
    const effects = await effectsOfProject(resolved, { projectFile, folder, uses, names });
    await requireConsent(effects, { projectFile, trusts }, terminal);
  }
  return { ...resolved, settings: withDatasetHere(resolved.settings, folder) };
}

/** The variable that says where runs are stored: before the project file, after a flag. */
const STORE_VARIABLE = "ELENCHUS_STORE";

function variableFlags({ environment }: Terminal): readonly FlagValue[] {
  const store = environment[STORE_VARIABLE];
  return store === undefined || store === "" ? [] : [{ flag: STORE_VARIABLE, path: ["store"], value: store }];
}

/** A dataset is named from the folder of the command, and read from that of the process. */
function withDatasetHere(settings: Settings, folder: string): Settings {
  const { dataset } = settings;
  const here = (file: string): string => relative(process.cwd(), resolve(folder, file)) || file;
  if (typeof dataset === "string") return { ...settings, dataset: here(dataset) };
  if (!isRecord(dataset) || typeof dataset.file !== "string") return settings;
  return { ...settings, dataset: { ...dataset, file: here(dataset.file) } };
}

/** A project file that is code, and that the command does not name, runs only with consent: the folder may be a stranger's. */
async function requireConsentToCode(trusts: boolean, terminal: Terminal): Promise<void> {
  const projectFile = await findProjectFile(terminal.folder);
  if (projectFile !== null && isCodeFile(projectFile))
    await requireConsent([codeEffect(projectFile)], { projectFile, trusts }, terminal);
}

async function effectsOfProject(
  resolved: ResolvedSettings,
  {
    projectFile,
    folder,
    uses,
    names,
  }: Required<Pick<SettingsUse, "uses" | "names">> & {
    readonly projectFile: string;
    readonly folder: string;
  },
): Promise<readonly Effect[]> {
  const { settings, entries } = resolved;
  const usesScenarios = names.length === 0 && entries.get("scenarios")?.isFromFile === true;
  return [
    ...(uses === "everything"
      ? settingEffects({ resolved, folder, projectFolder: dirname(projectFile) })
      : []),
    ...(usesScenarios ? await codeEffects(settings.scenarios, folder) : []),
  ];
}

/** A flag may name a model that the project file describes, with its parameters. */
function optionNamed(name: unknown, options: readonly (SubjectOption | JudgeOption)[]): unknown {
  const names = options.flatMap((option) =>
    isRecord(option) && option.name !== undefined ? [String(option.name)] : [],
  );
  const found = options.find((option) => isRecord(option) && option.name === name);
  if (found !== undefined || typeof name !== "string" || isModelName(name)) return found ?? name;
  const { nearest } = nearestOf(name, names);
  if (nearest === undefined) return name;
  throw new ProjectError([`The project file has no model "${name}". Did you mean "${nearest}"?`]);
}

function isModelName(name: string): boolean {
  return name.includes("/") || name === "person" || name === "rules";
}
