import { isAbsolute, join } from "node:path";
import type { Environment } from "../../core/environment.ts";

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
