import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ProjectError } from "../project/project-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Throws if a file is there already: what somebody has recorded is not written over. */
export function refuseToOverwrite(file: string, { folder }: Pick<Terminal, "folder">): void {
  if (existsSync(resolve(folder, file)))
    throw new ProjectError([`${file} is there already. Choose another name, or delete it first.`]);
}
