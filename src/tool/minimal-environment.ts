import type { Environment } from "./tool-server.ts";

/** What programs need to run at all, on Unix and on Windows. Proxies are not among them: they may hold passwords. */
const PASSED_ON: readonly string[] = [
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  "XDG_CACHE_HOME",
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

/** The part of an environment that any child process may see: no keys, no tokens. */
export function minimalEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    // Windows does not mind the case of names.
    if (value !== undefined && PASSED_ON.includes(name.toUpperCase())) passed[name] = value;
  }
  return passed;
}
