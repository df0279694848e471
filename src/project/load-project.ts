import { readTextFile } from "../files/read-text-file.ts";
import { importModule, isCodeFile } from "./import-module.ts";
import { type ProjectData, parseProjectFile, readProjectConfig } from "./parse-project-file.ts";
import { ProjectError } from "./project-error.ts";

/** The project of a command: its project file, read. */
export interface Project extends ProjectData {
  /** The project file, relative to the folder of the command; null if there is none. */
  readonly file: string | null;
  /** The folder of the project file, or else that of the command: paths in the file are relative to it. */
  readonly folder: string;
  /** A project file that is code and was not run, because the command did not name it. */
  readonly unread?: string;
}

/** Finds and reads the project file; `file` is one that the person named instead. Throws a `ProjectError`. */
export async function loadProject(options: {
  /** The folder of the command. */
  readonly folder: string;
  readonly file?: string | undefined;
  /** True to run a project file that is code without being named (default false). */
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

/** The names of project files; the last three are code, which runs when it is read. */
export const PROJECT_FILES: readonly string[] = ["yaml", "yml", "json", "ts", "js", "mjs"].map(
  (extension) => `elenchus.config.${extension}`,
);

/**
 * The project file for a folder: in the folder itself or the nearest one above it. The search ends at the first folder with a
 * `.git`, or at the root of the file system, so that nothing outside of a repository is ever run.
 * Null if there is none; throws a `ProjectError` if a folder has several.
 */
export async function findProjectFile(folder: string): Promise<string | null> {
  const { resolve, dirname, join } = await import("node:path");
  const { existsSync, statSync } = await import("node:fs");
  for (let current = resolve(folder); ; current = dirname(current)) {
    const found = PROJECT_FILES.filter((name) =>
      statSync(join(current, name), { throwIfNoEntry: false })?.isFile(),
    );
    if (found.length > 1) {
      const names = `${found.slice(0, -1).join(", ")} and ${found.at(-1)}`;
      throw new ProjectError([`${current} has ${names}; keep one of them.`]);
    }
    if (found[0] !== undefined) return join(current, found[0]);
    if (existsSync(join(current, ".git")) || dirname(current) === current) return null;
  }
}
