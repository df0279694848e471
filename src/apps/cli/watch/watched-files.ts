import { createHash } from "node:crypto";
import { existsSync, type FSWatcher, statSync, watch } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isRecord } from "../../../core/values/json.ts";
import { readBytes, readTextFile } from "../../../system/files/read-text-file.ts";
import { isCodeFile } from "../../project/import-module.ts";
import { findProjectFile } from "../../project/project-file.ts";
import { findFiles } from "../../project/scenario-files/find-files.ts";
import { parseYamlText } from "../../project/scenario-files/yaml-text.ts";
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

/** The hash of every watched file, by path; null for a file that does not exist. */
export type FileContents = ReadonlyMap<string, string | null>;

/** Reads all watched files: scenarios, the project file, datasets, and the modules that code imports. */
export async function fileContents(watched: WatchedNames): Promise<FileContents> {
  const { folder, names, config, dataset } = watched;
  const paths = new Set<string>();
  const project =
    config === undefined ? await findProjectFile(folder).catch(() => null) : resolve(folder, config);
  if (project !== null) {
    paths.add(project);
    for (const other of loadedBy(project)) paths.add(other);
  }
  const named = fileOf(dataset);
  if (named !== undefined) paths.add(resolve(named));
  const { files } = await findFiles(names, { folder });
  // A file that does not exist yet may be created later.
  for (const name of names)
    if (!name.startsWith("pack:") && !/[*?[{]/.test(name) && name !== "-")
      addIfFile(paths, resolve(folder, name));
  for (const { path, isCode } of files) {
    if (path === null) continue;
    paths.add(path);
    for (const other of isCode ? loadedBy(path) : datasetsIn(path)) paths.add(other);
  }
  return new Map([...paths].sort().map((path) => [path, hashOf(path)]));
}

function addIfFile(paths: Set<string>, path: string): void {
  if (!existsSync(path) || /\.[a-z]+$/i.test(path)) paths.add(path);
}

/** To read a larger file every second would take all the time; when it was changed says enough. */
const LARGEST_READ = 20_000_000;

function hashOf(path: string): string | null {
  try {
    const { size, mtimeMs } = statSync(path);
    if (size > LARGEST_READ) return `${size} ${mtimeMs}`;
    const read = readBytes(path, path, { pipes: false });
    return "problem" in read ? null : createHash("sha256").update(read.bytes).digest("base64");
  } catch {
    return null;
  }
}

/** Relative paths in a module: other modules and files. */
const NAMED_BY_MODULE = /(?:\bfrom|\bimport|\brequire|\bnew URL)\s*\(?\s*(["'`])(\.{1,2}\/[^"'`\n$]+)\1/g;
const MOST_MODULES = 1_000;

/** Everything that a module loads by a relative path. Packages do not change while the author works. */
function loadedBy(path: string): Iterable<string> {
  const found = new Set<string>();
  const open = [path];
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    if (!isCodeFile(module) || found.size >= MOST_MODULES) continue;
    const folder = dirname(module);
    for (const [, , name = ""] of textOf(module).matchAll(NAMED_BY_MODULE)) {
      const other = join(folder, name);
      if (found.has(other)) continue;
      found.add(other);
      open.push(other);
    }
  }
  return found;
}

/** Only of files: a pipe without a writer would be waited for without end. */
function textOf(path: string): string {
  return readTextFile(path, path, { pipes: false }).text ?? "";
}

/** The datasets that a file of scenarios names; none of a file that cannot be read. */
function datasetsIn(path: string): readonly string[] {
  try {
    const { value } = parseYamlText(textOf(path));
    const { scenarios = [value] } = (isRecord(value) ? value : {}) as { readonly scenarios?: unknown };
    const list = Array.isArray(scenarios) ? scenarios : [scenarios];
    return list.flatMap((scenario) => {
      const file = isRecord(scenario) ? fileOf(scenario.dataset) : undefined;
      return file === undefined ? [] : [resolve(dirname(path), file)];
    });
  } catch {
    return [];
  }
}

function fileOf(dataset: unknown): string | undefined {
  if (typeof dataset === "string") return dataset;
  return isRecord(dataset) && typeof dataset.file === "string" ? dataset.file : undefined;
}

/** The files that differ, relative to a folder. */
export function changedFiles(before: FileContents, now: FileContents, folder: string): readonly string[] {
  const paths = new Set([...before.keys(), ...now.keys()]);
  return [...paths]
    .filter((path) => (before.get(path) ?? null) !== (now.get(path) ?? null))
    .map((path) => relative(folder, path).replaceAll("\\", "/") || path);
}

/** Editors write a file in several steps. */
const DEBOUNCE_MS = 60;
/** Some file systems report no changes. */
const POLL_MS = 1_000;

/**
 * Calls back after a change in the folders of files, and sometimes without one. Folders are watched, not files: editors replace files, and a
 * deleted file may come back. Returns a function that stops watching.
 */
export function watchFolders(paths: Iterable<string>, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, DEBOUNCE_MS);
  };
  const watchers = [...new Set([...paths].map(dirname))].flatMap((folder): readonly FSWatcher[] => {
    try {
      const watcher = watch(folder, soon);
      // Polling notices a folder that was deleted.
      watcher.on("error", () => watcher.close());
      return [watcher];
    } catch {
      return [];
    }
  });
  const poll = setInterval(onChange, POLL_MS);
  return () => {
    clearTimeout(timer);
    clearInterval(poll);
    for (const watcher of watchers) watcher.close();
  };
}
