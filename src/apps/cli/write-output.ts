import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { refuseUnwritable, writeWholeFile } from "../../system/files/write-whole-file.ts";
import type { Output, Terminal } from "../../system/terminal/terminal.ts";
import { ProjectError } from "../project/project-error.ts";

const STREAMS: Readonly<Record<string, "output" | "messages" | null>> = {
  "-": "output",
  "/dev/stdout": "output",
  "/dev/fd/1": "output",
  "/proc/self/fd/1": "output",
  "/dev/stderr": "messages",
  "/dev/fd/2": "messages",
  "/proc/self/fd/2": "messages",
  "/dev/null": null,
};

/**
 * Writes to the place that `--output` names: a file, whole or not at all, or a stream (`-`, `/dev/stdout`), or nowhere (`/dev/null`).
 * Returns true if a file was written.
 */
export async function writeOutput(
  place: string,
  pieces: Iterable<string>,
  terminal: Terminal,
): Promise<boolean> {
  const stream = Object.hasOwn(STREAMS, place) ? STREAMS[place] : undefined;
  if (stream === null) return false;
  if (stream !== undefined) {
    await writeTo(terminal[stream], pieces);
    return false;
  }
  await writeWholeFile(place, pieces, { folder: terminal.folder });
  return true;
}

/** Throws `FileError` if a place cannot be written. */
export async function refuseOutput(place: string, { folder }: Terminal): Promise<void> {
  if (!Object.hasOwn(STREAMS, place)) await refuseUnwritable(place, { folder });
}

/** Throws if a file exists already: recordings are never overwritten. */
export function refuseToOverwrite(file: string, { folder }: Pick<Terminal, "folder">): void {
  if (existsSync(resolve(folder, file)))
    throw new ProjectError([`${file} exists already. Choose another name, or delete it first.`]);
}

/** Waits for a slow reader, so that its pieces do not fill the memory. */
async function writeTo(output: Output, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    output.data(piece);
    await output.drained();
  }
}
