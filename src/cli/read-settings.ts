import { nearestOf } from "../core/schema/nearest-name.ts";
import { isRecord } from "../core/values/json.ts";
import { loadProject } from "../project/load-project.ts";
import { ProjectError } from "../project/project-error.ts";
import { type FlagValue, type ResolvedSettings, resolveSettings } from "../project/resolve-settings.ts";
import type { JudgeOption, SubjectOption } from "../run/run-options.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** What a person says about settings on the command line. */
export interface SettingsRequest {
  readonly profile?: string;
  /** Another project file than the one that is found. */
  readonly config?: string;
  readonly flags: readonly FlagValue[];
  /** What `--set` was given. */
  readonly sets: readonly string[];
}

/**
 * The settings that hold: flags before the profile before the project file before defaults. A project file that is code is run
 * by commands that run things; others, which one may use to look at what strangers wrote, only say that they did not.
 */
export async function readSettings(
  request: SettingsRequest,
  terminal: Terminal,
  { runsCode = false }: { readonly runsCode?: boolean } = {},
): Promise<ResolvedSettings> {
  const { folder } = terminal;
  const { profile, config, flags, sets } = request;
  const project = await loadProject({ folder, file: config, runsCode });
  if (project.unread !== undefined)
    terminal.messages.write(
      `${project.unread} is code, which this command does not run unless it is named: --config ${project.unread}\n`,
    );
  const sources = { project, folder, profile };
  const { subjects, judges } = resolveSettings(sources).settings;
  const known: Readonly<Record<string, readonly (SubjectOption | JudgeOption)[]>> = { subjects, judges };
  const named = flags.map((flag) => {
    const options = known[String(flag.path[0])];
    if (options === undefined || flag.path.length > 1 || !Array.isArray(flag.value)) return flag;
    return { ...flag, value: flag.value.map((name: unknown) => optionNamed(name, options)) };
  });
  return resolveSettings({ ...sources, flags: named, sets });
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
  throw new ProjectError([`The project file describes no model "${name}". Did you mean "${nearest}"?`]);
}

function isModelName(name: string): boolean {
  return name.includes("/") || name === "person" || name === "rules";
}
