import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Compiling the program takes a server longer than all that a test asks of it. */
const CACHE = new URL("compile-cache.mjs", import.meta.url).href;

/** What starts a program of this folder. */
export function program(
  file: string,
  ...args: readonly string[]
): { readonly command: string; readonly args: readonly string[] } {
  const path = fileURLToPath(new URL(`${file}.ts`, import.meta.url));
  return { command: process.execPath, args: ["--import", CACHE, path, ...args] };
}

/** True if a process runs; one that has ended and only waits for its parent to notice does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = `/proc/${pid}/stat`;
  return !existsSync(status) || !/\) Z /.test(readFileSync(status, "utf8"));
}
