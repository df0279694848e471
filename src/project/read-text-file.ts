import { errorMessage } from "../core/error-message.ts";

/** The text of a file, or a sentence that says why it cannot be read. */
export type ReadFile =
  | { readonly text: string; readonly problem?: never }
  | { readonly text?: never; readonly problem: string };

const LARGEST_MB = 50;

/**
 * Reads a file of UTF-8 text; `name` is its name in messages. Synchronous, because nothing else happens while files are loaded,
 * and thousands of files load several times faster this way.
 */
export function readTextFile(path: string, name: string): ReadFile {
  const { openSync, closeSync, fstatSync, readFileSync } = process.getBuiltinModule("node:fs");
  try {
    const file = openSync(path, "r");
    try {
      const stat = fstatSync(file);
      if (stat.isDirectory()) return { problem: `${name} is a folder, not a file.` };
      if (stat.size > LARGEST_MB * 1_000_000) {
        const megabytes = Math.ceil(stat.size / 1_000_000);
        const problem = `${name} has ${megabytes} MB, and no more than ${LARGEST_MB} are read. Split it into several files.`;
        return { problem };
      }
      return decodeText(readFileSync(file), name);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return { problem: fileProblem(error, name) };
  }
}

/** Why a file or folder could not be used, as a sentence. */
export function fileProblem(error: unknown, name: string): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return `There is no file ${name}.`;
  if (code === "EACCES" || code === "EPERM")
    return `${name} cannot be read: permission denied. Change its permissions, or leave it out.`;
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
