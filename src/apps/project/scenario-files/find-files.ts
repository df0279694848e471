import type { Stats } from "node:fs";
import { nameHint, nearestOf } from "../../../core/schema/nearest-name.ts";
import { isRecord } from "../../../core/values/json.ts";
import { fileProblem, readTextFile, realPath, specialKind } from "../../../system/files/read-text-file.ts";
import { isCodeFile } from "../import-module.ts";
import { bundledExamples, bundledPacks, packageFolder, packsFolder } from "../package-files.ts";
import type { FileProblem } from "../project-error.ts";
import { parseYamlText } from "./yaml-text.ts";

/** A file with scenarios. */
export interface FoundFile {
  /** Absolute; null for standard input. */
  readonly path: string | null;
  /** As the user writes it. */
  readonly name: string;
  /** True for a module that the user named: it is run. */
  readonly isCode: boolean;
}

/** The files of some names, and the names that are wrong. */
interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly problems: readonly FileProblem[];
  /** Messages about pipes, devices and sockets among the files, which were not opened, and about examples. */
  readonly skipped: readonly string[];
}

/** Where names are looked for. */
interface SearchOptions {
  readonly folder: string;
  /** Where packs are, instead of in this package. */
  readonly packs?: string;
}

/** A file or folder: its absolute path, and its name as the user writes it. */
interface NamedPath {
  readonly path: string;
  readonly name: string;
}

/**
 * The files that a user names: files, folders, patterns (`*`, `**`, `?`, `[…]`, `{…}`), `-` for standard input, `pack:…` for a
 * bundled pack. In the order of the names, each file once. Modules must be named themselves, or by a pattern with their extension.
 */
export async function findFiles(names: readonly string[], options: SearchOptions): Promise<FoundFiles> {
  const files = new Map<string, FoundFile>();
  const problems: FileProblem[] = [];
  const skipped = new Set<string>();
  for (const name of names) {
    const found = await findNamed(name, options);
    problems.push(...found.problems);
    for (const message of found.skipped) skipped.add(message);
    for (const file of found.files) {
      const identity = file.path === null ? "-" : realPath(file.path);
      if (!files.has(identity)) files.set(identity, file);
    }
  }
  return { files: [...files.values()], problems, skipped: [...skipped] };
}

async function findNamed(name: string, { folder, packs }: SearchOptions): Promise<FoundFiles> {
  const { stat } = await import("node:fs/promises");
  const { resolve, normalize } = await import("node:path");
  if (name === "-") return only({ path: null, name: "standard input", isCode: false });
  if (name.startsWith("pack:")) {
    const path = await packPath(name.slice("pack:".length), packs);
    return typeof path === "string" ? inFolder({ path, name }) : nothing(name, path.problem);
  }
  if (name.startsWith("example:")) {
    const path = examplePath(name.slice("example:".length));
    return typeof path === "string" ? only({ path, name, isCode: false }) : nothing(name, path.problem);
  }
  const file = { path: resolve(folder, name), name: normalize(name).replaceAll("\\", "/") };
  let stats: Stats;
  try {
    stats = await stat(file.path);
  } catch (error) {
    // A file with exactly this name goes first, even if the name looks like a pattern.
    if (/[*?[\]{}]/.test(name)) return byPattern(name, folder);
    // The docs run them from the folder of the package.
    const example = resolve(packageFolder(), file.name);
    const isExample = file.name.startsWith("examples/") && isDataFile(name);
    if (isExample && (await stat(example).catch(() => null))?.isFile()) {
      const note = `There is no ${name} here: the example of this name in the elenchus package is used.`;
      return { ...only({ path: example, name, isCode: false }), skipped: [note] };
    }
    const missing = `There is no file or folder ${name}; check how it is written.`;
    const problem = fileProblem(error, name);
    return nothing(name, problem.startsWith("There is no file") ? missing : problem);
  }
  if (stats.isDirectory()) return inFolder(file);
  const isCode = isCodeFile(name);
  return isCode || isDataFile(name)
    ? only({ ...file, isCode })
    : nothing(
        file.name,
        `${file.name} is not a file with scenarios; name a .yaml, .yml or .json file, or a .ts, .mts, .js or .mjs module.`,
      );
}

function only(file: FoundFile): FoundFiles {
  return { files: [file], problems: [], skipped: [] };
}

function nothing(file: string, message: string, skipped: readonly string[] = []): FoundFiles {
  return { files: [], problems: [{ file, message }], skipped };
}

async function inFolder(folder: NamedPath): Promise<FoundFiles> {
  const found = await walkFolder(folder);
  return found.files.length + found.problems.length > 0
    ? found
    : nothing(
        folder.name,
        `The folder ${folder.name} has no scenario files (.yaml, .yml or .json with "nodes", "scenarios", or "name" and "question"). Modules must be named one by one.`,
        found.skipped,
      );
}

async function byPattern(pattern: string, folder: string): Promise<FoundFiles> {
  const { glob, stat } = await import("node:fs/promises");
  const { resolve, basename, normalize } = await import("node:path");
  const takesCode = isCodeFile(pattern);
  const matches: string[] = [];
  const exclude = (path: string): boolean => basename(path) === "node_modules";
  for await (const match of glob(pattern, { cwd: folder, exclude })) matches.push(match);
  const files: FoundFile[] = [];
  const problems: FileProblem[] = [];
  const skipped: string[] = [];
  for (const match of matches.sort()) {
    const file = { path: resolve(folder, match), name: normalize(match).replaceAll("\\", "/") };
    const stats = await stat(file.path).catch(() => null);
    const kind = stats === null ? undefined : specialKind(stats);
    const isCode = isCodeFile(match);
    if (stats?.isDirectory()) {
      const inner = await walkFolder(file);
      files.push(...inner.files);
      problems.push(...inner.problems);
      skipped.push(...inner.skipped);
    } else if (kind !== undefined) skipped.push(skipText(file.name, kind));
    else if (!isOtherFile(basename(match)) && (isCode ? takesCode : isDataFile(match)))
      files.push({ ...file, isCode });
  }
  return files.length + problems.length > 0
    ? { files, problems, skipped }
    : nothing(
        pattern,
        `No scenario file matches ${pattern}; check the pattern, and put quotes around it.`,
        skipped,
      );
}

function skipText(name: string, kind: string): string {
  return `${name} is ${kind}, not a file; it is skipped.`;
}

/** The folder of a pack, or a sentence with the packs that exist. */
async function packPath(
  wanted: string,
  folder = packsFolder(),
): Promise<string | { readonly problem: string }> {
  const names = await bundledPacks(folder);
  // Only names of existing packs, so that none can lead out of the folder.
  if (names.includes(wanted)) return `${folder}/${wanted}`;
  const { nearest } = nearestOf(wanted, names);
  const hint = nearest === undefined ? `There are ${names.join(", ")}.` : `Did you mean pack:${nearest}?`;
  return { problem: `There is no pack ${JSON.stringify(wanted)}. ${hint}` };
}

/** The file of an example, or a sentence with those that exist. */
export function examplePath(wanted: string): string | { readonly problem: string } {
  const { folder, names } = bundledExamples();
  const name = wanted.replace(/\.yaml$/, "");
  // Only names of existing examples, so that none can lead out of the folder.
  if (names.includes(name)) return `${folder}/${name}.yaml`;
  return { problem: `There is no example ${JSON.stringify(wanted)}. ${nameHint(name, names)}` };
}

/** True for the names of files that hold scenarios as data. */
function isDataFile(name: string): boolean {
  return /\.(?:yaml|yml|json)$/i.test(name);
}

/** True for configuration files of tools, which have no scenarios. */
function isOtherFile(name: string): boolean {
  return /^(?:elenchus\.config\..*|package(?:-lock)?\.json|[jt]sconfig(?:\..*)?\.json)$/.test(name);
}

/**
 * The scenario files in a folder and all folders below it, in the order of their names: no code, nothing in `node_modules`, and
 * nothing whose name begins with a dot. Links to files are followed, links to folders are not.
 */
async function walkFolder(folder: NamedPath): Promise<FoundFiles> {
  const { readdir, stat } = await import("node:fs/promises");
  const candidates: NamedPath[] = [];
  const problems: FileProblem[] = [];
  const skipped: string[] = [];
  const open: NamedPath[] = [folder];
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    const { path, name: folderName } = current;
    const items = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      problems.push({ file: folderName, message: fileProblem(error, folderName) });
      return [];
    });
    for (const item of items) {
      if (item.name.startsWith(".") || item.name === "node_modules") continue;
      const name = folderName === "." ? item.name : `${folderName.replace(/\/$/, "")}/${item.name}`;
      const inner = { path: `${path}/${item.name}`, name };
      if (item.isDirectory()) open.push(inner);
      if (item.isDirectory() || !isDataFile(item.name) || isOtherFile(item.name)) continue;
      // A broken link is reported when it is read.
      const stats = item.isSymbolicLink() ? await stat(inner.path).catch(() => null) : item;
      const kind = stats === null ? undefined : specialKind(stats);
      if (kind === undefined) candidates.push(inner);
      else if (!stats?.isDirectory()) skipped.push(skipText(name, kind));
    }
  }
  const files: FoundFile[] = [];
  // The same order on every machine, whatever its language.
  for (const file of candidates.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const { text, problem } = readTextFile(file.path, file.name, { pipes: false });
    if (problem !== undefined) problems.push({ file: file.name, message: problem });
    else if (isScenarioText(text, file.name)) files.push({ ...file, isCode: false });
  }
  return { files, problems, skipped: skipped.sort() };
}

/** The usual way to write a file. Parsing all of it as YAML takes a hundred times longer. */
const TOP_LEVEL_KEY = /^(?:nodes|scenarios)[ \t]*:/m;

/**
 * False for text that clearly is no scenario file. Text that cannot be parsed counts as one, so that the parser reports what is
 * wrong.
 */
function isScenarioText(text: string, filename: string): boolean {
  if (TOP_LEVEL_KEY.test(text)) return true;
  try {
    const value: unknown = filename.toLowerCase().endsWith(".json")
      ? JSON.parse(text)
      : parseYamlText(text).value;
    if (!isRecord(value)) return false;
    const has = (key: string): boolean => Object.hasOwn(value, key);
    return has("nodes") || has("scenarios") || (has("name") && has("question"));
  } catch {
    return true;
  }
}
