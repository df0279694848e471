import { findProjectFile } from "./find-project-file.ts";
import { importModule, isCodeFile } from "./import-module.ts";
import { type ProjectData, parseProjectFile, readProjectConfig } from "./parse-project-file.ts";
import { ProjectError } from "./project-error.ts";
import { readTextFile } from "./read-text-file.ts";

/** The project that a command is given in. */
export interface Project extends ProjectData {
  /** The project file as one writes it where the command is given; null if there is none. */
  readonly file: string | null;
  /** The folder of the project file, or the one where the command is given: what paths in the file are relative to. */
  readonly folder: string;
  /** A project file that is code, and was not run since nobody named it. */
  readonly unread?: string;
}

/** Finds and reads the project file; `file` is one that the person named instead. Throws a `ProjectError`. */
export async function loadProject(options: {
  /** The folder where the command is given. */
  readonly folder: string;
  readonly file?: string | undefined;
  /** True to run a project file that is code, though nobody named it (default false). */
  readonly runsCode?: boolean;
}): Promise<Project> {
  const { resolve, relative, dirname, isAbsolute } = await import("node:path");
  const { folder, file: named } = options;
  const path = named === undefined ? await findProjectFile(folder) : resolve(folder, named);
  const nothing = { settings: {}, profiles: {}, profile: null, lineOf: () => null };
  const none = { ...nothing, file: null, folder: resolve(folder) };
  if (path === null) return none;
  const file =
    named !== undefined && isAbsolute(named) ? named : relative(folder, path).replaceAll("\\", "/");
  if (isCodeFile(path) && named === undefined && options.runsCode !== true) return { ...none, unread: file };
  const data = isCodeFile(path) ? await runConfig(path, file) : readConfig(path, file);
  return { ...data, file, folder: dirname(path) };
}

function readConfig(path: string, file: string): ProjectData {
  const { text, problem } = readTextFile(path, file);
  if (problem !== undefined) throw new ProjectError([problem]);
  return parseProjectFile(text, file);
}

async function runConfig(path: string, file: string): Promise<ProjectData> {
  const loaded = await importModule(path, file);
  if (loaded.problem !== undefined) throw new ProjectError([loaded.problem], { cause: loaded.cause });
  if (loaded.exports.config === undefined)
    throw new ProjectError([`${file} exports no "config"; write: export const config = { … }`]);
  return readProjectConfig(loaded.exports.config, file);
}
