import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  copyFile,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { errorMessage } from "../../core/error-message.ts";
import { specialKind } from "./read-text-file.ts";

/** A file that cannot be written; its message is a sentence with the reason and advice. */
export class FileError extends Error {
  override readonly name = "FileError";
}

/** Where a file belongs. */
interface WriteOptions {
  /** What lies in this folder by its path must also lie in it when links are followed (default: the folder of the process). */
  readonly folder?: string;
  /** True to leave what is there already, whatever it is (default false: a file is replaced). */
  readonly keeps?: boolean;
}

/** Text, or bytes, one after the other. */
type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

const CHUNK = 1_000_000;

/**
 * Writes a file from pieces, whole or not at all: a crash, a full disk or a failing piece leaves what was there before. Everything that
 * writes files uses it. It never writes over a device, a pipe or a socket, nor through a link that leaves the folder. Returns false if
 * something was kept. Throws `FileError`.
 */
export async function writeWholeFile(
  path: string,
  pieces: Pieces,
  { folder = process.cwd(), keeps = false }: WriteOptions = {},
): Promise<boolean> {
  const named = resolve(folder, path);
  const shown = path;
  let unfinished: string | undefined;
  try {
    await mayLeave(dirname(named), folder, shown);
    await mkdir(dirname(named), { recursive: true });
    if (keeps && (await lstat(named).catch(ifMissing)) !== undefined) return false;
    const { target, mode } = await targetOf(named, folder, shown);
    unfinished = unfinishedIn(dirname(target), basename(target));
    // `wx`: a file of this name is not ours.
    const file = await open(unfinished, "wx", mode);
    try {
      await writePieces(file, pieces);
      await file.sync();
    } finally {
      await file.close();
    }
    if (!keeps) await rename(unfinished, target);
    // It may have been made a moment ago.
    else if (!(await moveToNew(unfinished, target))) return false;
    await syncFolder(dirname(target));
    return true;
  } catch (error) {
    if (error instanceof FileError || !isOfSystem(error)) throw error;
    throw new FileError(writeProblem(error, shown), { cause: error });
  } finally {
    if (unfinished !== undefined) await rm(unfinished, { force: true });
  }
}

/** A name for a file that is not whole yet, beside the one that it will have. */
function unfinishedIn(folder: string, name: string): string {
  return join(folder, `.${name}.${randomBytes(6).toString("hex")}.unfinished`);
}

/** Gives a file a name that is free; false if it is not. */
async function moveToNew(unfinished: string, target: string): Promise<boolean> {
  try {
    await link(unfinished, target).catch((error: unknown) => {
      if (isOfSystem(error) && error.code === "EEXIST") throw error;
      // Some file systems have no links.
      return copyFile(unfinished, target, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (isOfSystem(error) && error.code === "EEXIST") return false;
    throw error;
  }
}

async function writePieces(file: FileHandle, pieces: Pieces): Promise<void> {
  let chunk = "";
  for await (const piece of pieces) {
    if (typeof piece === "string") chunk += piece;
    if (typeof piece === "string" && chunk.length < CHUNK) continue;
    if (chunk !== "") await file.appendFile(chunk);
    chunk = "";
    if (typeof piece !== "string") await file.appendFile(piece);
  }
  await file.appendFile(chunk);
}

/** Throws `FileError` if a file cannot be written, so that this is known before the first call. */
export async function refuseUnwritable(
  path: string,
  { folder = process.cwd() }: WriteOptions = {},
): Promise<void> {
  const whole = resolve(folder, path);
  await targetOf(whole, folder, path);
  // Folders that are missing are made, in the nearest that exists.
  let parent = dirname(whole);
  while ((await stat(parent).catch(ifMissing)) === undefined && dirname(parent) !== parent)
    parent = dirname(parent);
  if (!(await stat(parent)).isDirectory())
    throw new FileError(`${path} cannot be written: ${parent} is not a folder. Name another place.`);
  // Creates a file to find out: permissions do not show that a disk is read-only.
  const probe = unfinishedIn(parent, basename(whole));
  try {
    await (await open(probe, "wx")).close();
  } catch {
    throw new FileError(`${path} cannot be written: ${parent} takes no files. Name another place.`);
  } finally {
    await rm(probe, { force: true });
  }
}

/** Throws `FileError` if a file that is written in place, such as a store, is a link that leaves its folder, or lies behind one. */
export async function refuseLinkAway(path: string, folder: string): Promise<void> {
  const named = resolve(path);
  await mayLeave(dirname(named), folder, path);
  if ((await lstat(named).catch(ifMissing))?.isSymbolicLink()) await targetOf(named, folder, path);
}

/** The file that is really written, with the permissions that it keeps. */
async function targetOf(
  path: string,
  folder: string,
  shown: string,
): Promise<{ readonly target: string; readonly mode: number }> {
  await mayLeave(dirname(path), folder, shown);
  const stats = await lstat(path).catch(ifMissing);
  if (stats === undefined) return { target: path, mode: 0o666 };
  const isLink = stats.isSymbolicLink();
  const target = isLink ? await realpath(path).catch(ifMissing) : path;
  if (target === undefined)
    throw new FileError(`${shown} is a link to something that does not exist. Remove it, or name a file.`);
  const found = isLink ? await lstat(target) : stats;
  const kind = specialKind(found);
  if (kind !== undefined)
    throw new FileError(
      `${shown} is ${kind}, and only files are written. Name a file, or - for standard output.`,
    );
  if (isLink && !isInside(target, await realpath(dirname(path))))
    throw new FileError(
      `${shown} is a link that leads out of its folder, to ${target}. Name that file itself, or remove the link.`,
    );
  return { target, mode: found.mode & 0o777 };
}

/** Refuses a path that seems to be in a folder but leaves it through a link. A path outside of the folder is intended. */
async function mayLeave(parent: string, folder: string, shown: string): Promise<void> {
  if (!isInside(parent, resolve(folder))) return;
  let existing = parent;
  while ((await lstat(existing).catch(ifMissing)) === undefined) existing = dirname(existing);
  const real = await realpath(existing);
  if (!isInside(real, await realpath(folder)))
    throw new FileError(
      `${shown} leads out of its folder through a link, to ${real}. Name that folder itself, or remove the link.`,
    );
}

function isInside(path: string, folder: string): boolean {
  const route = relative(folder, path);
  return route !== ".." && !route.startsWith(`..${sep}`) && resolve(folder, route) === path;
}

/** The new name is durable only when the folder is; some systems cannot do that. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // The file itself is safe.
  }
}

function ifMissing(error: unknown): undefined {
  if (isOfSystem(error) && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
  throw error;
}

function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}

/** Why a file could not be written, as a sentence. */
function writeProblem(error: NodeJS.ErrnoException, name: string): string {
  const { code } = error;
  if (code === "ENOSPC" || code === "EDQUOT")
    return `${name} cannot be written: no space is left on the disk. Make room, and try again.`;
  if (code === "EFBIG") return `${name} cannot be written: it would be larger than files may be here.`;
  if (code === "EROFS") return `${name} cannot be written: the disk is read-only.`;
  if (code === "EACCES" || code === "EPERM")
    return `${name} cannot be written: permission denied. Choose another place, or change its permissions.`;
  if (code === "ENOTDIR" || code === "EEXIST")
    return `${name} cannot be written: a part of its path is a file, not a folder.`;
  return `${name} cannot be written: ${errorMessage(error).replace(/\.$/, "")}.`;
}
