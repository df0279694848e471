import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { Environment } from "../../core/environment.ts";

/** Consents are far smaller. */
const LARGEST = 1_000_000;

/** The text of a file that only this user can change; undefined if there is none, or it is a link, or others can access it. */
export function readPrivateFile(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(file);
    const isUsable = stats.isFile() && isPrivate(stats) && stats.size <= LARGEST;
    return isUsable ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Windows has neither modes nor numbers of users; there, what is below APPDATA belongs to the user. */
function isPrivate({ mode, uid }: Stats): boolean {
  const user = process.getuid?.();
  return user === undefined || ((mode & 0o077) === 0 && (uid === user || user === 0));
}

/** Writes a private file, whole or not at all. False if it cannot be written. */
export function writePrivateFile(path: string, text: string): boolean {
  const unfinished = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    const folder = dirname(path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    writeFileSync(unfinished, text, { mode: 0o600, flag: "wx" });
    renameSync(unfinished, path);
    return true;
  } catch {
    return false;
  } finally {
    remove(unfinished);
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Where nothing could be written, nothing is left to remove.
  }
}

/**
 * The folder of this user's own configuration, outside of every project and store. Undefined where the environment names no home:
 * then nothing is kept, and commands ask instead.
 */
export function userFolder(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const { XDG_CONFIG_HOME: xdg, APPDATA: appData, HOME: home, USERPROFILE: profile } = environment;
  // The specification of these variables says that a relative path is to be ignored.
  const isUsable = (path: string | undefined): path is string => path !== undefined && isAbsolute(path);
  if (isUsable(xdg)) return join(xdg, "elenchus");
  if (platform === "win32" && isUsable(appData)) return join(appData, "elenchus");
  const own = platform === "win32" ? (profile ?? home) : home;
  return isUsable(own) ? join(own, ".config", "elenchus") : undefined;
}
