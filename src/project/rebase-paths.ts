import { isRecord } from "../value/json.ts";

/** What is written in the file of one folder, as one writes it in another. */
export interface Rebase {
  /** The folder of the project. */
  readonly from: string;
  /** The folder where the command is given. */
  readonly to: string;
}

/** The value of a setting of a project file, with its paths as one writes them where the command is given. */
export function rebasePaths(key: string, value: unknown, rebase: Rebase): unknown {
  const { relative, resolve } = process.getBuiltinModule("node:path");
  if (resolve(rebase.from) === resolve(rebase.to)) return value;
  const prefix = relative(rebase.to, rebase.from).replaceAll("\\", "/");
  if (key === "store" || key === "junit") return rebaseName(value, prefix);
  if (key === "scenarios") return [value].flat().map((name) => rebaseName(name, prefix));
  if (key !== "tools" || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, server]) => [name, rebaseServer(server, prefix)]),
  );
}

/** Put in front rather than joined, for a pattern is no path that could be made shorter. */
function rebaseName(name: unknown, prefix: string): unknown {
  const { isAbsolute } = process.getBuiltinModule("node:path");
  if (typeof name !== "string" || name === "-" || name.startsWith("pack:") || isAbsolute(name)) return name;
  return `${prefix}/${name.replace(/^(?:\.\/)+/, "")}`;
}

/** A process starts in the folder of the project, wherever the command is given. */
function rebaseServer(server: unknown, prefix: string): unknown {
  if (!isRecord(server) || server.command === undefined) return server;
  return { ...server, cwd: server.cwd === undefined ? prefix : rebaseName(server.cwd, prefix) };
}
