import { nearestOf } from "../core/schema/nearest-name.ts";
import { bundledPacks, packsFolder } from "./bundled-packs.ts";
import type { FileProblem } from "./file-problem.ts";
import { isCodeFile } from "./import-module.ts";
import { fileProblem } from "./read-text-file.ts";
import { isDataFile, isOtherFile, type WalkedFile, walkFolder } from "./walk-folder.ts";

/** A file with scenarios. */
export interface FoundFile {
  /** Absolute; null for standard input. */
  readonly path: string | null;
  /** As the person would write it. */
  readonly name: string;
  /** True for a module that the person named as code: it runs. */
  readonly isCode: boolean;
}

/** What names stand for, and what is wrong with some of them. */
export interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly problems: readonly FileProblem[];
}

/** What sentences call standard input. */
export const STANDARD_INPUT = "standard input";

/**
 * The files that a person names: files, folders, patterns (`*`, `**`, `?`, `[…]`, `{…}`), `-` for standard input, `pack:…` for a
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
  for (const name of names) {
    const found = await findNamed(name, options);
    problems.push(...found.problems);
    for (const file of found.files) {
      const identity = file.path === null ? "-" : realPath(file.path);
      if (!files.has(identity)) files.set(identity, file);
    }
  }
  return { files: [...files.values()], problems };
}

/** Two names of one file are one file; a link that leads nowhere is told when it is read. */
function realPath(path: string): string {
  try {
    return process.getBuiltinModule("node:fs").realpathSync.native(path);
  } catch {
    return path;
  }
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
    // What exists under the very name is meant, even if it looks like a pattern.
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
    `${name} is not a file with scenarios; name a .yaml, .yml or .json file, or a .ts, .js or .mjs module.`,
  );
}

async function inFolder(folder: WalkedFile): Promise<FoundFiles> {
  const { files, problems } = await walkFolder(folder);
  if (files.length + problems.length > 0) {
    return { files: files.map((file) => ({ ...file, isCode: false })), problems };
  }
  return nothing(
    folder.name,
    `The folder ${folder.name} has no scenario files (.yaml, .yml or .json with "nodes" or "scenarios"). Modules must be named one by one.`,
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
  for (const match of matches.sort()) {
    const file = { path: resolve(folder, match), name: normalize(match).replaceAll("\\", "/") };
    if ((await stat(file.path).catch(() => null))?.isDirectory()) {
      const inner = await walkFolder(file);
      files.push(...inner.files.map((one) => ({ ...one, isCode: false })));
      problems.push(...inner.problems);
    } else if (!isOtherFile(basename(match))) {
      const isCode = isCodeFile(match);
      if (isCode ? takesCode : isDataFile(match)) files.push({ ...file, isCode });
    }
  }
  if (files.length + problems.length > 0) return { files, problems };
  return nothing(
    pattern,
    `No scenario file matches ${pattern}; check the pattern, and put quotes around it.`,
  );
}

function found(files: readonly FoundFile[]): FoundFiles {
  return { files, problems: [] };
}

function nothing(file: string, message: string): FoundFiles {
  return { files: [], problems: [{ file, message }] };
}

/** What names of bundled packs begin with. */
export const PACK_PREFIX = "pack:";

/** The folder of a pack, or a sentence that says which packs there are. */
export type FoundPack =
  | { readonly folder: string; readonly problem?: never }
  | { readonly folder?: never; readonly problem: string };

/** Finds a pack by its name, `pack:pressure`; `folder` is where packs are, instead of in this package. */
export async function findPack(name: string, folder?: string): Promise<FoundPack> {
  const packs = folder ?? packsFolder();
  const names = await bundledPacks(packs);
  const wanted = name.slice(PACK_PREFIX.length);
  // Only a name that is there, so that none can lead out of the folder.
  if (names.includes(wanted)) return { folder: `${packs}/${wanted}` };
  const { nearest } = nearestOf(wanted, names);
  const known = names.length === 0 ? "There are none here." : `There are ${names.join(", ")}.`;
  const hint = nearest === undefined ? known : `Did you mean ${PACK_PREFIX}${nearest}?`;
  return { problem: `There is no pack ${JSON.stringify(wanted)}. ${hint}` };
}
