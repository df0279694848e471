import type { Stats } from "node:fs";
import { errorMessage } from "../../core/error-message.ts";

/** The text of a file, or a sentence about why it cannot be read. */
type ReadFile =
  | { readonly text: string; readonly problem?: never }
  | { readonly text?: never; readonly problem: string };

/** What may be read. */
interface ReadOptions {
  /** Default 50, or what `ELENCHUS_LARGEST_FILE_MB` says. */
  readonly largestMb?: number;
  /** True for what a person named: `<(command)` of a shell is a pipe (default true). */
  readonly pipes?: boolean;
}

/** The default limit. */
const LARGEST_MB = 50;

/** The variable that raises the limit for scenarios and project files, in MB. */
export const LARGEST_FILE_VARIABLE = "ELENCHUS_LARGEST_FILE_MB";

/** How many MB a scenario or project file may have. */
export function largestFileMb(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): number {
  const given = Number(environment[LARGEST_FILE_VARIABLE]);
  return given > 0 && Number.isFinite(given) ? given : LARGEST_MB;
}

/**
 * Reads a file of UTF-8 text; `name` is its name in messages. Synchronous, because nothing else happens while files are loaded,
 * and thousands of files load several times faster this way.
 *
 * Only regular files and pipes are read, and never more than a limit: a device may have no end, and a named pipe no writer.
 */
export function readTextFile(path: string, name: string, options: ReadOptions = {}): ReadFile {
  const content = readBytes(path, name, options);
  return "problem" in content ? content : decodeText(content.bytes, name);
}

/** The bytes of a file, or a sentence about why it cannot be read. */
export function readBytes(
  path: string,
  name: string,
  options: ReadOptions = {},
): { readonly bytes: Uint8Array } | { readonly problem: string } {
  const { largestMb = largestFileMb(), pipes = true } = options;
  const { openSync, closeSync, constants, fstatSync, readFileSync, statSync } =
    process.getBuiltinModule("node:fs");
  try {
    const isPipe = pipes && statSync(path).isFIFO();
    // Without O_NONBLOCK, opening a pipe without a writer would wait forever.
    const file = openSync(path, isPipe ? constants.O_RDONLY : constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      const kind = stats.isFIFO() && isPipe ? undefined : specialKind(stats);
      if (kind !== undefined) return { problem: `${name} is ${kind}, not a file.` };
      if (stats.size > largestMb * 1_000_000) return { problem: tooLarge(name, largestMb, stats.size) };
      const bytes = isPipe ? readPipe(file, largestMb * 1_000_000) : readFileSync(file);
      return bytes === undefined ? { problem: tooLarge(name, largestMb) } : { bytes };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return { problem: fileProblem(error, name) };
  }
}

/** The path with links resolved; the path itself if it does not exist. */
export function realPath(path: string): string {
  try {
    return process.getBuiltinModule("node:fs").realpathSync.native(path);
  } catch {
    return process.getBuiltinModule("node:path").resolve(path);
  }
}

/** What something is that is not a regular file, with its article; undefined if it is one. */
export function specialKind(
  stats: Pick<
    Stats,
    "isDirectory" | "isFIFO" | "isSocket" | "isCharacterDevice" | "isBlockDevice" | "isFile"
  >,
): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isCharacterDevice() || stats.isBlockDevice() ? "a device" : "something special";
}

/** Undefined if there is more than the limit. */
function readPipe(file: number, limit: number): Uint8Array | undefined {
  const { readSync } = process.getBuiltinModule("node:fs");
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const piece = new Uint8Array(65_536);
    const count = readSync(file, piece);
    if (count === 0) return Buffer.concat(pieces);
    size += count;
    if (size > limit) return undefined;
    pieces.push(piece.subarray(0, count));
  }
}

function tooLarge(name: string, largestMb: number, size?: number): string {
  const has = size === undefined ? "more" : `${Math.ceil(size / 1_000_000)} MB`;
  const raise = largestMb === largestFileMb() ? `, or set ${LARGEST_FILE_VARIABLE}` : "";
  return `${name} has ${has}, and no more than ${largestMb} MB are read. Split it into several files${raise}.`;
}

/** Why a file or folder could not be used, as a sentence. */
export function fileProblem(error: unknown, name: string): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return `There is no file ${name}.`;
  if (code === "EACCES" || code === "EPERM")
    return `${name} cannot be read: permission denied. Change its permissions, or leave it out.`;
  // What opening a socket gives.
  if (code === "ENXIO") return `${name} is a socket, not a file.`;
  return `${name} cannot be read: ${errorMessage(error).replace(/\.$/, "")}.`;
}

function decodeText(bytes: Uint8Array, name: string): ReadFile {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) return { problem: `${name} is UTF-16 text; save it as UTF-8.` };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { problem: `${name} is not UTF-8 text; save it as UTF-8.` };
  }
}

/** A line of a text file, and its number from 1. */
interface FileLine {
  readonly line: number;
  readonly text: string;
}

/** Longer lines are refused. */
const LONGEST_LINE = 100_000_000;

/**
 * The text of a file piece by piece, without a byte order mark: a file of any size needs the memory of one piece. Throws an `Error`
 * whose message says why the file cannot be read; `name` is its name there.
 */
export async function* textPieces(path: string, name: string): AsyncGenerator<string> {
  const { createReadStream, statSync } = process.getBuiltinModule("node:fs");
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    const stats = statSync(path);
    const kind = stats.isFIFO() ? undefined : specialKind(stats);
    if (kind !== undefined) throw new Error(`${name} is ${kind}, not a file.`);
    for await (const piece of createReadStream(path, { highWaterMark: 1 << 16 }))
      yield decoder.decode(piece as Uint8Array, { stream: true });
    const rest = decoder.decode();
    if (rest !== "") yield rest;
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const isText = error.code === "ERR_ENCODING_INVALID_ENCODED_DATA";
    const problem = isText ? `${name} is not UTF-8 text; save it as UTF-8.` : fileProblem(error, name);
    throw new Error(problem, { cause: error });
  }
}

/** The lines of a file that are not empty, as many at once as a piece has: to wait for each alone takes longer than to read it. */
export async function* linePortions(path: string, name: string): AsyncGenerator<readonly FileLine[]> {
  let [rest, line] = ["", 0];
  const numbered = (texts: readonly string[]): readonly FileLine[] => {
    const lines: FileLine[] = [];
    for (const text of texts) {
      line++;
      if (text.trim() !== "") lines.push({ line, text });
    }
    return lines;
  };
  for await (const piece of textPieces(path, name)) {
    // Only the new piece is searched: a long line would be searched again with each of its pieces.
    const [first = "", ...others] = piece.split("\n");
    rest += first;
    if (rest.length > LONGEST_LINE) throw new Error(`${name} has a line of more than 100 MB.`);
    if (others.length === 0) continue;
    const next = others.pop() ?? "";
    yield numbered([rest, ...others]);
    rest = next;
  }
  yield numbered([rest]);
}

/** The lines of a file that are not empty, one by one. Throws as `textPieces` does. */
export async function* fileLines(path: string, name: string): AsyncGenerator<FileLine> {
  for await (const lines of linePortions(path, name)) yield* lines;
}
