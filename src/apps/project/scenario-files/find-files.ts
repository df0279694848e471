import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { isRecord } from "../../../core/values/json.ts";
import { fileProblem, readTextFile, realPath, specialKind } from "../../../system/files/read-text-file.ts";
import { isCodeFile } from "../import-module.ts";
import { bundledPacks, packsFolder } from "../package-files.ts";
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
  /** Messages about pipes, devices and sockets among the files; they were not opened. */
  readonly skipped: readonly string[];
}

/** The name of standard input in messages. */
const STANDARD_INPUT = "standard input";

/**
 * The files that a user names: files, folders, patterns (`*`, `**`, `?`, `[…]`, `{…}`), `-` for standard input, `pack:…` for a
 * bundled pack. In the order of the names, each file once. Modules must be named themselves, or by a pattern with their extension.
 */
export async function findFiles(
  names: readonly string[],
  options: {
    readonly folder: string /** Where packs are, instead of in this package. */;
    readonly packs?: string;
  },
): Promise<FoundFiles> {
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

async function findNamed(
  name: string,
  { folder, packs }: { readonly folder: string; readonly packs?: string },
): Promise<FoundFiles> {
  const { stat } = await import("node:fs/promises");
  const { resolve, normalize } = await import("node:path");
  if (name === "-") return found([{ path: null, name: STANDARD_INPUT, isCode: false }]);
  if (name.startsWith(PACK_PREFIX)) {
    const pack = await findPack(name, packs);
    return pack.problem === undefined ? inFolder({ path: pack.folder, name }) : nothing(name, pack.problem);
  }
  const file = { path: resolve(folder, name), name: normalize(name).replaceAll("\\", "/") };
  try {
    return (await stat(file.path)).isDirectory() ? await inFolder(file) : named(file);
  } catch (error) {
    // A file with exactly this name goes first, even if the name looks like a pattern.
    if (/[*?[\]{}]/.test(name)) return byPattern(name, folder);
    const missing = fileProblem(error, name);
    return nothing(
      name,
      missing.startsWith("There is no file")
        ? `There is no file or folder ${name}; check how it is written.`
        : missing,
    );
  }
}

function named({ path, name }: WalkedFile): FoundFiles {
  const isCode = isCodeFile(name);
  if (isCode || isDataFile(name)) return found([{ path, name, isCode }]);
  return nothing(
    name,
    `${name} is not a file with scenarios; name a .yaml, .yml or .json file, or a .ts, .mts, .js or .mjs module.`,
  );
}

async function inFolder(folder: WalkedFile): Promise<FoundFiles> {
  const { files, problems, skipped } = await walkFolder(folder);
  if (files.length + problems.length > 0) {
    return { files: files.map((file) => ({ ...file, isCode: false })), problems, skipped };
  }
  const none = nothing(
    folder.name,
    `The folder ${folder.name} has no scenario files (.yaml, .yml or .json with "nodes" or "scenarios"). Modules must be named one by one.`,
  );
  return { ...none, skipped };
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
    if (stats?.isDirectory()) {
      const inner = await walkFolder(file);
      files.push(...inner.files.map((one) => ({ ...one, isCode: false })));
      problems.push(...inner.problems);
      skipped.push(...inner.skipped);
    } else if (kind !== undefined) skipped.push(skip(file.name, kind));
    else if (!isOtherFile(basename(match))) {
      const isCode = isCodeFile(match);
      if (isCode ? takesCode : isDataFile(match)) files.push({ ...file, isCode });
    }
  }
  if (files.length + problems.length > 0) return { files, problems, skipped };
  const none = nothing(
    pattern,
    `No scenario file matches ${pattern}; check the pattern, and put quotes around it.`,
  );
  return { ...none, skipped };
}

function skip(name: string, kind: string): string {
  return `${name} is ${kind}, not a file; it is skipped.`;
}

function found(files: readonly FoundFile[]): FoundFiles {
  return { files, problems: [], skipped: [] };
}

function nothing(file: string, message: string): FoundFiles {
  return { files: [], problems: [{ file, message }], skipped: [] };
}

/** The prefix of bundled packs. */
const PACK_PREFIX = "pack:";

/** The folder of a pack, or a sentence with the packs that exist. */
type FoundPack =
  | { readonly folder: string; readonly problem?: never }
  | { readonly folder?: never; readonly problem: string };

/** Finds a pack by its name, `pack:pressure`; `folder` is where packs are, instead of in this package. */
async function findPack(name: string, folder?: string): Promise<FoundPack> {
  const packs = folder ?? packsFolder();
  const names = await bundledPacks(packs);
  const wanted = name.slice(PACK_PREFIX.length);
  // Only names of existing packs, so that none can lead out of the folder.
  if (names.includes(wanted)) return { folder: `${packs}/${wanted}` };
  const { nearest } = nearestOf(wanted, names);
  const known = names.length === 0 ? "There are none here." : `There are ${names.join(", ")}.`;
  const hint = nearest === undefined ? known : `Did you mean ${PACK_PREFIX}${nearest}?`;
  return { problem: `There is no pack ${JSON.stringify(wanted)}. ${hint}` };
}

/** A file in a folder. */
interface WalkedFile {
  readonly path: string;
  /** As the user writes it. */
  readonly name: string;
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
async function walkFolder(
  folder: WalkedFile,
): Promise<Pick<FoundFiles, "problems" | "skipped"> & { readonly files: readonly WalkedFile[] }> {
  const { readdir, stat } = await import("node:fs/promises");
  const files: WalkedFile[] = [];
  const problems: FileProblem[] = [];
  const skipped: string[] = [];
  const open: WalkedFile[] = [folder];
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    const { path, name: folderName } = current;
    const items = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      problems.push({ file: folderName, message: fileProblem(error, folderName) });
      return [];
    });
    for (const item of items) {
      if (item.name.startsWith(".") || item.name === "node_modules") continue;
      const inner = {
        path: `${path}/${item.name}`,
        name: folderName === "." ? item.name : `${folderName.replace(/\/$/, "")}/${item.name}`,
      };
      if (item.isDirectory()) open.push(inner);
      else if (isDataFile(item.name) && !isOtherFile(item.name)) {
        // A broken link is reported when it is read.
        const stats = item.isSymbolicLink() ? await stat(inner.path).catch(() => null) : item;
        const kind = stats === null ? undefined : specialKind(stats);
        if (kind === undefined) files.push(inner);
        else if (!stats?.isDirectory()) skipped.push(skip(inner.name, kind));
      }
    }
  }
  const scenarios: WalkedFile[] = [];
  for (const file of files.sort(byName)) {
    const { text, problem } = readTextFile(file.path, file.name, { pipes: false });
    if (problem !== undefined) problems.push({ file: file.name, message: problem });
    else if (isScenarioText(text, file.name)) scenarios.push(file);
  }
  return { files: scenarios, problems, skipped: skipped.sort() };
}

function byName(left: WalkedFile, right: WalkedFile): number {
  // The same order on every machine, whatever its language.
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
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
    return isRecord(value) && (Object.hasOwn(value, "nodes") || Object.hasOwn(value, "scenarios"));
  } catch {
    return true;
  }
}
