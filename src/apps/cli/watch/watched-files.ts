import { existsSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isRecord } from "../../../core/values/json.ts";
import { readTextFile } from "../../../system/files/read-text-file.ts";
import { isCodeFile } from "../../project/import-module.ts";
import { findProjectFile } from "../../project/project-file.ts";
import { findFiles } from "../../project/scenario-files/find-files.ts";
import type { Settings } from "../../project/settings.ts";

/** What is watched. */
export interface WatchedNames {
  /** The folder of the command. */
  readonly folder: string;
  /** Files, folders, patterns and packs with scenarios. */
  readonly names: readonly string[];
  /** A project file that the command names. */
  readonly config?: string | undefined;
  readonly dataset: Settings["dataset"];
}

/** When each watched file was changed, by path; null for a file that does not exist. */
export type FileTimes = ReadonlyMap<string, string | null>;

/** Looks at all watched files: scenarios, the project file, datasets, and the modules that code imports. */
export async function fileTimes({ folder, names, config, dataset }: WatchedNames): Promise<FileTimes> {
  const paths = new Set<string>();
  const project =
    config === undefined ? await findProjectFile(folder).catch(() => null) : resolve(folder, config);
  if (project !== null) for (const path of [project, ...loadedBy(project)]) paths.add(path);
  const rows = isRecord(dataset) ? dataset.file : dataset;
  if (typeof rows === "string") paths.add(resolve(rows));
  const { files } = await findFiles(names, { folder });
  // A file that does not exist yet may be created later.
  for (const name of names) if (/\.[a-z]+$/i.test(name)) paths.add(resolve(folder, name));
  for (const { path, isCode } of files) {
    if (path === null) continue;
    paths.add(path);
    for (const other of isCode ? loadedBy(path) : datasetsIn(path)) paths.add(other);
  }
  return new Map([...paths].sort().map((path) => [path, timeOf(path)]));
}

function timeOf(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? `${stats.mtimeMs} ${stats.size}` : null;
}

/** Relative paths in a module: other modules and files. */
const NAMED_BY_MODULE = /(?:\bfrom|\bimport|\brequire|\bnew URL)\s*\(?\s*(["'`])(\.{1,2}\/[^"'`\n$]+)\1/g;

/** Everything that a module loads by a relative path. Packages do not change while the author works. */
function loadedBy(path: string): Iterable<string> {
  const found = new Set<string>();
  const open = [path];
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    if (!isCodeFile(module)) continue;
    for (const [, , name = ""] of textOf(module).matchAll(NAMED_BY_MODULE)) {
      const other = join(dirname(module), name);
      if (found.has(other)) continue;
      found.add(other);
      open.push(other);
    }
  }
  return found;
}

/** How a file of scenarios names a file with rows. */
const DATASET = /\b(?:dataset|file)["']?:\s*(["']?)([^"'\s{}[\],#][^"'\n{}[\],#]*)\1/g;

/** The files with rows that a file of scenarios names. */
function datasetsIn(path: string): readonly string[] {
  return [...textOf(path).matchAll(DATASET)]
    .map(([, , name = ""]) => resolve(dirname(path), name.trim()))
    .filter((file) => existsSync(file));
}

/** Only of files: a pipe without a writer would be waited for without end. */
function textOf(path: string): string {
  return readTextFile(path, path, { pipes: false }).text ?? "";
}

/** The files that differ, relative to a folder. */
export function changedFiles(before: FileTimes, now: FileTimes, folder: string): readonly string[] {
  const paths = new Set([...before.keys(), ...now.keys()]);
  return [...paths]
    .filter((path) => (before.get(path) ?? null) !== (now.get(path) ?? null))
    .map((path) => relative(folder, path).replaceAll("\\", "/") || path);
}
