import { dirname, relative, resolve } from "node:path";
import { RULES_JUDGE, SELF_JUDGE } from "../../core/defaults.ts";
import { nearestOf } from "../../core/schema/nearest-name.ts";
import { isRecord } from "../../core/values/json.ts";
import type { JudgeOption, SubjectOption } from "../../engine/run/run-options.ts";
import type { Terminal } from "../../system/terminal/terminal.ts";
import { isCodeFile } from "../project/import-module.ts";
import { ProjectError } from "../project/project-error.ts";
import { findProjectFile, loadProject } from "../project/project-file.ts";
import { type FlagValue, type ResolvedSettings, resolveSettings } from "../project/resolve-settings.ts";
import type { Settings } from "../project/settings.ts";
import type { SettingsRequest } from "./flags.ts";
import { requireConsent } from "./trust/consent.ts";
import { codeEffect, codeEffects, settingEffects, storeEffects } from "./trust/project-effects.ts";

/** What a command does with the settings it reads. */
interface SettingsUse {
  /** True to run a project file that is code, though the command does not name it (default false). */
  readonly runsCode?: boolean;
  /**
   * The parts of the project file that take effect besides its store: all, or its scenarios only (default: none, settings are only
   * shown). Starting programs, sending keys to other addresses, running code and writing outside of the project need consent.
   */
  readonly uses?: "everything" | "scenarios";
  /** False if the command does not open the store, or asks for consent itself (default true). */
  readonly opensStore?: boolean;
  /** The scenarios that the command names; those of the project file are used if there are none. */
  readonly names?: readonly string[];
}

/**
 * Resolves settings: flags override the profile, the profile overrides the project file, the file overrides defaults. A project file that
 * is code runs only with consent, and only in commands that run scenarios; other commands print that they did not run it.
 */
export async function readSettings(
  request: SettingsRequest,
  terminal: Terminal,
  { runsCode = false, uses, opensStore = true, names = [] }: SettingsUse = {},
): Promise<ResolvedSettings> {
  const { folder } = terminal;
  const { profile, config, flags, sets, trusts = false } = request;
  if (runsCode && config === undefined) {
    // A project file that is code and was not named with `--config` runs only with consent: the folder may come from somebody else.
    const projectFile = await findProjectFile(folder);
    if (projectFile !== null && isCodeFile(projectFile))
      await requireConsent([codeEffect(projectFile)], { projectFile, trusts }, terminal);
  }
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
  if (project.file !== null && !isCodeFile(project.file)) {
    const projectFile = resolve(folder, project.file);
    const effectSources = { resolved, folder, projectFolder: dirname(projectFile) };
    const usesScenarios =
      uses !== undefined && names.length === 0 && resolved.entries.get("scenarios")?.isFromFile === true;
    const effects = [
      ...(uses === "everything"
        ? settingEffects(effectSources)
        : opensStore
          ? storeEffects(effectSources)
          : []),
      ...(usesScenarios ? await codeEffects(resolved.settings.scenarios, folder) : []),
    ];
    await requireConsent(effects, { projectFile, trusts, isAboutStore: uses === undefined }, terminal);
  }
  return { ...resolved, settings: withDatasetHere(resolved.settings, folder) };
}

/** The variable with the path of the store: overrides the project file, is overridden by the flag. */
const STORE_VARIABLE = "ELENCHUS_STORE";

function variableFlags({ environment }: Terminal): readonly FlagValue[] {
  const store = environment[STORE_VARIABLE];
  return store === undefined || store === "" ? [] : [{ flag: STORE_VARIABLE, path: ["store"], value: store }];
}

/** The path of a dataset is relative to the folder of the command; it is read from the folder of the process. */
function withDatasetHere(settings: Settings, folder: string): Settings {
  const { dataset } = settings;
  const here = (file: string): string => relative(process.cwd(), resolve(folder, file)) || file;
  if (typeof dataset === "string") return { ...settings, dataset: here(dataset) };
  if (!isRecord(dataset) || typeof dataset.file !== "string") return settings;
  return { ...settings, dataset: { ...dataset, file: here(dataset.file) } };
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
  return name.includes("/") || ["person", RULES_JUDGE, SELF_JUDGE].includes(name);
}

/** Throws if no model is named. */
export function requireSubjects({ subjects }: Settings): void {
  if (subjects.length > 0) return;
  throw new ProjectError([
    "No model to test. Name one, for example --subject openai/gpt-5-mini or --subject ollama/llama3.2. To try it without a real model: --subject sim/sycophant",
  ]);
}
